// Set-up of ports, calls that come and go, and the end of everything.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/actions/detail/core.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <thread>

#include "tacit/comm/backoff.hpp"
#include "tacit/comm/collectives/gather.hpp"
#include "tacit/comm/error.hpp"

namespace tacit::actions::detail {

Core::Core(Actions& actions, comm::Communicator& world, tasks::Scheduler& scheduler, const Table& table,
           const Options& options)
    : actions_(actions),
      world_(world),
      scheduler_(scheduler),
      options_(options),
      entries_(table.entries()),
      calls_kind_(scheduler.recorder().kind("actions", trace::Category::task)),
      answers_kind_(scheduler.recorder().kind("answers of actions", trace::Category::communication)),
      counts_(4),
      sums_(4),
      sums_before_(4) {
  constexpr std::size_t least_bytes = 8192;  // a record that is not cut, with its head
  if (options.message_bytes < least_bytes)
    throw base::PreconditionError(fmt::format("messages of actions need {} B at least", least_bytes));
  compare_tables();
  for (const Entry& entry : entries_) {
    const auto action = static_cast<std::int32_t>(kinds_.size());
    kinds_.push_back(scheduler.recorder().kind("action " + entry.name, trace::Category::task));
    if (by_function_.size() <= entry.function) by_function_.resize(entry.function + 1, -1);
    by_function_[entry.function] = action;
  }
  for (std::uint32_t rank = 0; rank < world.size(); ++rank) {
    peers_.emplace_back(*this, world, comm::Target{.rank = comm::RankId{rank}, .key = options.key});
  }
  reduce_.emplace(world, std::span<const std::uint64_t>(counts_), std::span<std::uint64_t>(sums_),
                  std::plus<std::uint64_t>{});
  for (Peer& peer : peers_) {
    peer.connection.open();
    peer.calls.open();
    peer.answers.open();
  }
  reduce_->run();  // a rank that is done must not leave while others still connect to it
  const auto here = std::ranges::count(world.ranks(), world.own().node, &comm::RankInfo::node);
  patience_ = static_cast<std::uint32_t>(here) > std::thread::hardware_concurrency() ? 8 : 4096;
  scheduler_.attach(world_.completions());
  scheduler_.attach(*this);
  listening_ = scheduler_.expect(*this, ear_);
}

Core::~Core() {
  const auto gone = std::make_exception_ptr(base::Error(
      fmt::format("{}: its actions have ended before this call had its answer", comm::describe(world_.own()))));
  for (Peer& peer : peers_) fail_peer(peer.calls.peer(), gone);
  scheduler_.work_until([this] { return !is_anything_busy(); });
  is_ending_.store(true, std::memory_order_release);
  scheduler_.work_until([this] { return ear_.is_over.load(); });
  scheduler_.detach(*this);
  scheduler_.detach(world_.completions());
}

bool Core::is_anything_busy() const noexcept {
  return running_.load(std::memory_order_acquire) > 0 ||
         std::ranges::any_of(peers_, [](const Peer& peer) { return peer.calls.is_busy() || peer.answers.is_busy(); });
}

// ---- tables --------------------------------------------------------------------------------------------------------

namespace {

std::string in_words(const std::string& name, std::uint64_t types) {
  return fmt::format("'{}' (types {:016x})", name, types);
}

struct Line {
  std::string name;
  std::uint64_t types = 0;
  [[nodiscard]] bool operator==(const Line&) const = default;
};

std::vector<std::byte> bytes_of_lines(const std::vector<Entry>& entries) {
  std::vector<std::byte> bytes;
  const auto add = [&](const void* data, std::size_t size) {
    const auto* const from = static_cast<const std::byte*>(data);
    bytes.insert(bytes.end(), from, from + size);
  };
  for (const Entry& entry : entries) {
    const std::uint64_t length = entry.name.size();
    add(&length, sizeof(length));
    add(entry.name.data(), length);
    add(&entry.types, sizeof(entry.types));
  }
  return bytes;
}

std::vector<Line> lines_of(std::span<const std::byte> bytes) {
  std::vector<Line> lines;
  Reader reader(bytes);
  while (reader.left() > 0) {
    Line line;
    line.name = Codec<std::string>::read(reader);
    line.types = reader.number<std::uint64_t>();
    lines.push_back(std::move(line));
  }
  return lines;
}

/// What all ranks say, by rank.
template <class T>
std::vector<T> gathered(comm::Communicator& world, std::span<const T> mine) {
  std::vector<T> all(mine.size() * world.size());
  comm::AllGather<T>(world, mine, std::span<T>(all)).run();
  world.synchronise();  // a rank that is done must not leave while others still connect to it
  return all;
}

/// @throws comm::MismatchError
[[noreturn]] void tell_difference(const comm::RankInfo& first, const std::vector<Line>& of_first,
                                  const comm::RankInfo& other, const std::vector<Line>& of_other) {
  const auto find = [](const std::vector<Line>& lines, const std::string& name) {
    return std::ranges::find(lines, name, &Line::name);
  };
  for (const Line& line : of_first) {
    const auto found = find(of_other, line.name);
    if (found == of_other.end()) {
      throw comm::MismatchError(
          fmt::format("{} has the action {}, {} has none of that name; all ranks make the same "
                      "table",
                      comm::describe(first), in_words(line.name, line.types), comm::describe(other)));
    }
    if (found->types != line.types) {
      throw comm::MismatchError(
          fmt::format("{} has the action {}, {} has {}: its arguments or its result are of other "
                      "types",
                      comm::describe(first), in_words(line.name, line.types), comm::describe(other),
                      in_words(found->name, found->types)));
    }
  }
  const auto extra =
      std::ranges::find_if(of_other, [&](const Line& line) { return find(of_first, line.name) == of_first.end(); });
  tell_difference(other, {*extra}, first, of_first);
}

}  // namespace

/// All ranks compare all tables with that of the first, so that all throw, and the same.
void Core::compare_tables() {
  const std::vector<std::byte> mine = bytes_of_lines(entries_);
  base::detail::TypeHash hash;
  for (const std::byte byte : mine) hash.add(static_cast<std::uint64_t>(byte));
  for (const std::uint64_t size :
       {options_.message_bytes, options_.queue_bytes, options_.most_bytes, options_.longest_record}) {
    hash.add(size);
  }
  struct Digest {
    std::uint64_t hash = 0;
    std::uint64_t bytes = 0;
    [[nodiscard]] bool operator==(const Digest&) const = default;
  };
  const Digest digest{hash.value(), mine.size()};
  const std::vector<Digest> digests = gathered(world_, std::span(&digest, 1));
  const auto is_same = [&](const Digest& other) { return other == digests.front(); };
  if (std::ranges::all_of(digests, is_same)) return;
  const std::size_t longest = std::max<std::size_t>(1, std::ranges::max(digests, {}, &Digest::bytes).bytes);
  std::vector<std::byte> padded = mine;
  padded.resize(longest);
  const std::vector<std::byte> all = gathered(world_, std::span<const std::byte>(padded));
  std::vector<std::span<const std::byte>> tables;
  for (std::size_t rank = 0; rank < digests.size(); ++rank) {
    tables.push_back(std::span(all).subspan(rank * longest, digests[rank].bytes));
  }
  for (std::size_t rank = 1; rank < tables.size(); ++rank) {
    if (std::ranges::equal(tables[rank], tables.front())) continue;
    tell_difference(world_.ranks()[0], lines_of(tables[0]), world_.ranks()[rank], lines_of(tables[rank]));
  }
  const auto other = static_cast<std::size_t>(std::ranges::find_if_not(digests, is_same) - digests.begin());
  throw comm::MismatchError(fmt::format("{} and {} have other options of actions", comm::describe(world_.ranks()[0]),
                                        comm::describe(world_.ranks()[other])));
}

std::uint16_t Core::action(std::uint32_t function) const {
  if (function >= by_function_.size() || by_function_[function] < 0)
    throw base::PreconditionError("a function is called that is not in the table of actions");
  return static_cast<std::uint16_t>(by_function_[function]);
}

// ---- calls of this rank
// ----------------------------------------------------------------------------------------------

Port& Core::calls_to(comm::RankId rank) {
  if (number(rank) >= peers_.size()) {
    throw base::PreconditionError(
        fmt::format("an action on rank {} is called, but there are {} ranks", number(rank), peers_.size()));
  }
  return peers_[number(rank)].calls;
}

std::uint64_t Core::expect(PendingCall& call) {
  const std::uint64_t number = pending_.add(call);
  if (pending_.count() == 1) {
    const std::lock_guard guard(tokens_lock_);
    if (calling_ == base::Token::none) calling_ = scheduler_.expect(*this, caller_);
  }
  return number;
}

void Core::require_open(Port& port, const FrameHead& head, std::size_t bytes) {
  if (port.has_failed()) std::rethrow_exception(port.error());
  require_short(head.action, bytes, "the arguments");
  if (port.box().waiting() + bytes <= std::max(options_.most_bytes, bytes)) return;
  throw LimitError(
      fmt::format("{}: action '{}': {} B wait for {} already: wait for room between calls, or raise "
                  "most_bytes ({})",
                  comm::describe(world_.own()), entries_[head.action].name, port.box().waiting(),
                  comm::describe(world_.ranks()[number(port.peer())]), options_.most_bytes));
}

void Core::require_short(std::uint16_t action, std::size_t bytes, std::string_view what) const {
  if (bytes <= options_.longest_record) return;
  throw LimitError(fmt::format("{}: action '{}': {} take {} B, longest_record is {} B", comm::describe(world_.own()),
                               entries_[action].name, what, bytes, options_.longest_record));
}

void Core::give_up(std::uint64_t call, comm::RankId to, std::exception_ptr error) noexcept {
  const std::unique_ptr<PendingCall> own(pending_.take(call, to));
  if (own != nullptr) own->fail(std::move(error));
}

// ---- calls of other ranks
// --------------------------------------------------------------------------------------------

bool Core::may_take(const Port& port) noexcept {
  return port.traffic() == Traffic::answers || peers_[number(port.peer())].answers.has_room();
}

void Core::take(Port& port, std::span<const std::byte> message) {
  try {
    Reader frames(message);
    while (frames.left() > 0) {
      const auto head = frames.number<FrameHead>();
      take_frame(port, head, frames.take(head.bytes));
    }
  } catch (const RecordError& error) {
    throw RecordError(fmt::format("{}: a message of actions from {}: {}", comm::describe(world_.own()),
                                  comm::describe(world_.ranks()[number(port.peer())]), error.what()));
  }
}

void Core::take_frame(Port& port, const FrameHead& head, std::span<const std::byte> bytes) {
  if ((head.flags & ~FrameHead::all_flags) != 0 || head.action >= entries_.size()) {
    throw RecordError(fmt::format("no frame has action {} and flags {}", head.action, head.flags));
  }
  std::vector<std::byte>& pieces = port.pieces();
  const bool continues = (head.flags & FrameHead::continues) != 0;
  if (continues == pieces.empty()) {
    throw RecordError(continues ? "a piece of a record that has no begin" : "a record that another one interrupts");
  }
  const bool goes_on = (head.flags & FrameHead::goes_on) != 0;
  if (!continues && !goes_on) return deliver(port, head, bytes);
  if (bytes.empty()) throw RecordError("a piece of a record without bytes");
  if (bytes.size() > options_.longest_record - std::min(pieces.size(), options_.longest_record)) {
    throw RecordError(fmt::format("a record is longer than longest_record, {} B", options_.longest_record));
  }
  pieces.insert(pieces.end(), bytes.begin(), bytes.end());
  if (goes_on) return;
  const std::vector<std::byte> whole = std::exchange(pieces, {});
  deliver(port, head, whole);
}

void Core::deliver(Port& port, const FrameHead& head, std::span<const std::byte> record) {
  if (port.traffic() == Traffic::answers) return finish_call(port, head, record);
  running_.fetch_add(1, std::memory_order_relaxed);
  run({.core = this, .from = port.peer(), .call = head.call, .action = head.action}, record);
}

void Core::run(const Incoming& call, std::span<const std::byte> record) noexcept {
  try {
    Reader arguments(record);
    entries_[call.action].run(call, arguments);
  } catch (...) {
    answer_error(call, std::current_exception());
  }
}

void Core::answer(const Incoming& call) {
  if (call.call != 0) {
    append(peers_[number(call.from)].answers, {.action = call.action, .call = call.call}, 0, [](Writer&) {});
  }
  end_action(call);
}

void Core::answer_error(const Incoming& call, const std::exception_ptr& error) noexcept {
  try {
    auto [type, text] = thrown_by(error);
    if (call.call != 0) {
      constexpr std::size_t longest = 2000;  // as much of each as is ever read, and no reason to fail once more
      type.resize(std::min(type.size(), longest));
      text.resize(std::min(text.size(), longest));
      append(peers_[number(call.from)].answers,
             {.action = call.action, .flags = FrameHead::is_error, .call = call.call},
             Codec<std::string>::size(type) + Codec<std::string>::size(text), [&](Writer& to) {
               Codec<std::string>::write(to, type);
               Codec<std::string>::write(to, text);
             });
    } else {
      unanswered_count_.fetch_add(1, std::memory_order_relaxed);
      const std::lock_guard guard(errors_mutex_);
      if (!unanswered_) {
        unanswered_ = std::make_exception_ptr(RemoteError(world_.own(), entries_[call.action].name, type, text));
      }
    }
  } catch (...) {
    fail_peer(call.from, std::current_exception());
  }
  end_action(call);
}

/// One with an answer ends where that arrives.
void Core::end_action(const Incoming& call) noexcept {
  if (call.call == 0) finished_.fetch_add(1, std::memory_order_relaxed);
  running_.fetch_sub(1, std::memory_order_release);
}

void Core::finish_call(Port& port, const FrameHead& head, std::span<const std::byte> record) {
  const std::unique_ptr<PendingCall> call(pending_.take(head.call, port.peer()));
  if (call == nullptr) throw RecordError(fmt::format("an answer to call {:#x}, which waits for none", head.call));
  try {
    if (call->action() != head.action) {
      throw RecordError(fmt::format("an answer of action '{}' to a call of '{}'", entries_[head.action].name,
                                    entries_[call->action()].name));
    }
    Reader answer(record);
    if ((head.flags & FrameHead::is_error) != 0) {
      const std::string type = Codec<std::string>::read(answer);
      const std::string text = Codec<std::string>::read(answer);
      answer.end();
      call->fail(std::make_exception_ptr(
          RemoteError(world_.ranks()[number(port.peer())], entries_[head.action].name, type, text)));
    } else {
      call->finish(answer);
    }
  } catch (...) {
    call->fail(std::current_exception());
    throw;
  }
  finished_.fetch_add(1, std::memory_order_relaxed);
}

// ---- objects
// ---------------------------------------------------------------------------------------------------------

std::uint64_t Core::keep(std::shared_ptr<void> object, std::type_index type) {
  const std::lock_guard guard(objects_mutex_);
  objects_.emplace(next_object_, std::pair{std::move(object), type});
  return next_object_++;
}

std::shared_ptr<void> Core::drop(std::uint64_t id) {
  const std::lock_guard guard(objects_mutex_);
  const auto found = objects_.find(id);
  if (found == objects_.end()) return nullptr;
  std::shared_ptr<void> object = std::move(found->second.first);
  objects_.erase(found);
  return object;
}

std::shared_ptr<void> Core::find(std::uint64_t id, std::type_index type) const {
  const std::lock_guard guard(objects_mutex_);
  const auto found = objects_.find(id);
  if (found == objects_.end()) {
    throw ObjectError(fmt::format("{}: object {} is gone, or was never there", comm::describe(world_.own()), id));
  }
  if (found->second.second != type) {
    throw ObjectError(fmt::format("{}: object {} is of another class", comm::describe(world_.own()), id));
  }
  return found->second.first;
}

// ---- polling and ends
// ------------------------------------------------------------------------------------------------

std::size_t Core::poll(std::span<base::Completion> completions) {
  bool is_anything = false;
  for (Peer& peer : peers_) {
    for (Port* const port : {&peer.answers, &peer.calls}) {
      if (port->box().waiting() > 0) port->send_some();
      port->receive();
      is_anything = is_anything || port->is_busy();
    }
  }
  // Where ranks share processors, what this one waits for may need its own.
  fruitless_ = is_anything ? 0 : fruitless_ + 1;
  if (fruitless_ > patience_) comm::yield_processor();
  std::size_t count = 0;
  if (pending_.count() == 0) {
    const std::lock_guard guard(tokens_lock_);
    if (calling_ != base::Token::none && pending_.count() == 0)
      completions[count++] = {.token = std::exchange(calling_, base::Token::none)};
  }
  if (is_ending_.load(std::memory_order_acquire) && listening_ != base::Token::none) {
    completions[count++] = {.token = std::exchange(listening_, base::Token::none)};
  }
  return count;
}

std::string Core::describe(base::Token token) const {
  if (token == listening_) return "actions of other ranks, which need not come";
  const auto any = pending_.find_any();
  if (!any) return "answers of actions";
  const auto& [rank, action] = *any;
  return fmt::format("the answer of action '{}' from {}, one of {} calls", entries_[action].name,
                     comm::describe(world_.ranks()[number(rank)]), pending_.count());
}

std::size_t Core::waiting_bytes() const noexcept {
  std::size_t sum = 0;
  for (const Peer& peer : peers_) sum += peer.calls.box().waiting() + peer.answers.box().waiting();
  return sum;
}

void Core::fail_peer(comm::RankId peer, std::exception_ptr error) noexcept {
  has_failed_.store(true, std::memory_order_relaxed);
  Peer& at = peers_[number(peer)];
  at.calls.fail(error);
  at.answers.fail(error);
  for (PendingCall* const call : pending_.take_all(peer)) {
    const std::unique_ptr<PendingCall> own(call);
    own->fail(error);
  }
}

}  // namespace tacit::actions::detail
