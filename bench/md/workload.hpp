// The crystals that benchmarks of molecular dynamics begin with.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "tacit/solvers/md/parameters.hpp"

namespace tacit::bench {

struct Workload {
  std::string name;
  bool is_silicon = false;
  std::array<int, 3> cells{1, 1, 1};  ///< along each edge
  std::size_t steps = 100;
};

/// Lennard-Jones atoms that melt, or hot silicon.
[[nodiscard]] md::MdParameters parameters_of(const Workload& workload);

}  // namespace tacit::bench
