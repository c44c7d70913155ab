// Builds the tasks of phases, and connects the ranks that take part in them.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/exchange/exchange.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "tacit/base/clock.hpp"
#include "tacit/base/error.hpp"
#include "tacit/comm/layout.hpp"
#include "tacit/exchange/detail/phase.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::exchange {

using detail::Described;
using detail::Envelope;
using detail::Incoming;
using detail::Outgoing;
using detail::Peer;
using detail::Phase;
using tasks::AccessMode;
using tasks::StepContext;
using tasks::TaskId;

namespace {

/// Messages by rank, and there by key.
using ByPeer = std::map<comm::RankId, std::vector<const Described*>>;

/// @throws base::PreconditionError if one is named twice, or is with a rank that does not exist; comm::ArgumentError if
///         one is longer than any memory
ByPeer by_peer(const std::vector<Described>& messages, std::string_view phase, std::size_t ranks) {
  ByPeer sorted;
  for (const Described& one : messages) {
    if (number(one.message.peer) >= ranks) {
      throw base::PreconditionError(
          fmt::format("phase '{}' names rank {}, there are {} ranks", phase, number(one.message.peer), ranks));
    }
    static_cast<void>(comm::detail::length_of(one.message.count, one.schema.bytes));
    sorted[one.message.peer].push_back(&one);
  }
  const auto key = [](const Described* one) { return one->message.key; };
  for (auto& [rank, list] : sorted) {
    std::ranges::stable_sort(list, {}, key);
    const auto twice = std::ranges::adjacent_find(list, {}, key);
    if (twice == list.end()) continue;
    throw base::PreconditionError(
        fmt::format("phase '{}' has two messages {} with rank {}", phase, key(*twice), number(rank)));
  }
  return sorted;
}

/// Whether unpacking a message conflicts with packing one.
bool packs_what_it_unpacks(const Messages& messages) {
  std::set<tasks::DatumId> packed;
  for (const Described& one : messages.sent()) {
    for (const tasks::Access& access : std::span<const tasks::Access>(one.accesses)) packed.insert(access.datum);
  }
  return std::ranges::any_of(messages.received(), [&](const Described& one) {
    return std::ranges::any_of(std::span<const tasks::Access>(one.accesses),
                               [&](const tasks::Access& access) { return packed.contains(access.datum); });
  });
}

tasks::Accesses touching(const tasks::Accesses& declared, std::initializer_list<tasks::Access> more) {
  return tasks::Accesses(declared) + std::span<const tasks::Access>(more.begin(), more.size());
}

}  // namespace

std::vector<TaskId> PhaseTasks::all() const {
  std::vector<TaskId> all;
  for (const auto* direction : {&send, &receive}) {
    for (const PeerTasks& peer : *direction) all.insert(all.end(), peer.tasks.begin(), peer.tasks.end());
  }
  return all;
}

class Exchange::Impl {
 public:
  Impl(comm::Communicator& world, const Options& options)
      : world_(world),
        options_(options),
        agreement_(world, options.key + 1, {.slots = options.slots, .envelope_bytes = options.envelope_bytes}) {
    if (options.slots == 0) throw base::PreconditionError("an exchange needs a slot");
  }

  PhaseTasks add(tasks::Graph& graph, std::string_view name, Messages messages, double transfer) {
    if (graph_ != nullptr && graph_ != &graph) throw base::PreconditionError("an exchange has one graph until clear()");
    const std::size_t ranks = world_.size();
    static_cast<void>(by_peer(messages.sent(), name, ranks));  // before anything is changed
    static_cast<void>(by_peer(messages.received(), name, ranks));
    require_free_unpacking(messages, name);
    graph_ = &graph;
    disconnect();
    Phase& phase = phases_.emplace_back();
    phase.name = name;
    phase.messages = std::move(messages);
    kinds_of(name);
    const detail::PhaseLabel label{.name = phase.name, .counted = graph.kind(name, trace::Category::communication)};
    posts_.clear();
    PhaseTasks tasks;
    for (const auto& [rank, list] : by_peer(phase.messages.sent(), name, ranks)) {
      tasks.send.push_back({rank, add_sends(phase, label, peer_of(rank), list)});
    }
    for (const auto& [rank, list] : by_peer(phase.messages.received(), name, ranks)) {
      tasks.receive.push_back({rank, add_receives(phase, peer_of(rank), list, transfer)});
    }
    return tasks;
  }

  void connect() {
    disconnect();
    std::map<std::uint32_t, detail::Lines> lines;
    for (const auto& [rank, peer] : peers_) lines[number(rank)] = peer.lines;
    agreement_.check(lines);
    for (auto& [rank, peer] : peers_) {
      if (is_unused(peer)) continue;
      if (peer.stream.make_room(world_, rank, options_.key, peer.out.needed(), peer.in.needed())) ++connections_;
    }
    for (auto& [rank, peer] : peers_) {
      if (is_unused(peer)) continue;
      peer.stream.open();
      peer.is_connected = true;
    }
    agreement_.end_together();
    is_connected_ = true;
  }

  void time_transfers() {
    if (!is_connected_) throw base::PreconditionError("transfers are timed after connect()");
    constexpr int repeats = 5;  // the first also waits for ranks that are late; of the others the shortest counts
    for (Phase& phase : phases_) {
      for (int i = 0; i < repeats; ++i) time_phase(phase, i > 0);
    }
    for (const auto& [incoming, seconds] : alone_s_) incoming->set_alone_s(seconds);
    alone_s_.clear();
    scratch_ = {};
  }

  void clear() {
    sent_before_ = sent();
    for (auto& [rank, peer] : peers_) {
      peer.out = {};
      peer.in = {};
      peer.arrivals = tasks::DatumId::none;
      peer.lines = {};
      peer.is_connected = false;
    }
    phases_.clear();
    graph_ = nullptr;
    is_connected_ = false;
  }

  [[nodiscard]] std::size_t bytes() const noexcept {
    std::size_t sum = 0;
    for_others([&sum](const Outgoing& envelope) { sum += envelope.envelope().bytes; });
    return sum;
  }
  [[nodiscard]] std::size_t envelopes() const noexcept {
    std::size_t sum = 0;
    for_others([&sum](const Outgoing& /*envelope*/) { ++sum; });
    return sum;
  }
  [[nodiscard]] Sent sent() const noexcept {
    Sent sum = sent_before_;
    for_others([&sum](const Outgoing& envelope) { sum.add(envelope.sent()); });
    return sum;
  }
  [[nodiscard]] std::vector<Sent> sent_by_envelope() const {
    std::vector<Sent> each;
    for_others([&each](const Outgoing& envelope) { each.push_back(envelope.sent()); });
    return each;
  }
  [[nodiscard]] std::size_t connections() const noexcept { return connections_; }
  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    std::size_t sum = 0;
    for (const auto& [rank, peer] : peers_) sum += peer.stream.memory_bytes();
    return sum;
  }

 private:
  struct Kinds {
    tasks::TaskKind send, open, pack, post, arrive, unpack, grant;
  };

  template <class Function>
  void for_others(Function&& function) const {
    for (const Phase& phase : phases_) {
      for (const Outgoing& envelope : phase.out) {
        if (envelope.peer().rank != world_.rank()) function(envelope);
      }
    }
  }

  /// No more envelopes may be under way to a rank than its windows hold, if they wait for what follows them here: where
  /// a phase unpacks to what it also packs from, unpacking waits for all of packing, and packing for the slots that
  /// unpacking at the other rank sets free.
  /// @throws base::PreconditionError
  void require_free_unpacking(const Messages& messages, std::string_view name) const {
    const std::size_t room = std::size_t{options_.slots} * detail::Stream::depth;
    if (!packs_what_it_unpacks(messages)) return;
    for (const auto& [rank, list] : by_peer(messages.sent(), name, world_.size())) {
      const std::size_t envelopes = detail::divide(list, options_.envelope_bytes).size();
      if (envelopes <= room) continue;
      throw base::PreconditionError(fmt::format(
          "phase '{}' sends {} envelopes to rank {}, {} may be under way, and it unpacks to data that it also packs "
          "from: "
          "unpacking would wait for packing, and packing for room; declare data of their own for what is received, or "
          "take {} slots",
          name, envelopes, number(rank), room, (envelopes + detail::Stream::depth - 1) / detail::Stream::depth));
    }
  }

  void disconnect() {
    is_connected_ = false;
    for (auto& [rank, peer] : peers_) peer.is_connected = false;
  }

  static bool is_unused(const Peer& peer) { return peer.out.envelopes == 0 && peer.in.envelopes == 0; }

  /// All of it is what communication costs.
  void kinds_of(std::string_view phase) {
    const auto kind = [&](std::string_view what) {
      return graph_->kind(fmt::format("{} {}", phase, what), trace::Category::communication);
    };
    kinds_ = {.send = kind("send"),
              .open = kind("open"),
              .pack = kind("pack"),
              .post = kind("post"),
              .arrive = kind("arrive"),
              .unpack = kind("unpack"),
              .grant = kind("grant")};
  }

  Peer& peer_of(comm::RankId rank) {
    Peer& peer = peers_[rank];
    peer.rank = rank;
    if (peer.arrivals == tasks::DatumId::none) peer.arrivals = graph_->add_datum();
    return peer;
  }

  /// The next slot of a direction. Its datum keeps envelopes apart that use the same one.
  std::uint32_t next_slot(Peer::Way& way, const Envelope& envelope) {
    way.longest = std::max(way.longest, envelope.bytes);
    const std::uint32_t slot = way.envelopes++ % options_.slots;
    if (slot == way.slots.size()) way.slots.push_back(graph_->add_datum());
    return slot;
  }

  static std::vector<const Described*> messages_of(const Envelope& envelope, std::span<const Described* const> all) {
    std::vector<const Described*> messages;
    for (const Envelope::Piece& piece : envelope.pieces) messages.push_back(all[piece.message]);
    return messages;
  }

  /// What follows by way of the other rank makes it urgent (see add_receives).
  tasks::TaskOptions options_of(const Peer& peer) const { return {.cost = little, .key = number(peer.rank)}; }

  std::vector<TaskId> add_sends(Phase& phase, const detail::PhaseLabel& label, Peer& peer,
                                std::span<const Described* const> list) {
    std::vector<TaskId> tasks;
    for (const Described* one : list) peer.lines.sent.push_back(detail::line_of(phase.name, *one));
    for (Envelope& envelope : detail::divide(list, options_.envelope_bytes)) {
      const std::uint32_t slot = next_slot(peer.out, envelope);
      const std::vector<const Described*> messages = messages_of(envelope, list);
      Outgoing& out = phase.out.emplace_back(world_, peer, label, slot, std::move(envelope), messages);
      add_send(out, messages, peer, peer.out.slots[slot], tasks);
      posts_[peer.rank].push_back(tasks.back());
    }
    return tasks;
  }

  void add_send(Outgoing& out, std::span<const Described* const> messages, const Peer& peer, tasks::DatumId slot,
                std::vector<TaskId>& tasks) {
    const tasks::Access alone{slot, AccessMode::write};
    const tasks::Access shared{slot, AccessMode::read};
    if (messages.size() == 1) {
      tasks.push_back(graph_->add(
          kinds_.send, touching(messages[0]->accesses, {alone}), [&out](StepContext& step) { out.send(step); },
          options_of(peer)));
      return;
    }
    tasks.push_back(graph_->add(
        kinds_.open, {alone}, [&out](StepContext& step) { out.open(step); }, options_of(peer)));
    for (std::size_t i = 0; i < messages.size(); ++i) {
      tasks.push_back(graph_->add(
          kinds_.pack, touching(messages[i]->accesses, {shared}), [&out, i](StepContext& step) { out.pack(step, i); },
          options_of(peer)));
    }
    tasks.push_back(graph_->add(
        kinds_.post, {alone}, [&out](StepContext& step) { out.post(step); }, options_of(peer)));
  }

  std::vector<TaskId> add_receives(Phase& phase, Peer& peer, std::span<const Described* const> list, double transfer) {
    std::vector<TaskId> tasks;
    for (const Described* one : list) peer.lines.received.push_back(detail::line_of(phase.name, *one));
    std::vector<Envelope> envelopes = detail::divide(list, options_.envelope_bytes);
    for (Envelope& envelope : envelopes) {
      const std::uint32_t slot = next_slot(peer.in, envelope);
      const std::vector<const Described*> messages = messages_of(envelope, list);
      const bool is_last = &envelope == &envelopes.back();
      Incoming& in = phase.in.emplace_back(world_, peer, phase.name, slot, std::move(envelope), messages);
      // They arrive one after the other, so that all are as urgent as the last.
      add_receive(in, messages, peer, peer.in.slots[slot], is_last ? transfer : little, tasks);
    }
    // What a rank computes from our message comes back to us sooner or later: sending is as urgent as what follows
    // the arrival of what the other sends.
    const auto posts = posts_.find(peer.rank);
    if (posts != posts_.end()) graph_->expect_after(posts->second, tasks.front());
    return tasks;
  }

  void add_receive(Incoming& in, std::span<const Described* const> messages, const Peer& peer, tasks::DatumId slot,
                   double transfer, std::vector<TaskId>& tasks) {
    const tasks::Access alone{slot, AccessMode::write};
    const tasks::Access shared{slot, AccessMode::read};
    tasks.push_back(graph_->add(kinds_.arrive, {{peer.arrivals, AccessMode::write}, alone},
                                [&in](StepContext& step) { in.arrive(step); },
                                {.cost = transfer, .key = number(peer.rank)}));
    if (messages.size() == 1) {
      tasks.push_back(graph_->add(
          kinds_.unpack, touching(messages[0]->accesses, {alone}),
          [&in](StepContext& step) {
            in.unpack(step, 0);
            in.grant();
          },
          options_of(peer)));
      return;
    }
    for (std::size_t i = 0; i < messages.size(); ++i) {
      tasks.push_back(graph_->add(
          kinds_.unpack, touching(messages[i]->accesses, {shared}), [&in, i](StepContext& step) { in.unpack(step, i); },
          options_of(peer)));
    }
    tasks.push_back(graph_->add(
        kinds_.grant, {alone}, [&in](StepContext& /*step*/) { in.grant(); }, options_of(peer)));
  }

  /// Exchanges the envelopes of a phase, one of each peer at a time, and keeps the shortest time of each.
  void time_phase(Phase& phase, bool counts) {
    std::map<comm::RankId, std::pair<std::vector<Outgoing*>, std::vector<Incoming*>>> of_peer;
    for (Outgoing& out : phase.out) of_peer[out.peer().rank].first.push_back(&out);
    for (Incoming& in : phase.in) of_peer[in.peer().rank].second.push_back(&in);
    std::size_t rounds = 0;
    for (const auto& [rank, both] : of_peer) rounds = std::max({rounds, both.first.size(), both.second.size()});
    for (std::size_t round = 0; round < rounds; ++round) {
      std::vector<Outgoing*> sends;
      std::vector<Incoming*> receives;
      for (const auto& [rank, both] : of_peer) {
        if (round < both.first.size()) sends.push_back(both.first[round]);
        if (round < both.second.size()) receives.push_back(both.second[round]);
      }
      time_round(sends, receives, counts);
    }
  }

  void time_round(std::span<Outgoing* const> sends, std::span<Incoming* const> receives, bool counts) {
    const base::Stopwatch watch;
    for (Outgoing* out : sends) out->post_alone();
    for (Incoming* in : receives) in->take_alone(scratch_);
    for (Outgoing* out : sends) out->wait_alone();
    const double each_s = watch.seconds() / static_cast<double>(std::max<std::size_t>(receives.size(), 1));
    if (!counts) return;
    for (Incoming* in : receives) {
      const auto [kept, is_first] = alone_s_.try_emplace(in, each_s);
      if (!is_first) kept->second = std::min(kept->second, each_s);
    }
  }

  comm::Communicator& world_;
  Options options_;
  detail::Agreement agreement_;
  tasks::Graph* graph_ = nullptr;
  std::map<comm::RankId, Peer> peers_;
  std::deque<Phase> phases_;
  Kinds kinds_{};                                      // of the phase that is being added
  std::map<comm::RankId, std::vector<TaskId>> posts_;  // likewise
  std::map<Incoming*, double> alone_s_;                // while transfers are timed
  std::vector<std::byte> scratch_;                     // likewise
  std::size_t connections_ = 0;
  Sent sent_before_;  // in patterns that were cleared
  bool is_connected_ = false;
};

Exchange::Exchange(comm::Communicator& world, const Options& options) : impl_(std::make_unique<Impl>(world, options)) {}
Exchange::~Exchange() = default;

PhaseTasks Exchange::add(tasks::Graph& graph, std::string_view name, Messages messages, double transfer) {
  return impl_->add(graph, name, std::move(messages), transfer);
}
void Exchange::connect() { impl_->connect(); }
void Exchange::time_transfers() { impl_->time_transfers(); }
void Exchange::clear() { impl_->clear(); }
std::size_t Exchange::bytes() const noexcept { return impl_->bytes(); }
std::size_t Exchange::envelopes() const noexcept { return impl_->envelopes(); }
Sent Exchange::sent() const noexcept { return impl_->sent(); }
std::vector<Sent> Exchange::sent_by_envelope() const { return impl_->sent_by_envelope(); }
std::size_t Exchange::connections() const noexcept { return impl_->connections(); }
std::size_t Exchange::memory_bytes() const noexcept { return impl_->memory_bytes(); }

}  // namespace tacit::exchange
