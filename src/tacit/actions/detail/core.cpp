// Set-up of ports, calls that come and go, and the end of everything.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/actions/detail/core.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <thread>

#include "tacit/comm/backoff.hpp"
#include "tacit/comm/error.hpp"

namespace tacit::actions::detail {

Core::Core(Actions& actions, comm::Communicator& world, tasks::Scheduler& scheduler, const Table& table,
           const Options& options)
    : actions_(actions),
      world_(world),
      scheduler_(scheduler),
      options_(options),
      entries_(with_own_actions(table)),
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

std::uint16_t Core::action(std::uint32_t function, std::string_view use) const {
  if (function >= by_function_.size() || by_function_[function] < 0)
    throw base::PreconditionError(fmt::format("{} not in the table of actions", use));
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
  if (pending_.count() == 1) await_answers();
  return number;
}

void Core::expect_value() {
  if (channels_.count_waiting(1) == 1) await_answers();
}

/// So that idle workers count as waiting.
void Core::await_answers() {
  const std::lock_guard guard(tokens_lock_);
  if (calling_ == base::Token::none) calling_ = scheduler_.expect(*this, caller_);
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
  std::size_t count = channels_.take(completions.first(completions.size() - 2));  // and two more
  const auto is_awaited = [this] { return pending_.count() > 0 || channels_.waiting() > 0; };
  if (!is_awaited()) {
    const std::lock_guard guard(tokens_lock_);
    if (calling_ != base::Token::none && !is_awaited())
      completions[count++] = {.token = std::exchange(calling_, base::Token::none)};
  }
  if (is_ending_.load(std::memory_order_acquire) && listening_ != base::Token::none) {
    completions[count++] = {.token = std::exchange(listening_, base::Token::none)};
  }
  return count;
}

std::string Core::describe(base::Token token) const {
  if (token == listening_) return "actions of other ranks, which need not come";
  if (auto value = channels_.describe(token == calling_ ? base::Token::none : token)) return *value;
  const auto any = pending_.find_any();
  if (!any) return "answers of actions";
  const std::string object = any->object == 0 ? "" : " of " + name_of_object(any->object);
  return fmt::format("the answer of action '{}'{} from {}, one of {} calls", entries_[any->action].name, object,
                     comm::describe(world_.ranks()[number(any->to)]), pending_.count());
}

std::string Core::explain(const base::Completion& completion) const {
  if (const std::exception_ptr error = channels_.error()) return thrown_by(error).text;
  return base::CompletionSource::explain(completion);
}

std::size_t Core::waiting_bytes() const noexcept {
  std::size_t sum = 0;
  for (const Peer& peer : peers_) sum += peer.calls.box().waiting() + peer.answers.box().waiting();
  return sum;
}

void Core::flush() {
  scheduler_.work_until([this] {
    return std::ranges::all_of(peers_,
                               [](Peer& peer) { return peer.calls.has_sent_all() && peer.answers.has_sent_all(); });
  });
}

void Core::fail_peer(comm::RankId peer, std::exception_ptr error) noexcept {
  has_failed_.store(true, std::memory_order_relaxed);
  Peer& at = peers_[number(peer)];
  at.calls.fail(error);
  at.answers.fail(error);
  channels_.fail(error);
  for (PendingCall* const call : pending_.take_all(peer)) {
    const std::unique_ptr<PendingCall> own(call);
    own->fail(error);
  }
}

}  // namespace tacit::actions::detail
