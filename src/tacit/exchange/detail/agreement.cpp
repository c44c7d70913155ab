// Compares digests, and where they differ the messages themselves.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/exchange/detail/agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "tacit/base/error.hpp"
#include "tacit/comm/connection.hpp"
#include "tacit/comm/error.hpp"
#include "tacit/comm/window.hpp"

namespace tacit::exchange::detail {
namespace {

template <std::size_t N>
void copy_begin(std::string_view text, std::array<char, N>& to) {
  std::ranges::copy(text.substr(0, N - 1), to.begin());
}

std::uint64_t hash_of(const std::vector<Line>& lines) {
  base::detail::TypeHash hash;
  for (const Line& line : lines) {
    for (const std::uint64_t number : {line.phase_hash, line.schema, line.count, line.key, line.is_variable}) {
      hash.add(number);
    }
  }
  return hash.value();
}

/// "message 3 of phase 'halo': 12 of float64"
std::string in_words(const Line& line) {
  return fmt::format("message {} of phase '{}': {}{} of {} (schema {:016x})", line.key, line.phase.data(),
                     line.is_variable != 0 ? "up to " : "", line.count, line.type.data(), line.schema);
}

std::string in_words(std::span<const Line> lines, std::size_t index) {
  if (index < lines.size()) return in_words(lines[index]);
  return index == 0 ? "no message" : fmt::format("no message {}", index + 1);
}

/// @throws comm::MismatchError if they differ
void compare(const comm::RankInfo& sender, std::span<const Line> sent, const comm::RankInfo& receiver,
             std::span<const Line> received) {
  for (std::size_t i = 0; i < std::max(sent.size(), received.size()); ++i) {
    if (i < sent.size() && i < received.size() && sent[i] == received[i]) continue;
    throw comm::MismatchError(fmt::format("{} sends {}, {} expects {}", comm::describe(sender), in_words(sent, i),
                                          comm::describe(receiver), in_words(received, i)));
  }
}

/// The lists of messages that this rank and another one give each other.
class Lists {
 public:
  /// @param sent, received  how many messages the other says that it sends and expects
  Lists(comm::Communicator& world, comm::RankId peer, std::uint32_t key, const Lines& mine, std::size_t sent,
        std::size_t received)
      : mine_(mine),
        connection_(world, {.rank = peer, .key = key}),
        out_(connection_, mine.sent.size() + mine.received.size() + 1),  // + 1: a window has room for something
        in_(connection_, sent + received + 1),
        sent_(sent) {}
  void start() {
    in_.init();
    std::ranges::copy(mine_.received, std::ranges::copy(mine_.sent, out_.data().begin()).out);
    out_.post(mine_.sent.size() + mine_.received.size());
  }
  /// What the other sends, and then what it expects.
  std::pair<std::vector<Line>, std::vector<Line>> finish() {
    const std::span<Line> all = in_.wait();
    out_.wait();
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(sent_);
    return {{all.begin(), middle}, {middle, all.end()}};
  }

 private:
  const Lines& mine_;
  comm::Connection connection_;
  comm::SendWindow<Line> out_;
  comm::RecvWindow<Line> in_;
  std::size_t sent_;
};

}  // namespace

Line line_of(std::string_view phase, const Described& message) {
  base::detail::TypeHash hash;
  hash.add(phase);
  Line line{.phase_hash = hash.value(),
            .schema = message.schema.hash,
            .count = message.message.count,
            .key = message.message.key,
            .is_variable = message.message.length == Length::variable ? 1U : 0U};
  copy_begin(phase, line.phase);
  copy_begin(message.schema.name, line.type);
  return line;
}

Agreement::Agreement(comm::Communicator& world, std::uint32_t key, const Settings& settings)
    : world_(world), key_(key), settings_(settings) {
  if (world.size() > 1) exchange_.emplace(world, 1);
}

Agreement::Digest Agreement::digest_of(const Lines& lines) const {
  return {.sent = hash_of(lines.sent),
          .received = hash_of(lines.received),
          .count_sent = lines.sent.size(),
          .count_received = lines.received.size(),
          .settings = settings_};
}

void Agreement::end_together() {
  if (exchange_) exchange_->run();
}

/// Gives each rank its digest. @return what each has given this one
std::vector<Agreement::Digest> Agreement::swap(const std::vector<Digest>& mine) {
  if (!exchange_) return mine;
  std::ranges::copy(mine, exchange_->input().begin());
  exchange_->run();
  return {exchange_->output().begin(), exchange_->output().end()};
}

void Agreement::check(const std::map<std::uint32_t, Lines>& lines) {
  std::vector<Digest> mine(world_.size(), digest_of({}));
  for (const auto& [rank, list] : lines) mine[rank] = digest_of(list);
  const std::vector<Digest> theirs = swap(mine);
  compare_settings(theirs);
  bool differs = false;
  for (std::size_t rank = 0; rank < mine.size(); ++rank) differs |= !agree(mine[rank], theirs[rank]);
  // Ranks that agree with all theirs must hear of it, too: they would wait for those that throw.
  const std::vector<Digest> verdicts = swap(std::vector<Digest>(world_.size(), {.sent = differs ? 1U : 0U}));
  if (differs) tell_differences(lines, theirs);
  const auto found = std::ranges::find_if(verdicts, [](const Digest& verdict) { return verdict.sent != 0; });
  if (found == verdicts.end()) return;
  const auto other = static_cast<std::size_t>(found - verdicts.begin());
  throw comm::MismatchError(fmt::format("{}: {} and another rank have described different messages; they say which",
                                        comm::describe(world_.own()), comm::describe(world_.ranks()[other])));
}

void Agreement::compare_settings(const std::vector<Digest>& theirs) const {
  const auto differs = [this](const Digest& digest) { return digest.settings != settings_; };
  const auto found = std::ranges::find_if(theirs, differs);
  if (found == theirs.end()) return;
  const auto other = static_cast<std::uint32_t>(found - theirs.begin());
  const bool is_first = number(world_.rank()) < other;
  const auto& [slots, bytes] = is_first ? settings_ : found->settings;
  const auto& [other_slots, other_bytes] = is_first ? found->settings : settings_;
  const std::string own = comm::describe(world_.own());
  const std::string theirs_name = comm::describe(world_.ranks()[other]);
  throw comm::MismatchError(
      fmt::format("{} has an exchange with {} slots and envelopes of {} B, {} with {} slots and envelopes of {} B",
                  is_first ? own : theirs_name, slots, bytes, is_first ? theirs_name : own, other_slots, other_bytes));
}

void Agreement::tell_differences(const std::map<std::uint32_t, Lines>& lines, const std::vector<Digest>& theirs) {
  const Lines none;
  const auto of = [&](std::uint32_t rank) -> const Lines& {
    const auto found = lines.find(rank);
    return found == lines.end() ? none : found->second;
  };
  const std::uint32_t own = number(world_.rank());
  std::map<std::uint32_t, std::unique_ptr<Lists>> lists;
  for (std::uint32_t rank = 0; rank < world_.size(); ++rank) {
    if (rank == own || agree(digest_of(of(rank)), theirs[rank])) continue;
    lists[rank] = std::make_unique<Lists>(world_, comm::RankId{rank}, key_, of(rank), theirs[rank].count_sent,
                                          theirs[rank].count_received);
  }
  // All of them before one is compared, which throws: every other rank that differs gets its list, too.
  for (auto& [rank, list] : lists) list->start();
  std::map<std::uint32_t, std::pair<std::vector<Line>, std::vector<Line>>> others;
  for (auto& [rank, list] : lists) others[rank] = list->finish();
  for (const auto& [rank, other] : others) {
    const auto& [sent, received] = other;
    compare(world_.own(), of(rank).sent, world_.ranks()[rank], received);
    compare(world_.ranks()[rank], sent, world_.own(), of(rank).received);
  }
  compare(world_.own(), of(own).sent, world_.own(), of(own).received);
  throw base::Error(
      fmt::format("{}: lists of messages have other digests, and do not differ", comm::describe(world_.own())));
}

}  // namespace tacit::exchange::detail
