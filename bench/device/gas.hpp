// Random gas in a sub-grid, and its stage on the processor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tacit/solvers/amr/launches/stage_launches.hpp"

namespace tacit::device_run {

[[nodiscard]] amr::AmrParameters gas_parameters(std::size_t dimensions, std::size_t block);

/// A sub-grid with all that a stage of it reads and writes.
struct GasProblem {
  GasProblem(const amr::AmrParameters& parameters, const std::vector<amr::PencilShape>& shapes, std::uint64_t seed);
  [[nodiscard]] amr::StageOfLeaf stage(amr::kernels::Stage stage);
  /// The same by the loops of the processor.
  void advance(const amr::StageOfLeaf& of);

  const amr::AmrParameters& parameters;
  const std::vector<amr::PencilShape>& shapes;
  std::size_t cells = 1;
  std::vector<double> U, base, out;
  std::array<std::array<std::vector<double>, 2>, 3> layers, kept;
  std::uint64_t walls;  // a number for each side, in base 3
};

}  // namespace tacit::device_run
