// Times at which boxes of particles may meet.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/approach.hpp"

#include <algorithm>
#include <cmath>

namespace tacit::sph {
namespace {

constexpr double endless = std::numeric_limits<double>::infinity();

/// Gaps on both sides of a along an axis, and the speeds at which they close; 0 where the two overlap.
struct Gaps {
  double right = 0.0, left = 0.0;                ///< [length]
  double right_closes = 0.0, left_closes = 0.0;  ///< [velocity]
};

Gaps gaps_between(const Interval& a, const Interval& b, const Interval& v_a, const Interval& v_b, double period) {
  Gaps gaps{.right_closes = v_a.high - v_b.low, .left_closes = v_b.high - v_a.low};
  if (period > 0.0) {
    const double offset = particles::wrap(b.low - a.high, 0.0, period);
    const double rest = period - a.width() - b.width() - offset;
    if (rest > 0.0) {
      gaps.right = offset;
      gaps.left = rest;
    }
  } else if (b.low > a.high) {
    gaps.right = b.low - a.high;
    gaps.left = endless;
  } else if (a.low > b.high) {
    gaps.right = endless;
    gaps.left = a.low - b.high;
  }
  return gaps;
}

/// Until one gap is closed to H.
double time_to(double gap, double closes, double H) { return closes > 0.0 ? (gap - H) / closes : endless; }

double square(double x) { return x * x; }

/// Of one image of b.
double longest_step_of_image(const Crowd& a, const Intervals& place, const Intervals& velocity, const Crowd& b,
                             const ApproachRule& rule) {
  const double H = std::max(a.longest, b.longest);
  double time = 0.0;
  double gap2 = 0.0;
  double speed2 = 0.0;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(rule.domain.dimension); ++axis) {
    const double period = rule.domain.periodic ? rule.domain.size[axis] : 0.0;
    const Gaps gaps = gaps_between(a.place[axis], place[axis], a.velocity[axis], velocity[axis], period);
    const double gap = std::min(gaps.right, gaps.left);
    if (gap > H) {
      time =
          std::max(time, std::min(time_to(gaps.right, gaps.right_closes, H), time_to(gaps.left, gaps.left_closes, H)));
    }
    gap2 += square(gap);
    const double right = gaps.right < endless ? gaps.right_closes : 0.0;
    const double left = gaps.left < endless ? gaps.left_closes : 0.0;
    speed2 += square(std::max({right, left, 0.0}));
  }
  if (speed2 == 0.0) return endless;
  const double speed = std::sqrt(speed2);
  time = std::max(time, (std::sqrt(gap2) - H) / speed);
  return std::max(time, rule.most_overlap * std::max(a.shortest, b.shortest) / speed);
}

/// Calls f(place, velocity) for b itself and for what is seen of it in the walls around the domain.
template <class F>
void for_each_image(const Crowd& b, const particles::Domain& domain, const F& f) {
  constexpr std::array<std::size_t, 3> images_of_dimension{3, 9, 27};
  const std::size_t images =
      domain.mirrored ? images_of_dimension[static_cast<std::size_t>(domain.dimension - 1)] : std::size_t{1};
  for (std::size_t image = 0; image < images; ++image) {
    Intervals place = b.place;
    Intervals velocity = b.velocity;
    std::size_t rest = image;
    for (std::size_t axis = 0; axis < 3; ++axis, rest /= 3) {
      const std::size_t wall = rest % 3;  // none, the lower, the upper
      if (wall == 0) continue;
      const double at = domain.origin[axis] + (wall == 2 ? domain.size[axis] : 0.0);
      place[axis] = {2.0 * at - b.place[axis].high, 2.0 * at - b.place[axis].low};
      velocity[axis] = {-b.velocity[axis].high, -b.velocity[axis].low};
    }
    f(place, velocity);
  }
}

}  // namespace

void Crowd::add(const Crowd& more) noexcept {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    place[axis].add(more.place[axis]);
    velocity[axis].add(more.velocity[axis]);
  }
  shortest = std::min(shortest, more.shortest);
  longest = std::max(longest, more.longest);
  rest = std::max(rest, more.rest);
}

double most_overlap(double cfl) noexcept { return std::min(5.0 * cfl, 0.5); }

double longest_step(const Crowd& a, const Crowd& b, const ApproachRule& rule) noexcept {
  double step = endless;
  for_each_image(b, rule.domain, [&](const Intervals& place, const Intervals& velocity) {
    step = std::min(step, longest_step_of_image(a, place, velocity, b, rule));
  });
  return step;
}

double largest_closing_speed(const Intervals& a, const Intervals& b, const particles::Domain& domain) noexcept {
  double sum = 0.0;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(domain.dimension); ++axis) {
    double speed = std::max({a[axis].high - b[axis].low, b[axis].high - a[axis].low, 0.0});
    if (domain.mirrored) speed = std::max({speed, a[axis].high + b[axis].high, -a[axis].low - b[axis].low});
    sum += square(speed);
  }
  return std::sqrt(sum);
}

void CrowdTree::build(std::span<const Crowd> crowds) {
  crowds_ = crowds;
  nodes_.clear();
  if (!crowds.empty()) grow(0, static_cast<std::uint32_t>(crowds.size()));
}

std::uint32_t CrowdTree::grow(std::uint32_t first, std::uint32_t end) {
  constexpr std::uint32_t most_of_leaf = 2;
  const auto number = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back({.all = {}, .first = first, .end = end});
  Crowd all;
  if (end - first <= most_of_leaf) {
    for (std::uint32_t k = first; k < end; ++k) all.add(crowds_[k]);
  } else {
    const std::uint32_t middle = first + (end - first) / 2;
    const std::uint32_t first_half = grow(first, middle);
    const std::uint32_t second_half = grow(middle, end);
    all = nodes_[first_half].all;
    all.add(nodes_[second_half].all);
    nodes_[number].second_half = second_half;
  }
  nodes_[number].all = all;
  return number;
}

double CrowdTree::longest_step_of(const Crowd& one, const ApproachRule& rule) const {
  double best = one.rest;
  constexpr std::size_t deepest = 64;
  std::array<std::uint32_t, deepest> left{};
  std::size_t count = nodes_.empty() ? 0 : 1;
  const auto may_limit = [&](const Crowd& other) {
    return longest_step(one, other, rule) < std::min(best, other.rest);
  };
  while (count > 0) {
    const std::uint32_t number = left[--count];
    const Node& node = nodes_[number];
    if (!may_limit(node.all)) continue;
    if (node.second_half != 0) {
      left[count++] = node.second_half;
      left[count++] = number + 1;
      continue;
    }
    for (std::uint32_t k = node.first; k < node.end; ++k) {
      const double step = longest_step(one, crowds_[k], rule);
      if (step < crowds_[k].rest) best = std::min(best, step);
    }
  }
  return best;
}

}  // namespace tacit::sph
