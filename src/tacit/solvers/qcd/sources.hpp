// The right-hand sides.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "tacit/solvers/qcd/fields.hpp"
#include "tacit/solvers/qcd/parameters.hpp"

namespace tacit::qcd {

/// Fills b with a right-hand side. Random numbers are keyed by site, spin and colour.
/// @param number  of those that there are: of a point source 3 spin + colour
/// @throws base::FormatError if a file has no array source of the lattice's shape, or numbers that are not finite
void make_source(const SourceParameters& parameters, std::size_t number, const FieldSpace<double>& space,
                 Field<double>& b);

}  // namespace tacit::qcd
