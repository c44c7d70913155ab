// What is measured of a gauge field: plaquettes, Polyakov and Wilson loops.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "tacit/solvers/qcd/gauge/link_tasks.hpp"

namespace tacit::qcd {

/// Means of Re tr U_p / 3: in planes along x, y, z alone, and in those with t.
struct Plaquettes {
  double spatial = 0.0;
  double temporal = 0.0;
  /// Over all planes.
  [[nodiscard]] double mean() const noexcept { return 0.5 * (spatial + temporal); }
};
/// All ranks call it, as all that follow. Sums are exact.
[[nodiscard]] Plaquettes plaquettes(const LinkTasks& tasks, const GaugeField& field);

/// The mean over all x, y, z of tr of the product of all links along t, divided by 3.
[[nodiscard]] Complex polyakov_loop(LinkTasks& tasks, const GaugeField& field);

/// Means of Re tr of the products of links around rectangles, r links along x, y or z and t links along t, divided
/// by 3.
/// @param r, t  the longest: at most the extents
/// @return      shape (r, t), from 1 x 1 on
[[nodiscard]] std::vector<double> wilson_loops(LinkTasks& tasks, const GaugeField& field, std::size_t r, std::size_t t);

}  // namespace tacit::qcd
