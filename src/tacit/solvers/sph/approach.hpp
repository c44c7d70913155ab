// When groups of particles may come within each other's kernels, and what steps that allows: formulas on boxes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tacit/particles/domain.hpp"

namespace tacit::sph {

/// Numbers from the lowest to the highest.
struct Interval {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void add(double value) noexcept {
    low = value < low ? value : low;
    high = value > high ? value : high;
  }
  void add(const Interval& more) noexcept {
    low = more.low < low ? more.low : low;
    high = more.high > high ? more.high : high;
  }
  [[nodiscard]] double width() const noexcept { return high - low; }
};
using Intervals = std::array<Interval, 3>;

/// Particles that fly on as they do until their steps end, and what others need to know of them.
struct Crowd {
  Intervals place;                                            ///< where they are [length]
  Intervals velocity;                                         ///< [velocity]
  double shortest = std::numeric_limits<double>::infinity();  ///< of their supports [length]
  double longest = 0.0;                                       ///< likewise
  double rest = 0.0;                                          ///< until the last of their steps ends [time]

  void add(const Crowd& more) noexcept;
};

/// What two crowds are measured in.
struct ApproachRule {
  particles::Domain domain;   ///< crowds are seen through its images
  double most_overlap = 0.5;  ///< part of a support that a step may take particles into each other
};

/// The part of its kernel by which a particle may be overrun in a step: half of it, less where Courant numbers are low.
/// Within a gas, where velocities change by no more than v_sig / 3 from one side of a kernel to the other, Courant's
/// condition keeps steps below that, so that nothing is limited twice.
[[nodiscard]] double most_overlap(double cfl) noexcept;

/// The step [time] after which one of two crowds has to be looked at again, at least; infinite where they never meet.
///
///     max( T, w H / c )     T: they cannot see each other before; c: the largest speed of one towards the other
///
///     T = max_k (g_k - H) / c_k   over the axes along which they lie more than H apart, and of the gap itself
///
/// with the longer of both supports H; in the second term the longer of the shortest ones. The second term keeps steps
/// from becoming ever shorter as the gap closes. Only relative velocities enter.
///
/// Never longer for crowds that hold these (but for rounding), so that it may be asked of many at once.
/// @see  Springel (2010), MNRAS 401, 791, section 7.2, for the idea of looking beyond the neighbours
[[nodiscard]] double longest_step(const Crowd& a, const Crowd& b, const ApproachRule& rule) noexcept;

/// The largest speed at which particles of one crowd may move relative to those of another, or to their images.
[[nodiscard]] double largest_closing_speed(const Intervals& a, const Intervals& b,
                                           const particles::Domain& domain) noexcept;

/// Many crowds in a tree of halves, to find who may meet whom without looking at all pairs. Crowds that follow each
/// other should be near each other.
class CrowdTree {
 public:
  /// Forgets the crowds of before. Cost: O(n). Allocates nothing for no more than there have been.
  void build(std::span<const Crowd> crowds);

  /// The longest step of `one`, up to its `rest`: the least of longest_step over those crowds whose own steps do not
  /// end before that either. Who ends a step before they meet is looked at then.
  [[nodiscard]] double longest_step_of(const Crowd& one, const ApproachRule& rule) const;

 private:
  struct Node {
    Crowd all;
    std::uint32_t first = 0, end = 0;
    std::uint32_t second_half = 0;  // the first one follows its node; 0: neither
  };
  std::uint32_t grow(std::uint32_t first, std::uint32_t end);

  std::span<const Crowd> crowds_;
  std::vector<Node> nodes_;
};

}  // namespace tacit::sph
