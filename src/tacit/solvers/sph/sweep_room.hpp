// Cells packed and sorted for sweeps, and the room in which a worker sweeps over two of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tacit/base/pack_memory.hpp"
#include "tacit/particles/axis_sort.hpp"
#include "tacit/solvers/sph/kernels/vector/sweep.hpp"
#include "tacit/solvers/sph/kernels/vector/vector_cache.hpp"

namespace tacit::sph {

/// Records behind the last particle that packing needs for itself.
inline constexpr std::size_t packing_room = 2 * kernels::vector::widest;

/// One cell's particles as floats relative to its middle, in the order of the cell, and in orders along axes. The
/// memory is owned elsewhere.
struct PackedCell {
  std::size_t size = 0;
  /// Records as in Candidates, shape (size + packing_room, 4), aligned to 16 bytes; thermal with SPHENIX only.
  float *place = nullptr, *flow = nullptr, *state = nullptr, *thermal = nullptr;
  std::array<particles::SortedKeys, particles::Axis::count> along;  ///< shape (size) each, of the axes in use
  float* sums = nullptr;                                            ///< shape (size, sweep_sums)
};

/// How the second cell of a sweep is seen by the first, in whose frame both meet.
struct SweepImage {
  particles::Axis near, far;                       ///< the direction from one to the other along the axes of each
  kernels::vector::Float3 sign{1.0F, 1.0F, 1.0F};  ///< -1 through a mirror
  kernels::vector::Float3 offset{0.0F, 0.0F, 0.0F};
  float key_offset = 0.0F;    ///< along the direction
  bool is_one_sided = false;  ///< the first sees its own mirror image: both sides of a pair come by themselves
};

/// What one kind of sweep does.
struct SweepKind {
  const kernels::vector::SweepKernels& kernels;
  const kernels::vector::SweepLoop& loop;
  kernels::vector::ForceConstants constants{};
  bool has_thermal = false;
  bool sums_curls = false;  ///< whether the vector is one that a mirror turns the other way round
};

/// How far kernels of a cell reach, and how much its keys may be wrong, in units of the frame.
struct SweepReach {
  float H_max = 0.0F;
  float slack = 0.0F;
};

/// Copies of the particles that a sweep may need; grows to twice the largest cell and then stays.
class SweepRoom {
 public:
  /// Room for cells of up to `most` particles, so that nothing is allocated later.
  void reserve(std::size_t most);
  /// Packs all particles of a cell: records in the units of the frame. Orders are not touched.
  void pack(kernels::vector::FillFunction fill, const kernels::vector::MotionView& motion,
            const kernels::vector::GasView& gas, const kernels::vector::Frame& frame, const PackedCell& cell);
  /// Brings the cell's order along an axis up to date with its records; from nothing, or by insertion.
  enum class Order { none, stale };
  void sort(const PackedCell& cell, std::size_t axis, Order before);
  /// Adds to the sums of all particles of the cell what they find in it.
  void sweep_self(const SweepKind& kind, const PackedCell& cell, std::size_t axis, const SweepReach& reach);
  /// The same for two cells. The slack of the reach is that of both.
  void sweep_pair(const SweepKind& kind, const PackedCell& near, const PackedCell& far, const SweepImage& image,
                  const SweepReach& reach_near, const SweepReach& reach_far);

 private:
  /// Some of a cell's particles in rising order along a direction: in the cell's own arrays where its axis points
  /// there, else in copies.
  struct Side {
    std::size_t size = 0;
    const float* key = nullptr;
    const std::uint32_t* index = nullptr;
    std::vector<float> turned_key;
    std::vector<std::uint32_t> turned_index;
    base::PackVector<float> fields, sums;
    void reserve(std::size_t most);
    /// The particles [first, end) of the rising order.
    void take(const PackedCell& cell, const particles::Axis& axis, std::size_t first, std::size_t end) noexcept;
    [[nodiscard]] kernels::vector::SweepSide view(float H_max) noexcept {
      return {size, key, fields.data(), sums.data(), H_max};
    }
  };
  static void load(Side& side, const SweepKind& kind, const PackedCell& cell, const kernels::vector::Float3& sign,
                   const kernels::vector::Float3& offset);
  static void unload(const Side& side, const SweepKind& kind, const PackedCell& cell,
                     const kernels::vector::Float3& sign);

  Side near_, far_;
  std::vector<float> values_;  // one for each particle
  std::vector<std::uint32_t> begins_;
  std::vector<float> streams_;  // what packing writes besides
};

}  // namespace tacit::sph
