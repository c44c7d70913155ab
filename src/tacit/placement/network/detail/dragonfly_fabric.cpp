// The links of a dragonfly under minimal and Valiant routing: loads by counting between groups.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/placement/network/fabric.hpp"

namespace tacit::placement::network::detail {
namespace {

/// Bytes between groups, and what each router has in them: shapes (groups, groups) and (routers, groups).
struct Between {
  Between(std::size_t groups, std::size_t routers)
      : flow(groups * groups, 0.0), out(routers * groups, 0.0), in(routers * groups, 0.0) {}
  std::vector<double> flow;  // from group to group
  std::vector<double> out;   // from router to another group
  std::vector<double> in;    // to router from another group
};

class DragonflyFabric final : public Fabric {
 public:
  explicit DragonflyFabric(const Dragonfly& fly)
      : fly_(fly),
        G_(fly.groups),
        a_(fly.routers_per_group),
        L_(fly.groups > 1 ? fly.global_links : 0),
        per_router_(((G_ - 1) * L_ + a_ - 1) / a_) {}

  [[nodiscard]] std::size_t link_count() const override { return G_ * a_ * a_ + G_ * G_ * L_; }
  [[nodiscard]] double bandwidth(LinkId link) const override {
    return number(link) < G_ * a_ * a_ ? fly_.local_bandwidth : fly_.global_bandwidth;
  }
  [[nodiscard]] std::optional<std::array<RouterId, 2>> ends(LinkId link) const override;
  [[nodiscard]] std::string name(LinkId link) const override;
  void add(const Traffic& traffic, std::span<double> loads) const override;
  void route(RouterId from, RouterId to, std::vector<Part>& parts) const override;
  [[nodiscard]] std::uint32_t longest_path() const override {
    if (G_ == 1) return 1;
    return is_valiant() ? 5 : 3;
  }
  [[nodiscard]] double route_cost() const override {
    const double links = static_cast<double>(L_);
    return is_valiant() ? 3.0 * links * links * static_cast<double>(G_) : 3.0 * links + 1.0;
  }

 private:
  [[nodiscard]] bool is_valiant() const { return fly_.routing == DragonflyRouting::valiant && G_ > 2; }
  [[nodiscard]] std::size_t group(RouterId router) const { return number(router) / a_; }
  [[nodiscard]] std::size_t local(std::size_t group, std::size_t from, std::size_t to) const {
    return (group * a_ + from) * a_ + to;
  }
  [[nodiscard]] std::size_t global(std::size_t from, std::size_t to, std::size_t l) const {
    return G_ * a_ * a_ + (from * G_ + to) * L_ + l;
  }
  /// The place in its group of the router that has link l from `group` to the group `other`.
  [[nodiscard]] std::size_t gateway(std::size_t group, std::size_t other, std::size_t l) const {
    const std::size_t peer = other < group ? other : other - 1;
    return (peer * L_ + l) / per_router_;
  }
  void add_flow(const Flow& flow, Between& between, std::span<double> loads) const;
  void add_set(const ExchangeSet& set, Between& between, std::span<double> loads) const;
  [[nodiscard]] Between legs_of_valiant(const Between& between, std::span<double> loads) const;
  void spread(const Between& between, std::span<double> loads) const;
  void add_middle(std::size_t from, std::size_t by, std::size_t to, double bytes, std::span<double> loads) const;
  void push_middle(std::size_t from, std::size_t by, std::size_t to, double share, std::vector<Part>& parts) const;
  void push_local(std::size_t group, std::size_t from, std::size_t to, double share, std::vector<Part>& parts) const {
    if (from != to) parts.push_back({LinkId{static_cast<std::uint32_t>(local(group, from, to))}, share});
  }

  Dragonfly fly_;
  std::size_t G_, a_, L_;   // groups, routers of a group, links between two groups
  std::size_t per_router_;  // links to other groups of one router
};

std::optional<std::array<RouterId, 2>> DragonflyFabric::ends(LinkId link) const {
  const auto router = [this](std::size_t group, std::size_t place) {
    return RouterId{static_cast<std::uint32_t>(group * a_ + place)};
  };
  const std::size_t locals = G_ * a_ * a_;
  if (number(link) < locals) {
    const std::size_t from = number(link) / a_;
    const std::size_t to = number(link) % a_;
    if (from % a_ == to) return std::nullopt;
    return std::array<RouterId, 2>{router(0, from), router(from / a_, to)};
  }
  const std::size_t l = (number(link) - locals) % L_;
  const std::size_t pair = (number(link) - locals) / L_;
  const std::size_t from = pair / G_;
  const std::size_t to = pair % G_;
  if (from == to) return std::nullopt;
  return std::array<RouterId, 2>{router(from, gateway(from, to, l)), router(to, gateway(to, from, l))};
}

std::string DragonflyFabric::name(LinkId link) const {
  const auto both = ends(link);
  if (!both) return "no link";
  const auto text = [this](RouterId router) {
    return std::to_string(group(router)) + "." + std::to_string(number(router) % a_);
  };
  const std::string kind = number(link) < G_ * a_ * a_ ? "local " : "global ";
  return kind + text((*both)[0]) + " -> " + text((*both)[1]);
}

void DragonflyFabric::add_flow(const Flow& flow, Between& between, std::span<double> loads) const {
  const std::size_t from = group(flow.from);
  const std::size_t to = group(flow.to);
  if (from == to) {
    if (flow.from != flow.to) loads[local(from, number(flow.from) % a_, number(flow.to) % a_)] += flow.bytes;
    return;
  }
  between.flow[from * G_ + to] += flow.bytes;
  between.out[number(flow.from) * G_ + to] += flow.bytes;
  between.in[number(flow.to) * G_ + from] += flow.bytes;
}

void DragonflyFabric::add_set(const ExchangeSet& set, Between& between, std::span<double> loads) const {
  std::vector<double> sums(G_, 0.0);
  for (const Member& member : set.members) sums[group(member.router)] += member.weight;
  for (std::size_t g = 0; g < G_; ++g) {
    for (std::size_t h = 0; h < G_; ++h) {
      if (g != h) between.flow[g * G_ + h] += sums[g] * sums[h] * set.bytes;
    }
  }
  for (const Member& member : set.members) {
    for (std::size_t g = 0; g < G_; ++g) {
      if (g == group(member.router)) continue;
      between.out[number(member.router) * G_ + g] += member.weight * sums[g] * set.bytes;
      between.in[number(member.router) * G_ + g] += member.weight * sums[g] * set.bytes;
    }
  }
  // Inside a group pairs are few. Members ascend, so those of a group lie next to each other.
  for (std::size_t i = 0; i < set.members.size(); ++i) {
    const auto& [from, weight] = set.members[i];
    for (std::size_t j = i + 1; j < set.members.size() && group(set.members[j].router) == group(from); ++j) {
      const std::size_t to = number(set.members[j].router) % a_;
      const double bytes = weight * set.members[j].weight * set.bytes;
      loads[local(group(from), number(from) % a_, to)] += bytes;
      loads[local(group(from), to, number(from) % a_)] += bytes;
    }
  }
}

/// Spreads what goes straight from group to group over the links between them, and over the paths to and from these.
void DragonflyFabric::spread(const Between& between, std::span<double> loads) const {
  const double each = 1.0 / static_cast<double>(L_);
  for (std::size_t g = 0; g < G_; ++g) {
    for (std::size_t h = 0; h < G_; ++h) {
      for (std::size_t l = 0; g != h && l < L_; ++l) {
        loads[global(g, h, l)] += each * between.flow[g * G_ + h];
        const std::size_t exit = gateway(g, h, l);
        const std::size_t entry = gateway(h, g, l);
        for (std::size_t r = 0; r < a_; ++r) {
          if (r != exit) loads[local(g, r, exit)] += each * between.out[(g * a_ + r) * G_ + h];
          if (r != entry) loads[local(h, entry, r)] += each * between.in[(h * a_ + r) * G_ + g];
        }
      }
    }
  }
}

/// Adds what crosses a group on its way between two others.
void DragonflyFabric::add_middle(std::size_t from, std::size_t by, std::size_t to, double bytes,
                                 std::span<double> loads) const {
  const double each = bytes / static_cast<double>(L_ * L_);
  for (std::size_t l = 0; l < L_; ++l) {
    for (std::size_t k = 0; k < L_; ++k) {
      const std::size_t entry = gateway(by, from, l);
      const std::size_t exit = gateway(by, to, k);
      if (entry != exit) loads[local(by, entry, exit)] += each;
    }
  }
}

/// The two legs, to the group in the middle and from it, as traffic of their own; adds what crosses middle groups.
Between DragonflyFabric::legs_of_valiant(const Between& between, std::span<double> loads) const {
  Between legs(G_, G_ * a_);
  const double each = 1.0 / static_cast<double>(G_ - 2);
  for (std::size_t g = 0; g < G_; ++g) {
    for (std::size_t h = 0; h < G_; ++h) {
      const double bytes = each * between.flow[g * G_ + h];
      for (std::size_t by = 0; bytes > 0.0 && by < G_; ++by) {
        if (by == g || by == h) continue;
        legs.flow[g * G_ + by] += bytes;
        legs.flow[by * G_ + h] += bytes;
        add_middle(g, by, h, bytes, loads);
      }
    }
  }
  for (std::size_t router = 0; router < G_ * a_; ++router) {
    double out = 0.0;
    double in = 0.0;
    for (std::size_t g = 0; g < G_; ++g) {
      out += between.out[router * G_ + g];
      in += between.in[router * G_ + g];
    }
    for (std::size_t g = 0; g < G_; ++g) {
      if (g == router / a_) continue;
      legs.out[router * G_ + g] = each * (out - between.out[router * G_ + g]);
      legs.in[router * G_ + g] = each * (in - between.in[router * G_ + g]);
    }
  }
  return legs;
}

void DragonflyFabric::add(const Traffic& traffic, std::span<double> loads) const {
  Between between(G_, G_ * a_);
  for (const Flow& flow : traffic.flows) add_flow(flow, between, loads);
  for (const ExchangeSet& set : traffic.sets) add_set(set, between, loads);
  if (L_ > 0) spread(is_valiant() ? legs_of_valiant(between, loads) : between, loads);
}

void DragonflyFabric::push_middle(std::size_t from, std::size_t by, std::size_t to, double share,
                                  std::vector<Part>& parts) const {
  const double each = share / static_cast<double>(L_ * L_);
  for (std::size_t l = 0; l < L_; ++l) {
    for (std::size_t k = 0; k < L_; ++k) push_local(by, gateway(by, from, l), gateway(by, to, k), each, parts);
  }
}

void DragonflyFabric::route(RouterId from, RouterId to, std::vector<Part>& parts) const {
  parts.clear();
  const std::size_t g = group(from);
  const std::size_t h = group(to);
  const std::size_t r = number(from) % a_;
  const std::size_t s = number(to) % a_;
  if (g == h) return push_local(g, r, s, 1.0, parts);
  const double each = 1.0 / static_cast<double>(L_);
  const auto leg = [&](std::size_t a, std::size_t b, double share) {
    for (std::size_t l = 0; l < L_; ++l) {
      if (a == g) push_local(g, r, gateway(g, b, l), share * each, parts);
      parts.push_back({LinkId{static_cast<std::uint32_t>(global(a, b, l))}, share * each});
      if (b == h) push_local(h, gateway(h, a, l), s, share * each, parts);
    }
  };
  if (!is_valiant()) return leg(g, h, 1.0);
  const double share = 1.0 / static_cast<double>(G_ - 2);
  for (std::size_t by = 0; by < G_; ++by) {
    if (by == g || by == h) continue;
    leg(g, by, share);
    push_middle(g, by, h, share, parts);
    leg(by, h, share);
  }
}

}  // namespace

std::unique_ptr<const Fabric> make_dragonfly(const Dragonfly& fly) {
  return std::make_unique<const DragonflyFabric>(fly);
}

}  // namespace tacit::placement::network::detail
