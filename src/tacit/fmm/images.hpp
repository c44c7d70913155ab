// Periodic images: which of them act through a tree, and what all others do together.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "tacit/base/vec3.hpp"
#include "tacit/fmm/operators.hpp"

namespace tacit::fmm {

/// The images of a periodic box. Near ones, up to two boxes away, are seen as any other bodies are: a tree takes each
/// of its cells with a shift. All others are so far that what they do is smooth over the whole box: one expansion
/// around its middle,
///
///     far psi(x) = sum_n L_n x^n / n!,   L_n = sum_(|m| <= P - |n|) (-1)^|m| M_m K_(n + m)
///
/// where K are derivatives of Ewald's sum at 0 less those of near images, which no longer have a singularity within
/// three boxes. The background that makes the box neutral is in them.
///
/// Sources are added by their multipoles up to order p - 1, as one less acts on a sink's accelerations: so forces
/// between any two cells are opposite but for rounding.
class Images {
 public:
  /// Errors: of the order (|x - y| / (3 L))^P of the far part of what y does to x.
  static constexpr int order = 8;
  /// Around the middle of the box, in units of a length of it.
  using Expansion = std::array<double, terms(order)>;
  /// The largest ratio of two sides: the number of near images grows with its square.
  static constexpr double most_elongated = 2.0;

  /// @param lower  corner of the box [length]
  /// @param sides  [length], > 0
  Images(const base::Vec3& lower, const base::Vec3& sides);

  /// How far each near image is shifted [length]; the first is the box itself, and with each there is its opposite.
  [[nodiscard]] std::span<const base::Vec3> near() const noexcept { return near_; }

  /// Adds the source M about `centre` to the multipoles of the box: M2M.
  template <int p>
  void add_source(ConstTerms<p> M, const base::Vec3& centre, Expansion& all) const noexcept;
  /// What the far images of the multipoles do: M2L.
  [[nodiscard]] Expansion act(const Expansion& all) const noexcept;
  /// Adds this to a local expansion about `centre`: L2L.
  template <int p>
  void add_to(const Expansion& far, const base::Vec3& centre, Terms<p> L) const noexcept;

 private:
  [[nodiscard]] base::Vec3 from_middle(const base::Vec3& x) const noexcept;

  base::Vec3 middle_;
  double unit_ = 1.0;  // [length]
  std::vector<base::Vec3> near_;
  std::vector<double> K_;  // shape (terms(order)), in this unit
};

}  // namespace tacit::fmm
