// The links of a torus under dimension-ordered routing: loads by counting along its lines.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/placement/network/fabric.hpp"

namespace tacit::placement::network::detail {
namespace {

/// Direction along a line.
enum class Way : std::uint8_t { up, down };

using Point = std::array<std::uint32_t, 3>;

/// Up to two paths along a line, upwards and downwards: how many links, and their share of the message.
struct Legs {
  std::uint32_t up = 0;
  std::uint32_t down = 0;
  double up_share = 0.0;
  double down_share = 0.0;
};

/// The shorter direction around dimension d; of two equal ones the torus' tie decides.
Legs legs(const Torus& torus, std::size_t d, std::uint32_t from, std::uint32_t to) {
  const std::uint32_t size = torus.routers[d];
  const std::uint32_t up = to >= from ? to - from : to + size - from;
  if (up == 0) return {};
  const std::uint32_t down = size - up;
  if (torus.ends[d] == Ends::line) return to > from ? Legs{up, 0, 1.0, 0.0} : Legs{0, down, 0.0, 1.0};
  if (up == down && torus.tie == Tie::split) return {up, down, 0.5, 0.5};
  return up <= down ? Legs{up, 0, 1.0, 0.0} : Legs{0, down, 0.0, 1.0};
}

/// Where loads are collected: at the first link of a way they begin, behind its last one they end, so that a way costs
/// O(1); sum() then runs once along each line. Numbers as of links: direction * routers + router.
class Lines {
 public:
  Lines(const Torus& torus, std::size_t routers) : torus_(torus), routers_(routers), steps_(6 * routers, 0.0) {
    strides_ = {1, torus.routers[0], std::size_t{torus.routers[0]} * torus.routers[1]};
  }

  /// Adds bytes on all links from place `from` to place `to` of the line of dimension d that goes through `base`.
  /// @param base  the router of the line at place 0
  void add(std::size_t d, std::size_t base, std::uint32_t from, std::uint32_t to, double bytes) {
    const Legs way = legs(torus_, d, from, to);
    if (way.up > 0) add_way(d, base, from, way.up, Way::up, way.up_share * bytes);
    if (way.down > 0) add_way(d, base, from, way.down, Way::down, way.down_share * bytes);
  }

  /// Adds what was collected to the loads of the links.
  void sum(std::span<double> loads) const {
    std::vector<double> running;  // of lines that lie side by side, so that memory is read in order
    for (std::size_t way = 0; way < 6; ++way) {
      const std::size_t side = strides_[way / 2];
      const std::size_t block = side * torus_.routers[way / 2];
      for (std::size_t first = way * routers_; first < (way + 1) * routers_; first += block) {
        running.assign(side, 0.0);
        for (std::size_t link = first; link < first + block; link += side) {
          for (std::size_t i = 0; i < side; ++i) loads[link + i] += running[i] += steps_[link + i];
        }
      }
    }
  }

 private:
  /// Upwards a way leaves routers from, from + 1, ...; downwards from, from - 1, ...
  void add_way(std::size_t d, std::size_t base, std::uint32_t from, std::uint32_t steps, Way way, double bytes) {
    const std::uint32_t size = torus_.routers[d];
    const std::uint32_t low =
        way == Way::up ? from : (from + size + 1 - steps) % size;  // the lowest router that is left
    double* line = steps_.data() + (2 * d + (way == Way::up ? 0 : 1)) * routers_ + base;
    line[low * strides_[d]] += bytes;
    const std::uint32_t end = low + steps;
    if (end < size) {
      line[end * strides_[d]] -= bytes;
    } else if (end > size) {  // around the end of the ring
      line[0] += bytes;
      line[(end - size) * strides_[d]] -= bytes;
    }
  }

  const Torus& torus_;
  std::size_t routers_;
  std::array<std::size_t, 3> strides_{};
  std::vector<double> steps_;
};

class TorusFabric final : public Fabric {
 public:
  explicit TorusFabric(const Torus& torus)
      : torus_(torus), routers_(std::size_t{torus.routers[0]} * torus.routers[1] * torus.routers[2]) {}

  [[nodiscard]] std::size_t link_count() const override { return 6 * routers_; }
  [[nodiscard]] double bandwidth(LinkId link) const override { return torus_.bandwidth[dimension(link)]; }
  [[nodiscard]] std::optional<std::array<RouterId, 2>> ends(LinkId link) const override;
  [[nodiscard]] std::string name(LinkId link) const override;
  void add(const Traffic& traffic, std::span<double> loads) const override;
  void route(RouterId from, RouterId to, std::vector<Part>& parts) const override;
  [[nodiscard]] std::uint32_t longest_path() const override;
  [[nodiscard]] double route_cost() const override { return longest_path(); }

 private:
  [[nodiscard]] std::size_t dimension(LinkId link) const { return number(link) / (2 * routers_); }
  [[nodiscard]] bool is_up(LinkId link) const { return number(link) / routers_ % 2 == 0; }
  [[nodiscard]] Point point(std::size_t router) const;
  [[nodiscard]] std::size_t router(const Point& p) const {
    return p[0] + std::size_t{torus_.routers[0]} * (p[1] + std::size_t{torus_.routers[1]} * p[2]);
  }
  [[nodiscard]] std::uint32_t next(std::size_t d, std::uint32_t place, Way way) const {
    const std::uint32_t last = torus_.routers[d] - 1;
    if (way == Way::up) return place == last ? 0 : place + 1;
    return place == 0 ? last : place - 1;
  }
  void add_flow(RouterId from, RouterId to, double bytes, Lines& lines) const;
  void add_pairs(const ExchangeSet& set, Lines& lines) const;
  void add_product(const ExchangeSet& set, Lines& lines) const;
  void walk(std::size_t d, Point at, std::uint32_t steps, Way way, double share, std::vector<Part>& parts) const;

  Torus torus_;
  std::size_t routers_;
};

Point TorusFabric::point(std::size_t router) const {
  const std::size_t rest = router / torus_.routers[0];
  return {static_cast<std::uint32_t>(router % torus_.routers[0]), static_cast<std::uint32_t>(rest % torus_.routers[1]),
          static_cast<std::uint32_t>(rest / torus_.routers[1])};
}

std::optional<std::array<RouterId, 2>> TorusFabric::ends(LinkId link) const {
  const std::size_t d = dimension(link);
  const std::size_t from = number(link) % routers_;
  Point to = point(from);
  const std::uint32_t last = torus_.routers[d] - 1;
  if (torus_.ends[d] == Ends::line && to[d] == (is_up(link) ? last : 0)) return std::nullopt;
  to[d] = next(d, to[d], is_up(link) ? Way::up : Way::down);
  return std::array<RouterId, 2>{RouterId{static_cast<std::uint32_t>(from)},
                                 RouterId{static_cast<std::uint32_t>(router(to))}};
}

std::string TorusFabric::name(LinkId link) const {
  const auto text = [](const Point& p) {
    return std::to_string(p[0]) + "," + std::to_string(p[1]) + "," + std::to_string(p[2]);
  };
  const auto both = ends(link);
  if (!both) return "no link";
  const std::string axis(1, "xyz"[dimension(link)]);
  return axis + " " + text(point(number((*both)[0]))) + " -> " + text(point(number((*both)[1])));
}

std::uint32_t TorusFabric::longest_path() const {
  std::uint32_t links = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    links += torus_.ends[d] == Ends::ring ? torus_.routers[d] / 2 : torus_.routers[d] - 1;
  }
  return links;
}

void TorusFabric::add_flow(RouterId from, RouterId to, double bytes, Lines& lines) const {
  Point at = point(number(from));
  const Point end = point(number(to));
  for (std::size_t d = 0; d < 3; ++d) {
    Point base = at;
    base[d] = 0;
    lines.add(d, router(base), at[d], end[d], bytes);
    at[d] = end[d];
  }
}

void TorusFabric::add_pairs(const ExchangeSet& set, Lines& lines) const {
  for (const Member& from : set.members) {
    for (const Member& to : set.members) {
      add_flow(from.router, to.router, from.weight * to.weight * set.bytes, lines);
    }
  }
}

/// An all-to-all w_a w_b factorises along dimension-ordered paths. With w(x, y, z) the weight of a router:
///
///     on the x-line (y, z)   from x to x':  w(x, y, z)             sum_yz w(x', y, z)
///     on the y-line (x', z)  from y to y':  sum_x w(x, y, z)       sum_z  w(x', y', z)
///     on the z-line (x', y') from z to z':  sum_xy w(x, y, z)             w(x', y', z')
///
/// Cost: O(R (X + Y + Z)) for R routers, however many pairs.
void TorusFabric::add_product(const ExchangeSet& set, Lines& lines) const {
  const auto [X, Y, Z] = torus_.routers;
  std::vector<double> w(routers_, 0.0), to_x(X, 0.0), from_yz(std::size_t{Y} * Z, 0.0), to_xy(std::size_t{X} * Y, 0.0);
  std::vector<double> from_z(Z, 0.0);
  for (const Member& member : set.members) {
    const Point p = point(number(member.router));
    w[number(member.router)] += member.weight;
    to_x[p[0]] += member.weight;
    from_yz[p[1] + std::size_t{Y} * p[2]] += member.weight;
    to_xy[p[0] + std::size_t{X} * p[1]] += member.weight;
    from_z[p[2]] += member.weight;
  }
  // Along each line: all pairs of places, from(place) times to(place) bytes.
  const auto add_line = [&](std::size_t d, const Point& base, auto&& from, auto&& to) {
    for (std::uint32_t a = 0; a < torus_.routers[d]; ++a) {
      if (from(a) == 0.0) continue;
      for (std::uint32_t b = 0; b < torus_.routers[d]; ++b) {
        if (to(b) != 0.0) lines.add(d, router(base), a, b, from(a) * to(b) * set.bytes);
      }
    }
  };
  for (std::uint32_t y = 0; y < Y; ++y) {
    for (std::uint32_t z = 0; z < Z; ++z) {
      add_line(
          0, {0, y, z},
          [&](std::uint32_t x) {
            return w[router({x, y, z})];
          },
          [&](std::uint32_t x) { return to_x[x]; });
    }
  }
  for (std::uint32_t x = 0; x < X; ++x) {
    for (std::uint32_t z = 0; z < Z; ++z) {
      add_line(
          1, {x, 0, z}, [&](std::uint32_t y) { return from_yz[y + std::size_t{Y} * z]; },
          [&](std::uint32_t y) { return to_xy[x + std::size_t{X} * y]; });
    }
  }
  for (std::uint32_t x = 0; x < X; ++x) {
    for (std::uint32_t y = 0; y < Y; ++y) {
      add_line(
          2, {x, y, 0}, [&](std::uint32_t z) { return from_z[z]; },
          [&](std::uint32_t z) {
            return w[router({x, y, z})];
          });
    }
  }
}

void TorusFabric::add(const Traffic& traffic, std::span<double> loads) const {
  Lines lines(torus_, routers_);
  const double product_cost =
      static_cast<double>(routers_) * (torus_.routers[0] + torus_.routers[1] + torus_.routers[2]);
  for (const ExchangeSet& set : traffic.sets) {
    const double members = static_cast<double>(set.members.size());
    3.0 * members* members < product_cost ? add_pairs(set, lines) : add_product(set, lines);
  }
  for (const Flow& flow : traffic.flows) add_flow(flow.from, flow.to, flow.bytes, lines);
  lines.sum(loads);
}

void TorusFabric::walk(std::size_t d, Point at, std::uint32_t steps, Way way, double share,
                       std::vector<Part>& parts) const {
  for (std::uint32_t step = 0; step < steps; ++step) {
    parts.push_back(
        {LinkId{static_cast<std::uint32_t>((2 * d + (way == Way::up ? 0 : 1)) * routers_ + router(at))}, share});
    at[d] = next(d, at[d], way);
  }
}

void TorusFabric::route(RouterId from, RouterId to, std::vector<Part>& parts) const {
  parts.clear();
  Point at = point(number(from));
  const Point end = point(number(to));
  for (std::size_t d = 0; d < 3; at[d] = end[d], ++d) {
    const Legs way = legs(torus_, d, at[d], end[d]);
    walk(d, at, way.up, Way::up, way.up_share, parts);
    walk(d, at, way.down, Way::down, way.down_share, parts);
  }
}

}  // namespace

std::unique_ptr<const Fabric> make_torus(const Torus& torus) { return std::make_unique<const TorusFabric>(torus); }

}  // namespace tacit::placement::network::detail
