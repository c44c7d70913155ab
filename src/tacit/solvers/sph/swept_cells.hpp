// The cells as sweeps over sorted pairs see them: who meets whom along which axis, packed particles, and sums.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacit/base/pack_memory.hpp"
#include "tacit/particles/cell_tree.hpp"
#include "tacit/solvers/sph/kernels/vector/pair_loops.hpp"
#include "tacit/solvers/sph/kernels/vector/sweep_room.hpp"
#include "tacit/solvers/sph/pair_tasks.hpp"
#include "tacit/tasks/graph.hpp"

namespace tacit::sph {

/// What of a cell sweeps look at; written by the tasks that pack.
struct SweptView {
  kernels::vector::PackedCell packed;
  kernels::vector::SweepReach* reach = nullptr;
};

struct SweptCell {
  tasks::Data<SweptView> packed;
  tasks::Data<float*> sums;  ///< shape (particles, sweep_sums)
  kernels::vector::Frame frame{{}, 1.0, {}, {}, 3};  ///< around the middle; of the units when it was packed
  base::Vec3 middle;                                 ///< [length]
  std::uint16_t axes = 0;       ///< bit k set: some pair needs the order along axis k
  std::uint8_t own_axis = 0;    ///< along which the cell is longest
  bool is_sorted = false;       ///< orders are there, perhaps stale
  double moved_at_sort = 0.0;   ///< bound of the motion by then [length]
  kernels::vector::SweepReach reach;
};

/// What a worker needs for sweeps beside its stack; room for the fullest cell.
struct SweepScratch {
  kernels::vector::SweepRoom room;
  std::vector<PairDensity> densities;
  std::vector<kernels::SphenixGradients> gradients;
  std::vector<Rates> rates;
};

/// Two different cells that may see each other, through one image or several.
struct SweptPair {
  std::uint32_t near = 0, far = 0;
  std::uint32_t first = 0, end = 0;  ///< its images
};

/// Memory for sweeps over all pairs of cells.
class SweptCells {
 public:
  /// For cells with their lists; `moved`, shape (cells): bound of how far particles have gone since they were sorted
  /// into cells [length], is looked at in each step.
  SweptCells(const particles::CellTree& grid, const CacheUnits& units, std::span<const double> moved, Scheme scheme,
             std::size_t workers);

  /// Points views at the particles, which were sorted into the cells anew.
  void bind(const particles::CellTree& grid);

  [[nodiscard]] std::span<const SweptPair> pairs() const noexcept { return pairs_; }
  [[nodiscard]] std::span<const kernels::vector::SweepImage> images(const SweptPair& pair) const {
    return std::span(images_).subspan(pair.first, pair.end - pair.first);
  }
  /// Those through which a cell sees itself.
  [[nodiscard]] std::span<const kernels::vector::SweepImage> own_images(std::size_t c) const {
    return std::span(own_images_).subspan(first_own_image_[c], first_own_image_[c + 1] - first_own_image_[c]);
  }
  /// Measures a cell by the present units from now on.
  void measure(std::size_t c, const CacheUnits& units);
  /// Makes the orders of a cell serve its present records: nothing where they moved little, else sorts them.
  void refresh_orders(std::size_t c, const kernels::vector::PackedCell& packed, kernels::vector::SweepRoom& room);

  [[nodiscard]] std::span<SweptCell> cells() noexcept { return cells_; }
  [[nodiscard]] SweepScratch& scratch(std::uint32_t worker) { return scratch_[worker]; }
  /// How often orders were made from nothing, and by insertion; of all cells together.
  struct Sorts {
    std::uint64_t made = 0, mended = 0;
  };
  [[nodiscard]] Sorts sorts() const noexcept;

 private:
  void find_pairs(const particles::CellTree& grid);
  [[nodiscard]] kernels::vector::SweepImage image_of(const particles::CellTree& grid, std::size_t near,
                                                     const particles::Neighbour& far) const;
  void use_axes(std::size_t near, std::size_t far, const kernels::vector::SweepImage& image);

  std::span<const double> moved_;
  int dimension_;
  double extent_;  // of all frames [length]
  bool has_thermal_;
  std::vector<SweptCell> cells_;
  std::vector<double> patience_;  // shape (cells): how far particles may move before orders are mended [length]
  std::vector<SweptPair> pairs_;
  std::vector<kernels::vector::SweepImage> images_, own_images_;
  std::vector<std::uint32_t> first_own_image_;  // shape (cells + 1)
  std::vector<Sorts> sorts_;                    // shape (cells)
  // Shape (N) each, or four times that and room behind each cell.
  base::PackVector<float> place_, flow_, state_, thermal_;
  std::vector<float> sums_;
  std::array<std::vector<float>, particles::Axis::count> keys_;
  std::array<std::vector<std::uint32_t>, particles::Axis::count> orders_;
  std::vector<SweepScratch> scratch_;  // one for each worker
};

}  // namespace tacit::sph
