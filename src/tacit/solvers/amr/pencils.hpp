// The sub-grid as a task sees it: pencils along an axis with their ghost cells, in the scratch of a worker.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "tacit/base/pack_memory.hpp"
#include "tacit/mesh/octree.hpp"
#include "tacit/solvers/amr/kernels/gas.hpp"
#include "tacit/solvers/amr/parameters.hpp"

namespace tacit::amr {

/// Where the cells of a sub-grid lie, seen along an axis: lanes go along the lower of the other axes fastest.
struct PencilShape {
  PencilShape(const Domain& domain, std::size_t along);

  std::size_t axis = 0;
  std::size_t cells = 0;                     ///< along the axis
  std::size_t ghosts = 0;                    ///< beyond each end
  std::size_t next = 0;                      ///< from a cell to the next one along the axis
  std::array<std::size_t, 2> across{};       ///< cells along the others, the faster one first
  std::array<std::size_t, 2> next_across{};  ///< likewise, from a cell to the next one
  [[nodiscard]] std::size_t lanes() const noexcept { return across[0] * across[1]; }
};

/// Copies layers of cells across the axis out of a sub-grid; a layer of pencils is contiguous.
/// @param first  layer   @param to  of the first layer, `lanes` from layer to layer
/// @param fields  how many of them
void take_layers(const PencilShape& shape, std::size_t fields, kernels::Variables<const double> cells,
                 std::size_t first, std::size_t count, kernels::Variables<double> to);
/// Adds the layers of pencils to the cells of a sub-grid, or sets these.
enum class Mode : std::uint8_t { set, add };
void put_layers(const PencilShape& shape, std::size_t fields, kernels::Variables<const double> layers, Mode mode,
                kernels::Variables<double> cells);
/// Fills the ghost cells at a side of the domain from the pencil's own cells.
/// @param pencil  shape (cells + 2 ghosts, lanes): primitive variables
void fill_outside(const PencilShape& shape, std::size_t fields, mesh::Side side, Wall wall,
                  kernels::Variables<double> pencil);

/// What a worker computes in: some tens of kB to half a MB, made once.
class Scratch {
 public:
  explicit Scratch(const Domain& domain, const kernels::Fields& fields = {});

  kernels::Variables<double> primitive;    ///< of the cells
  kernels::Variables<double> rate;         ///< likewise: dU/dt, and behind all fields how velocities jump
  kernels::Variables<double> layers;       ///< of a neighbour, conserved variables
  kernels::Variables<double> pencils;      ///< with ghosts
  kernels::Variables<double> pencil_rate;  ///< without
  std::array<double*, 3> faces{};          ///< by axis: mass fluxes through the faces of pencils

 private:
  base::PackVector<double> memory_;
};

}  // namespace tacit::amr
