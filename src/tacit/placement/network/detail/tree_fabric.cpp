// The links of a fat tree: what leaves each subtree goes up, what enters it comes down.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/placement/network/fabric.hpp"

namespace tacit::placement::network::detail {
namespace {

/// Links: first[level] + 2 switch goes up from a switch of that level, the next number comes down to it.
class TreeFabric final : public Fabric {
 public:
  explicit TreeFabric(const FatTree& tree) : tree_(tree), span_(tree.levels.size(), 1), first_(tree.levels.size(), 0) {
    for (std::size_t level = 1; level < levels(); ++level) {
      span_[level] = span_[level - 1] * tree.levels[level].children;
    }
    for (std::size_t level = 0; level + 1 < levels(); ++level) {
      first_[level + 1] = first_[level] + 2 * (span_.back() / span_[level]);
    }
  }

  [[nodiscard]] std::size_t link_count() const override { return first_.back(); }
  [[nodiscard]] double bandwidth(LinkId link) const override { return tree_.levels[level_of(link)].uplink_bandwidth; }
  [[nodiscard]] std::optional<std::array<RouterId, 2>> ends(LinkId) const override { return std::nullopt; }
  [[nodiscard]] std::string name(LinkId link) const override {
    const std::size_t level = level_of(link);
    const std::size_t place = number(link) - first_[level];
    return std::string(place % 2 == 0 ? "up from" : "down to") + " switch " + std::to_string(place / 2) + " of level " +
           std::to_string(level);
  }
  void add(const Traffic& traffic, std::span<double> loads) const override;
  void route(RouterId from, RouterId to, std::vector<Part>& parts) const override;
  [[nodiscard]] std::uint32_t longest_path() const override { return static_cast<std::uint32_t>(2 * (levels() - 1)); }
  [[nodiscard]] double route_cost() const override { return 2.0 * static_cast<double>(levels()); }

 private:
  [[nodiscard]] std::size_t levels() const { return tree_.levels.size(); }
  [[nodiscard]] std::size_t level_of(LinkId link) const {
    std::size_t level = 0;
    while (level + 2 < levels() && number(link) >= first_[level + 1]) ++level;
    return level;
  }
  [[nodiscard]] std::size_t up_from(std::size_t level, RouterId leaf) const {
    return first_[level] + 2 * (number(leaf) / span_[level]);
  }
  void add_set(const ExchangeSet& set, std::span<double> loads) const;

  FatTree tree_;
  std::vector<std::size_t> span_;   // leaf switches below a switch of each level
  std::vector<std::size_t> first_;  // number of the first link of each level
};

/// Of an all-to-all w_a w_b, a subtree that holds the weight s of W in all sends and receives s (W - s).
void TreeFabric::add_set(const ExchangeSet& set, std::span<double> loads) const {
  double all = 0.0;
  for (const Member& member : set.members) all += member.weight;
  for (std::size_t level = 0; level + 1 < levels(); ++level) {
    for (std::size_t i = 0; i < set.members.size();) {  // members ascend, so those of a subtree lie next to each other
      const std::size_t up = up_from(level, set.members[i].router);
      double inside = 0.0;
      for (; i < set.members.size() && up_from(level, set.members[i].router) == up; ++i) {
        inside += set.members[i].weight;
      }
      loads[up] += inside * (all - inside) * set.bytes;
      loads[up + 1] += inside * (all - inside) * set.bytes;
    }
  }
}

void TreeFabric::add(const Traffic& traffic, std::span<double> loads) const {
  for (const ExchangeSet& set : traffic.sets) add_set(set, loads);
  std::vector<Part> parts;
  for (const Flow& flow : traffic.flows) {
    route(flow.from, flow.to, parts);
    for (const Part& part : parts) loads[number(part.link)] += flow.bytes;
  }
}

void TreeFabric::route(RouterId from, RouterId to, std::vector<Part>& parts) const {
  parts.clear();
  for (std::size_t level = 0; level + 1 < levels() && up_from(level, from) != up_from(level, to); ++level) {
    parts.push_back({LinkId{static_cast<std::uint32_t>(up_from(level, from))}, 1.0});
    parts.push_back({LinkId{static_cast<std::uint32_t>(up_from(level, to) + 1)}, 1.0});
  }
}

}  // namespace

std::unique_ptr<const Fabric> make_tree(const FatTree& tree) { return std::make_unique<const TreeFabric>(tree); }

}  // namespace tacit::placement::network::detail
