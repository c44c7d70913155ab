// Shapes of sources that have one right-hand side for each spin and colour: points, walls, and smeared ones.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tacit/solvers/qcd/division.hpp"
#include "tacit/solvers/qcd/gauge/smearing.hpp"
#include "tacit/solvers/qcd/gauge_field.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::qcd {

/// How a source is spread over its slice of t.
struct SourceSmearing {
  double weight = 0.0;      ///< kappa
  std::uint64_t steps = 0;  ///< 0: it is not
  Smearing links = {};      ///< of those by which it is spread
};

/// A matrix of each site of a rank, in the order of LatticePart::at: element (a, c) is colour a of the right-hand sides
/// whose colour is c, of their own spin.
using SourceShape = std::vector<Matrix3>;

/// 1 at a site.
[[nodiscard]] SourceShape point_shape(const LatticePart& part, const Coordinates& position);
/// 1 at all sites of a slice of t.
[[nodiscard]] SourceShape wall_shape(const LatticePart& part, std::uint32_t t);

/// Spreads a shape by Jacobi's iteration with the links along x, y, z,
///
///     b'(x) = [b(x) + kappa sum_i (U(x, i) b(x + i) + U(x - i, i)^+ b(x - i))] / (1 + 6 kappa),
///
/// Gaussian for many steps: of free links <r^2> = 6 kappa n / (1 + 6 kappa). All ranks call it.
/// @param field  of the same part
/// @see Guesken (1990), Nucl. Phys. B (Proc. Suppl.) 17, 361
void smear_shape(const GaugeField& field, const Division& division, tasks::Scheduler& scheduler,
                 const SourceSmearing& smearing, SourceShape& shape);

}  // namespace tacit::qcd
