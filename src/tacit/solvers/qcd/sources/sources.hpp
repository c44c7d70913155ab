// The right-hand sides.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "tacit/solvers/qcd/fields.hpp"
#include "tacit/solvers/qcd/parameters.hpp"

namespace tacit::qcd {

/// Fills b with a right-hand side. Random numbers are keyed by site, spin and colour.
/// @param number  of those that there are: of a point or a wall 3 spin + colour
/// @param shape   of a point or a wall; else it is not used
/// @throws base::FormatError if a file has no array source of the lattice's shape, or numbers that are not finite
void make_source(const SourceParameters& parameters, std::size_t number, const SourceShape& shape,
                 const FieldSpace<double>& space, Field<double>& b);
/// The shape of a point or a wall, smeared as they say; empty for other kinds. All ranks call it.
[[nodiscard]] SourceShape make_shape(const SourceParameters& parameters, const GaugeField& field,
                                     const Division& division, tasks::Scheduler& scheduler);

}  // namespace tacit::qcd
