// What the engine does for a solver that has a table of fields.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/engine/solver.hpp"

#include "tacit/base/error.hpp"
#include "tacit/engine/field_table.hpp"

namespace tacit::engine {
namespace {

const FieldTable& table_of(const Solver& solver) {
  const FieldTable* const table = solver.table_of_fields();
  if (table != nullptr) return *table;
  throw base::PreconditionError("a solver without a table of fields has its own elements, write_snapshot and save");
}

}  // namespace

std::optional<Flaw> Solver::not_finite() const {
  const FieldTable* const table = table_of_fields();
  return table != nullptr ? table->not_finite() : find_not_finite(conserved().quantities);
}

std::uint64_t Solver::elements() const { return table_of(*this).elements(); }

std::uint64_t Solver::write_snapshot(const std::filesystem::path& path, const FileContext& context) const {
  return table_of(*this).write_snapshot(path, context);
}

OutputBytes Solver::output_bytes(const FileContext& context) const {
  const FieldTable* const table = table_of_fields();
  return table != nullptr ? table->bytes(context.double_precision) : OutputBytes{};
}

void Solver::save(io::FileWriter& checkpoint) const { table_of(*this).save(checkpoint); }

}  // namespace tacit::engine
