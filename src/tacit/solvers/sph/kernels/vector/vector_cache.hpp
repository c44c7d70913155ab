// The particles that one cell may see, in floats relative to the cell, for the vector loops.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tacit/base/pack_memory.hpp"
#include "tacit/base/vec3.hpp"
#include "tacit/solvers/sph/kernels/neighbour_cache.hpp"
#include "tacit/solvers/sph/kernels/vector/candidates.hpp"
#include "tacit/solvers/sph/kernels/vector/fill.hpp"
#include "tacit/solvers/sph/kernels/vector/placed_arrays.hpp"
#include "tacit/solvers/sph/kernels/vector/search.hpp"

namespace tacit::sph::kernels::vector {

/// How particles beyond a face are seen: x' = sign x + shift along each axis; velocities turn with the sign.
struct Image {
  base::Vec3 sign{1.0, 1.0, 1.0};
  base::Vec3 shift;
};

/// How a cache's floats stand for the doubles of the gas.
///
///     x_cache = (round(sign x / quantum) + round(shift / quantum) - round(origin / quantum)) quantum / length
///
/// Where two frames share the quantum, the differences of positions of particles less than the extent apart are exact
/// in both and opposite to the bit: cells then agree about every pair, so that pressure and viscosity of equal masses
/// cancel exactly. The units keep squares, cubes and products far from the ends of the floats' range whatever the units
/// of the run.
class Frame {
 public:
  /// @param origin    near the cell [length]
  /// @param extent    largest distance of a candidate from the origin along an axis [length], > 0; the same for cells
  ///                  that are to agree
  /// @param velocity  subtracted from all velocities; the same for cells that are to agree
  /// @param scales    a typical mass and velocity of the gas, > 0, and the same for cells that are to agree
  struct Scales {
    double mass = 1.0;
    double velocity = 1.0;
  };
  Frame(const base::Vec3& origin, double extent, const base::Vec3& velocity, const Scales& scales, int dimension);

  [[nodiscard]] Float3 place(const base::Vec3& at, const Image& image = {}) const noexcept {
    return {place_of(image.sign.x * at.x, steps(image.shift.x) - origin_.x),
            place_of(image.sign.y * at.y, steps(image.shift.y) - origin_.y),
            place_of(image.sign.z * at.z, steps(image.shift.z) - origin_.z)};
  }
  [[nodiscard]] Float3 velocity(const base::Vec3& v) const noexcept {
    const auto seen = [this](double value, float frame) { return (static_cast<float>(value) - frame) * per_velocity_; };
    return {seen(v.x, velocity_.x), seen(v.y, velocity_.y), seen(v.z, velocity_.z)};
  }
  [[nodiscard]] float length(double value) const noexcept { return static_cast<float>(value * per_length_); }
  [[nodiscard]] float mass(double value) const noexcept { return static_cast<float>(value * per_mass_); }
  [[nodiscard]] float speed(double value) const noexcept { return static_cast<float>(value) * per_velocity_; }
  [[nodiscard]] float density(double value) const noexcept { return static_cast<float>(value * per_density_); }
  [[nodiscard]] float omega_P(double value) const noexcept { return static_cast<float>(value * per_omega_P_); }

  [[nodiscard]] float energy(double value) const noexcept { return static_cast<float>(value * per_energy_); }

  /// The same for whole arrays; without box and radius.
  [[nodiscard]] FillRule rule(const Image& image) const noexcept;

  // One unit of the cache in units of the run.
  [[nodiscard]] double length_unit() const noexcept { return 1.0 / per_length_; }
  [[nodiscard]] double mass_unit() const noexcept { return 1.0 / per_mass_; }
  [[nodiscard]] double velocity_unit() const noexcept { return 1.0 / static_cast<double>(per_velocity_); }
  [[nodiscard]] double quantum() const noexcept { return 1.0 / per_quantum_; }

 private:
  /// Whole quanta, to nearest; exact in a double up to 2^52 of them, which is 2^28 cells.
  [[nodiscard]] double steps(double x) const noexcept {
    constexpr double round = 0x1.8p52;  // what is added to this loses its fraction
    return (x * per_quantum_ + round) - round;
  }
  [[nodiscard]] float place_of(double x, double offset) const noexcept {
    return static_cast<float>((steps(x) + offset) * quantum_length_);
  }

  double per_quantum_, quantum_length_;
  double per_length_, per_mass_, per_density_, per_omega_P_, per_energy_;
  float per_velocity_;
  base::Vec3 origin_;  ///< in quanta
  Float3 velocity_;
};

/// Views of some particles as the solver holds them; arrays of one length.
struct MotionView {
  std::span<const double> x, y, z, m;
  std::span<const float> vx, vy, vz;
};
struct GasView {
  std::span<const double> h, rho, omega_P;
  std::span<const float> cs, balsara;
  double support;  ///< H / h
  // What SPHENIX needs besides; alpha_d may stay empty for the gradients.
  std::span<const double> u = {};
  std::span<const float> f = {}, alpha_v = {}, alpha_d = {};
};

/// What a FillFunction reads of them.
[[nodiscard]] FillSource source_of(const MotionView& motion) noexcept;
[[nodiscard]] FillSource source_of(const MotionView& motion, const GasView& gas) noexcept;

/// Filled once per cell, then searched by its particles, one group after the other. The arrays only ever grow.
class VectorCache {
 public:
  explicit VectorCache(const Frame& frame) : frame_(frame) {}

  /// Empties the cache for another cell.
  void restart(const Frame& frame) noexcept {
    frame_ = frame;
    size_ = 0;
    listed_ = 0;
    listed_radius_ = -1.0F;
  }
  /// Adds those of the particles, seen through `image`, that lie within `radius` of the box, which holds the particles
  /// that will search; with `gas` those within max(radius, H_j), and what forces need of them.
  /// `fill` is that of the PairKernels which will search. Of `groups`, if there are any, those far from the box are
  /// passed over; its box and radius are filled in here.
  void append(FillFunction fill, const MotionView& motion, const Image& image, const Box& box, double radius,
              const FillGroups& groups = {});
  void append(FillFunction fill, const MotionView& motion, const GasView& gas, const Image& image, const Box& box,
              double radius, const FillGroups& groups = {});
  /// To be called after the last append and before the first short list.
  void seal();
  /// Lists the candidates that particles inside the box see within `radius`; in `shortlist_either` also those that see
  /// one of them within their own support. Searches look at the latest list.
  void shortlist(const SearchFunctions& search, const Box& box, double radius);
  void shortlist_either(const SearchFunctions& search, const Box& box, double radius);

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] const Frame& frame() const noexcept { return frame_; }
  [[nodiscard]] Candidates candidates() const noexcept;
  [[nodiscard]] Shortlist shortlist() const noexcept;
  /// Whether the latest list serves searches within H, in units of the cache. It reaches a little farther than it was
  /// asked to, so that a radius may be rounded in another way.
  [[nodiscard]] bool lists(float H) const noexcept { return H <= listed_radius_ * (1.0F + 0x1p-21F); }
  /// The cache's own room for the hits of one particle at a time.
  [[nodiscard]] Hits& hits() noexcept { return hits_; }
  [[nodiscard]] const Hits& hits() const noexcept { return hits_; }

 private:
  void reserve(std::size_t more);
  void append(FillFunction fill, const FillSource& source, const Image& image, const Box& box, double radius,
              FillGroups groups);
  [[nodiscard]] Region region(const Box& box, double radius) const noexcept;
  [[nodiscard]] ShortlistTarget room_for_list() noexcept;

  Frame frame_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  // In bytes into a page: hits at 0, 128, 256, ..., lists at 1024, 1152, ..., candidates at 2048, 2176, ...
  enum Stream : std::size_t {
    all_x,
    all_y,
    all_z,
    all_m,
    all_H2,
    list_x,
    list_y,
    list_z,
    list_m,
    list_H2,
    hit_r,
    hit_m
  };
  enum Number : std::size_t { list_index, hit_index };
  PlacedArrays<float, 512, 544, 576, 608, 640, 256, 288, 320, 352, 384, 0, 32> streams_;
  PlacedArrays<std::uint32_t, 416, 64> numbers_;
  base::PackVector<float> place_, flow_, state_, thermal_;
  std::size_t listed_ = 0;
  float listed_radius_ = -1.0F;
  Hits hits_;
};

}  // namespace tacit::sph::kernels::vector
