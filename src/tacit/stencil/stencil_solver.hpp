// A solver on a periodic grid as the engine sees it, whatever its fields are.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tacit/stencil/grid_solver.hpp"
#include "tacit/stencil/keys.hpp"

namespace tacit::stencil {

/// Owns the fields of a definition, and measures them.
class StencilSolver final : public GridSolver {
 public:
  /// @param checkpoint  to continue from; null: the initial conditions of the setting
  /// @throws base::FormatError if it does not fit the setting or is damaged
  StencilSolver(const Definition& definition, const Setting& setting, const engine::Resources& resources,
                const io::FileReader* checkpoint);

  /// Mean, variance, least and largest number of each field.
  [[nodiscard]] std::vector<engine::Statistic> statistics() const override;

 private:
  std::vector<mesh::Field> fields_;   // of the rows
  std::vector<std::string> columns_;  // of statistics
};

}  // namespace tacit::stencil
