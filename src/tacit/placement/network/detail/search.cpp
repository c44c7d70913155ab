// Local search for a placement: nodes are swapped while the links become less busy.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "tacit/base/random.hpp"
#include "tacit/placement/network/detail/machine.hpp"
#include "tacit/placement/network/detail/slots.hpp"

namespace tacit::placement::network::detail {
namespace {

/// Numbers looked at in one search at most: about ten seconds.
constexpr double budget = 1e9;

/// Gains below this fraction are rounding errors.
constexpr double rounding = 1e-12;

/// The times of all links of one exchange; knows the largest, and forgets changes that are not kept.
class LinkTimes {
 public:
  LinkTimes(std::span<const double> loads, std::span<const double> free)
      : free_(free), loads_(loads.begin(), loads.end()) {
    while (leaves_ < loads.size()) leaves_ *= 2;
    tree_.assign(2 * leaves_, 0.0);
    for (std::size_t link = 0; link < loads.size(); ++link) {
      tree_[leaves_ + link] = loads[link] / free[link];
      sum_ += tree_[leaves_ + link];
    }
    for (std::size_t i = leaves_; i-- > 1;) tree_[i] = std::max(tree_[2 * i], tree_[2 * i + 1]);
    is_touched_.assign(loads.size(), false);
  }

  void add(LinkId link, double bytes) {
    const std::uint32_t i = number(link);
    if (!is_touched_[i]) {
      is_touched_[i] = true;
      before_.emplace_back(i, loads_[i]);
    }
    loads_[i] += bytes;
  }
  /// Makes largest() and sum() those of the changed loads.
  void settle() {
    for (const auto& [link, load] : before_) set(link);
  }
  void keep() { forget(); }
  void undo() {
    for (const auto& [link, load] : before_) {
      loads_[link] = load;
      set(link);
    }
    forget();
  }
  [[nodiscard]] double largest() const { return tree_[1]; }
  [[nodiscard]] double sum() const { return sum_; }

 private:
  /// Puts a link's time into the tree of largest ones, up to where it makes no difference.
  void set(std::uint32_t link) {
    std::size_t i = leaves_ + link;
    const double seconds = loads_[link] / free_[link];
    sum_ += seconds - tree_[i];
    tree_[i] = seconds;
    for (i /= 2; i > 0; i /= 2) {
      const double largest = std::max(tree_[2 * i], tree_[2 * i + 1]);
      if (largest == tree_[i]) break;
      tree_[i] = largest;
    }
  }
  void forget() {
    for (const auto& [link, load] : before_) is_touched_[link] = false;
    before_.clear();
  }

  std::span<const double> free_;
  std::vector<double> loads_;
  std::size_t leaves_ = 2;
  std::vector<double> tree_;  // tree_[i]: the larger of its children 2 i and 2 i + 1
  double sum_ = 0.0;
  std::vector<bool> is_touched_;
  std::vector<std::pair<std::uint32_t, double>> before_;
};

struct Partner {
  std::uint32_t slot = 0;
  double out = 0.0;
  double in = 0.0;
};

/// What each slot sends to and gets from others in one exchange.
struct SlotTraffic {
  std::vector<std::vector<Partner>> partners;                        // by slot: from messages
  std::vector<ExchangeSet> sets;                                     // "routers" are slots
  std::vector<std::vector<std::pair<std::size_t, double>>> sets_of;  // by slot: set, weight
};

/// Whether all nodes of the job do the same, so that swaps change nothing.
bool is_even(const ExchangeSet& set, std::size_t nodes) {
  return set.members.size() == nodes && std::all_of(set.members.begin(), set.members.end(), [&](const Member& member) {
           return member.weight == set.members.front().weight;
         });
}

SlotTraffic by_slot(const Traffic& traffic, std::size_t slots, std::size_t nodes) {
  SlotTraffic by{
      std::vector<std::vector<Partner>>(slots), {}, std::vector<std::vector<std::pair<std::size_t, double>>>(slots)};
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<double, double>> pairs;
  for (const Flow& flow : traffic.flows) {
    const std::uint32_t low = std::min(number(flow.from), number(flow.to));
    const std::uint32_t high = std::max(number(flow.from), number(flow.to));
    auto& [up, down] = pairs[{low, high}];
    (number(flow.from) == low ? up : down) += flow.bytes;
  }
  for (const auto& [ends, bytes] : pairs) {
    by.partners[ends.first].push_back({ends.second, bytes.first, bytes.second});
    by.partners[ends.second].push_back({ends.first, bytes.second, bytes.first});
  }
  for (const ExchangeSet& set : traffic.sets) {
    if (is_even(set, nodes)) continue;
    for (const Member& member : set.members)
      by.sets_of[number(member.router)].emplace_back(by.sets.size(), member.weight);
    by.sets.push_back(set);
  }
  return by;
}

/// A search in progress.
class Search {
 public:
  Search(const Machine& machine, const Job& job, const Slots& slots, std::vector<NodeId>& nodes);
  /// Swaps the nodes of two places where that helps; places beyond the slots are nodes left over.
  void try_swap(std::size_t i, std::size_t j);
  /// Numbers that one try looks at, in the mean.
  [[nodiscard]] double cost() const;

 private:
  void move(std::size_t slot, double sign, std::size_t other);
  void add(std::size_t exchange, std::size_t from, std::size_t to, double bytes);
  [[nodiscard]] bool is_alike(const ExchangeSet& set, std::size_t other, double weight) const;

  const Machine& machine_;
  std::size_t slots_;
  std::vector<NodeId>& nodes_;
  std::vector<SlotTraffic> traffic_;  // by exchange
  std::vector<LinkTimes> times_;      // by exchange
  std::vector<Part> parts_;
};

/// The job's exchanges between slots: as if each slot were a node on a separate router.
std::vector<Exchange> between_slots(const Job& job, const Slots& slots) {
  Network each;
  Graph graph{static_cast<std::uint32_t>(slots.count), {}, {}};
  for (std::uint32_t slot = 0; slot < slots.count; ++slot) graph.router_of_node.push_back(RouterId{slot});
  each.shape = std::move(graph);
  Placement placement;
  for (const std::uint32_t slot : slots.of_rank) placement.push_back(NodeId{slot});
  return exchanges(each, job, placement);
}

Search::Search(const Machine& machine, const Job& job, const Slots& slots, std::vector<NodeId>& nodes)
    : machine_(machine), slots_(slots.count), nodes_(nodes) {
  Placement placement;
  for (const std::uint32_t slot : slots.of_rank) placement.push_back(nodes[slot]);
  for (const Exchange& exchange : between_slots(job, slots)) {
    traffic_.push_back(by_slot(exchange.traffic, slots.count, nodes.size()));
  }
  for (const Exchange& exchange : exchanges(machine.network, job, placement)) {
    std::vector<double> loads(machine.fabric->link_count(), 0.0);
    machine.fabric->add(exchange.traffic, loads);
    times_.emplace_back(loads, machine.free);
  }
}

double Search::cost() const {
  double pairs = 0.0;
  for (const SlotTraffic& traffic : traffic_) {
    for (const auto& partners : traffic.partners) pairs += static_cast<double>(partners.size());
    for (const ExchangeSet& set : traffic.sets) {
      pairs += static_cast<double>(set.members.size()) * static_cast<double>(set.members.size());
    }
  }
  // Two slots, their ways before and after, in both directions.
  return 8.0 * pairs / static_cast<double>(slots_) * machine_.fabric->route_cost();
}

void Search::add(std::size_t exchange, std::size_t from, std::size_t to, double bytes) {
  if (bytes == 0.0) return;
  machine_.fabric->route(router_of(machine_.network, nodes_[from]), router_of(machine_.network, nodes_[to]), parts_);
  for (const Part& part : parts_) times_[exchange].add(part.link, part.share * bytes);
}

/// Whether the slot `other` does the same in a set, so that a swap with it changes nothing there.
bool Search::is_alike(const ExchangeSet& set, std::size_t other, double weight) const {
  const auto found =
      std::lower_bound(set.members.begin(), set.members.end(), other,
                       [](const Member& member, std::size_t slot) { return number(member.router) < slot; });
  return found != set.members.end() && number(found->router) == other && found->weight == weight;
}

/// Adds (sign 1) or takes away (sign -1) all traffic of a slot, but for that with `other` where other < slot: it
/// belongs to the other one's.
void Search::move(std::size_t slot, double sign, std::size_t other) {
  if (slot >= slots_) return;
  for (std::size_t e = 0; e < traffic_.size(); ++e) {
    for (const Partner& partner : traffic_[e].partners[slot]) {
      if (partner.slot == other && other < slot) continue;
      add(e, slot, partner.slot, sign * partner.out);
      add(e, partner.slot, slot, sign * partner.in);
    }
    for (const auto& [index, weight] : traffic_[e].sets_of[slot]) {
      const ExchangeSet& set = traffic_[e].sets[index];
      if (is_alike(set, other, weight)) continue;
      for (const Member& member : set.members) {
        const std::size_t to = number(member.router);
        if (to == slot || (to == other && other < slot)) continue;
        add(e, slot, to, sign * weight * member.weight * set.bytes);
        add(e, to, slot, sign * weight * member.weight * set.bytes);
      }
    }
  }
}

void Search::try_swap(std::size_t i, std::size_t j) {
  if (i == j || (i >= slots_ && j >= slots_)) return;
  const auto total = [this](auto&& of) {
    return std::accumulate(times_.begin(), times_.end(), 0.0,
                           [&](double sum, const LinkTimes& times) { return sum + of(times); });
  };
  const auto largest = [](const LinkTimes& times) { return times.largest(); };
  const auto sum = [](const LinkTimes& times) { return times.sum(); };
  const double largest_before = total(largest);
  const double sum_before = total(sum);
  move(i, -1.0, j);
  move(j, -1.0, i);
  std::swap(nodes_[i], nodes_[j]);
  move(i, 1.0, j);
  move(j, 1.0, i);
  for (LinkTimes& times : times_) times.settle();
  const bool is_less_busy = total(largest) < largest_before * (1.0 - rounding);
  const bool is_no_busier = total(largest) <= largest_before * (1.0 + rounding);
  const bool is_better = is_less_busy || (is_no_busier && total(sum) < sum_before * (1.0 - rounding));
  if (!is_better) std::swap(nodes_[i], nodes_[j]);
  for (LinkTimes& times : times_) is_better ? times.keep() : times.undo();
}

}  // namespace

std::size_t improve(const Network& network, const Job& job, const Slots& slots, const PlacementOptions& options,
                    std::vector<NodeId>& nodes) {
  const Machine machine(network);
  Search search(machine, job, slots, nodes);
  const double cost = search.cost();
  if (cost == 0.0) return 0;  // all nodes do the same: any order is as good
  const auto tries = std::min(options.swaps, static_cast<std::size_t>(budget / cost));
  const auto pick = [&](std::size_t most, std::size_t attempt, std::uint64_t draw) {
    return static_cast<std::size_t>(base::uniform(options.seed, attempt, draw) * static_cast<double>(most));
  };
  for (std::size_t attempt = 0; attempt < tries; ++attempt) {
    search.try_swap(pick(slots.count, attempt, 0), pick(nodes.size(), attempt, 1));
  }
  return tries;
}

}  // namespace tacit::placement::network::detail
