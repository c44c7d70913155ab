// The fields of a rank: the table of those in files, their memory, and how the cells of the block lie in it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

#include "tacit/base/pack_memory.hpp"
#include "tacit/solvers/heat/block.hpp"
#include "tacit/solvers/heat/parameters.hpp"

namespace tacit::heat {

/// One number for each cell, in arrays of shape (z, y, x).
struct FieldInfo {
  std::string_view name;  ///< in files
  std::string_view symbol;
  std::string_view unit;
};
inline constexpr FieldInfo temperature{"temperature", "T", "temperature"};
inline constexpr FieldInfo exact_temperature{"exact", "T", "temperature"};
inline constexpr FieldInfo diffusivity{"diffusivity", "kappa", "length^2 / time"};

/// Memory of a field, with a layer of ghost cells on all sides.
using Field = base::PackVector<double>;

/// What a rank has of all fields.
struct FieldSet {
  Field T;
  std::array<Field, 2> between;  ///< T after stages in the midst of a step; the second one for more than two stages
  Field rate;                    ///< L(T) at the begin of a step, where the scheme uses it
  std::array<Field, 3> faces;    ///< kappa / dx^2 at the face below each cell; empty where kappa and S are constant
  Field source;                  ///< S, likewise
};

/// Fields at the begin: initial temperature, ghost cells at walls not yet set.
[[nodiscard]] FieldSet make_fields(const HeatParameters& parameters, const Block& block);
/// What L(T) needs of them.
[[nodiscard]] kernels::Diffusion diffusion_of(const HeatParameters& parameters, const Block& block,
                                              const FieldSet& fields);

/// sum_i kappa / dx_i^2 in the cell where it is largest [1/time]: no eigenvalue of -L is beyond four times that.
[[nodiscard]] double fastest(const HeatParameters& parameters, const Block& block, const FieldSet& fields);

}  // namespace tacit::heat
