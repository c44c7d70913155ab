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
#include "tacit/solvers/sph/pair_tasks.hpp"
#include "tacit/solvers/sph/sweep_room.hpp"
#include "tacit/tasks/graph.hpp"

namespace tacit::sph {

/// What of a cell sweeps look at; written by the tasks that pack.
struct SweptView {
  PackedCell packed;
  SweepReach* reach = nullptr;
};

struct SweptCell {
  tasks::Data<SweptView> packed;
  tasks::Data<float*> sums;                          ///< shape (particles, sweep_sums)
  kernels::vector::Frame frame{{}, 1.0, {}, {}, 3};  ///< around the middle; of the units when it was packed
  base::Vec3 middle;                                 ///< [length]
  std::uint16_t axes = 0;                            ///< bit k set: some pair needs the order along axis k
  std::uint8_t own_axis = 0;                         ///< along which the cell is longest
  bool is_sorted = false;                            ///< orders are there, perhaps stale
  double moved_at_sort = 0.0;                        ///< bound of the motion by then [length]
  SweepReach reach;
};

/// What a worker needs for sweeps beside its stack; room for the fullest cell.
struct SweepScratch {
  SweepRoom room;
  std::vector<PairDensity> densities;
  std::vector<kernels::SphenixGradients> gradients;
  std::vector<Rates> rates;
};

/// Another cell that a cell may see, through one image or several.
struct SweptPair {
  std::uint32_t far = 0;
  std::uint32_t first = 0, end = 0;  ///< its images
};

/// Memory for sweeps over all pairs of cells.
class SweptCells {
 public:
  /// For cells with their lists; `moved`, shape (cells): bound of how far particles have gone since they were sorted
  /// into cells [length], is looked at in each step.
  SweptCells(const particles::CellTree& grid, const CacheUnits& units, std::span<const double> moved, Scheme scheme,
             std::size_t workers);

  /// Points views at the particles, which were sorted into the cells again.
  void bind(const particles::CellTree& grid);

  /// Those of a cell with cells behind it in the order of cells.
  [[nodiscard]] std::span<const SweptPair> pairs(std::size_t near) const {
    return std::span(pairs_).subspan(first_pair_[near], first_pair_[near + 1] - first_pair_[near]);
  }
  [[nodiscard]] std::span<const SweepImage> images(const SweptPair& pair) const {
    return std::span(images_).subspan(pair.first, pair.end - pair.first);
  }
  /// Those through which a cell sees itself.
  [[nodiscard]] std::span<const SweepImage> own_images(std::size_t c) const {
    return std::span(own_images_).subspan(first_own_image_[c], first_own_image_[c + 1] - first_own_image_[c]);
  }
  /// Measures a cell by the present units from now on.
  void measure(std::size_t c, const CacheUnits& units);
  /// Makes the orders of a cell serve its present records: nothing where they moved little, else sorts them.
  void refresh_orders(std::size_t c, const PackedCell& packed, SweepRoom& room);

  /// Has all orders made from nothing when they are needed next.
  void forget_orders() noexcept {
    for (SweptCell& cell : cells_) cell.is_sorted = false;
  }

  [[nodiscard]] std::span<SweptCell> cells() noexcept { return cells_; }
  [[nodiscard]] SweepScratch& scratch(std::uint32_t worker) { return scratch_[worker]; }
  /// How often orders were made from nothing, and by insertion; of all cells together.
  struct Sorts {
    std::uint64_t made = 0, mended = 0;
  };
  [[nodiscard]] Sorts sorts() const noexcept;

 private:
  void find_pairs(const particles::CellTree& grid);
  [[nodiscard]] SweepImage image_of(const particles::CellTree& grid, std::size_t near,
                                    const particles::Neighbour& far) const;
  [[nodiscard]] SweptView view_of(std::size_t c, std::size_t first_record, std::size_t first_key, std::size_t count);
  void use_axes(std::size_t near, std::size_t far, const SweepImage& image);

  std::span<const double> moved_;
  int dimension_;
  double extent_;  // of all frames [length]
  bool has_thermal_;
  std::vector<SweptCell> cells_;
  std::vector<double> slack_;  // shape (cells): how far particles may move before orders are mended [length]
  std::vector<SweptPair> pairs_;
  std::vector<std::uint32_t> first_pair_;  // shape (cells + 1)
  std::vector<SweepImage> images_, own_images_;
  std::vector<std::uint32_t> first_own_image_;  // shape (cells + 1)
  std::vector<Sorts> sorts_;                    // shape (cells)
  // Cell after cell, so that what a sweep needs of a cell lies together.
  base::PackVector<float> records_;    // of each cell place, flow, state, and thermal with SPHENIX
  std::vector<float> sums_;            // shape (N, sweep_sums)
  std::vector<float> keys_;            // of each cell the orders along the axes that it needs
  std::vector<std::uint32_t> orders_;  // likewise
  std::vector<SweepScratch> scratch_;  // one for each worker
};

}  // namespace tacit::sph
