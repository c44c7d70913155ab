// Reads a parameter file against the tables of its solver.
// SPDX-License-Identifier: Apache-2.0
#include "input.hpp"

#include "tacit/solvers/registry.hpp"

namespace tacit::apps {

Input read_input(const RunArguments& arguments) {
  const config::Document document(arguments.file, arguments.overrides);
  const engine::SolverEntry* solver = find_solver(document.choice(solver_key()));
  return {solver, document.read(tables_for(*solver))};
}

}  // namespace tacit::apps
