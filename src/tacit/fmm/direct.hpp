// Direct sums over pairs of bodies: in double precision, and in floats relative to a place near them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tacit/base/cpu_features.hpp"
#include "tacit/base/pack_memory.hpp"
#include "tacit/base/vec3.hpp"
#include "tacit/fmm/kernels/direct.hpp"
#include "tacit/fmm/operators.hpp"

namespace tacit::fmm {

using kernels::Group;
using kernels::SofteningKind;

/// What softens a pair. See kernels/softening.hpp for the formulas.
struct Softening {
  SofteningKind kind = SofteningKind::none;
  double length = 0.0;  ///< epsilon of plummer, H of wendland_c2 [length], > 0

  [[nodiscard]] static Softening plummer(double epsilon) noexcept { return {SofteningKind::plummer, epsilon}; }
  /// The kernel with the central potential of a Plummer sphere of epsilon: H = 3 epsilon.
  [[nodiscard]] static Softening wendland_c2(double epsilon) noexcept {
    return {SofteningKind::wendland_c2, 3.0 * epsilon};
  }
  /// Nearer than this, a body differs from what expansions take it for.
  [[nodiscard]] double reach() const noexcept { return kind == SofteningKind::wendland_c2 ? length : 0.0; }
  /// What expansions add to the square of a distance.
  [[nodiscard]] double epsilon2() const noexcept { return kind == SofteningKind::plummer ? length * length : 0.0; }
};

/// Where sums for N bodies go, each span of shape (N), added to; G = 1.
struct Fields {
  std::span<double> potential;   ///< [mass / length]; empty: not wanted
  std::span<double> ax, ay, az;  ///< [mass / length^2]
};

/// The plain sums: what the fast ones are tested against. Bodies at the same place do not act on each other where
/// nothing is softened.
///
/// P2P of two groups, both ways. Each pair is computed once, with opposite signs: the sum of m a over all changes by
/// rounding alone.
/// @pre  no body is in both
void add_pairs(const Bodies& a, const Bodies& b, const Softening& softening, const Fields& of_a, const Fields& of_b);
/// P2P of a group with itself, likewise; no body acts on itself.
void add_pairs(const Bodies& bodies, const Softening& softening, const Fields& fields);
/// What bodies do to a point.
[[nodiscard]] Field field_at(const base::Vec3& point, const Bodies& bodies, const Softening& softening);

/// A place and units in which floats are far from the limits of their range.
struct Frame {
  base::Vec3 centre;
  double length = 1.0;
  double mass = 1.0;

  /// Units are powers of two, by which scaling is exact.
  /// @param extent  how far bodies are from the centre, about [length]
  /// @param m       their mass, about
  [[nodiscard]] static Frame around(const base::Vec3& centre, double extent, double m) noexcept;
};

/// Below this, the error of the force of a pair in single precision does no harm beside that of expansions.
inline constexpr double most_float_error = 1e-4;
/// The distance below which floats relative to a place do not tell the force of a pair that well.
/// @param extent  how far bodies are from that place [length]
[[nodiscard]] constexpr double least_separation_in_floats(double extent) noexcept {
  return 0x1p-23 * extent / most_float_error;
}

/// Some bodies ordered along x, to find whether others come near to any of them.
class CloseBodies {
 public:
  void restart(const Bodies& bodies);
  /// Whether one of the others is nearer to one of these than `distance`, but not at the same place.
  /// @param shift  of the others, to where they are seen [length]
  /// Cost: for each of the others a search among the n of these, O(log n), and those beside it in x.
  [[nodiscard]] bool any_within(const Bodies& others, double distance, const base::Vec3& shift = {}) const;

 private:
  std::vector<base::Vec3> places_;
};

/// Bodies near a place, in the form in which the fast loops read them, and sums for each of them.
///
/// With floats a position is rounded to 2^-24 of its largest coordinate, at most `extent`: the force of a pair at a
/// distance r, softened beyond epsilon, has a relative error of about 2^-23 extent / max(r, epsilon). Sums over bodies
/// err by some 1e-7 of the sum of their parts. Of one thread; used again, it allocates only for more bodies than ever
/// before.
template <class Real>
class NearBodies {
 public:
  /// @param set  of instructions, which this processor can use
  explicit NearBodies(base::InstructionSet set) noexcept : loops_(kernels::direct_loops<Real>(set)) {}

  /// Forgets all bodies.
  void restart(const Frame& frame) noexcept;
  /// Adds bodies behind the others, with sums of 0.
  /// @param shift  of these, to where they are seen: periodic images [length]
  Group add(const Bodies& bodies, const base::Vec3& shift = {});
  [[nodiscard]] const Frame& frame() const noexcept { return frame_; }
  [[nodiscard]] std::size_t size() const noexcept { return count_; }

  /// P2P one way: what all sources do to each sink, which leaves itself out where it is one of them. As each sink is
  /// computed alone, from sources in their order, cells that gather need no locks and give the same on any threads.
  void add_forces(Group sinks, Group sources, const Softening& softening);
  /// P2P both ways, each pair once: about 2/3 of the time for each of its forces where both groups want theirs.
  /// @pre no body is in both
  void add_forces_between(Group a, Group b, const Softening& softening);
  /// P2P of a group with itself, likewise.
  void add_forces_within(Group a, const Softening& softening);

  /// Adds the sums of a group to the fields of its bodies.
  void add_to(Group group, const Fields& fields) const;

 private:
  [[nodiscard]] kernels::BodyArrays<Real> bodies(const Softening& softening) const noexcept;
  [[nodiscard]] kernels::SumArrays<Real> sums() noexcept { return {psi_.data(), ax_.data(), ay_.data(), az_.data()}; }

  kernels::DirectLoops<Real> loops_;
  Frame frame_;
  std::size_t count_ = 0;
  base::PackVector<Real> x_, y_, z_, m_, psi_, ax_, ay_, az_;
};

}  // namespace tacit::fmm
