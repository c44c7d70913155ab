// Reads a parameter file against the tables of its solver.
// SPDX-License-Identifier: Apache-2.0
#include "input.hpp"

#include <fmt/format.h>

#include "tacit/solvers/registry.hpp"

namespace tacit::apps {

Input read_input(const RunArguments& arguments) {
  const config::Document document(arguments.file, arguments.overrides);
  const engine::SolverEntry* solver = find_solver(document.choice(solver_key()));
  return {solver, document.read(tables_for(*solver))};
}

void require_spread(const Input& input, std::size_t ranks) {
  if (ranks == 1 || input.solver->spread == engine::Spread::ranks) return;
  throw config::Error(input.parameters.where("solver"), "solver",
                      fmt::format("'{}' runs on one rank, but there are {}", input.solver->name, ranks),
                      "start it once, without a launcher or with `-n 1`, and give it threads: --threads N");
}

}  // namespace tacit::apps
