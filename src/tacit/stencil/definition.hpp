// What a solver on a periodic grid says of itself; all else follows from it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "tacit/config/parameters.hpp"
#include "tacit/engine/coarser.hpp"
#include "tacit/engine/field_row.hpp"
#include "tacit/engine/solver.hpp"
#include "tacit/mesh/domain.hpp"
#include "tacit/mesh/kernels/stages.hpp"
#include "tacit/stencil/grid_setting.hpp"

namespace tacit::stencil {

using Position = std::array<double, 3>;  ///< of the centre of a cell [length]
/// How a field begins: fields are numbered as the rows of the table.
using FieldsAt = std::function<double(std::size_t field, const Position& position)>;
/// A set-up: reads its keys.
using Setup = FieldsAt (*)(const config::Parameters&, const mesh::Domain&);

/// How fields change, for given parameters.
struct Model {
  /// Computes a stage in the cells of a tile: see mesh::advance_tile. Called by tasks, for several tiles at once.
  /// @param at  one for each row of the table
  std::function<void(const mesh::StageTile&, const mesh::Stage&, double dt, std::span<const mesh::StageFields> at)>
      advance;
  double operations = 0.0;  ///< of the rates of all fields in a cell, for peak_share; 0: only memory counts
  double fastest = 0.0;     ///< the largest rate -lambda at which anything decays [1/time]: it bounds the step
};

/// A solver whose fields have ghost cells one wide, and change by what is around them. Its keys are those of the
/// domain and of the steps, see read_grid_setting, of initial conditions, and `keys`.
///
///     constexpr stencil::Definition definition{.name = "fisher", ..., .model = &make_model};
///     const engine::SolverEntry& solver_entry() {
///       static const engine::SolverEntry entry = stencil::entry_of<definition>();
///       return entry;
///     }
struct Definition {
  std::string_view name;   ///< also of its table of keys
  std::string_view title;  ///< of that table in documents
  std::string_view help;
  std::span<const config::Key> keys;              ///< of the model and of set-ups
  std::span<const config::Choice<Setup>> setups;  ///< initial.setup; "file" is added
  std::span<const engine::FieldRow> rows;         ///< of the fields that steps advance
  Model (*model)(const config::Parameters&, const mesh::Domain&);
};

/// Files and statistics go by the names of fields.
[[nodiscard]] constexpr bool names_differ(std::span<const engine::FieldRow> rows) noexcept {
  for (std::size_t i = 1; i < rows.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (rows[i].info.name == rows[k].info.name) return false;
    }
  }
  return true;
}

/// The tables of keys of such a solver, with the texts that they point to.
class Tables {
 public:
  explicit Tables(const Definition& definition);
  ~Tables();
  Tables(const Tables&) = delete;
  Tables& operator=(const Tables&) = delete;
  [[nodiscard]] std::span<const config::KeyTable> all() const noexcept;

 private:
  struct Texts;
  std::unique_ptr<Texts> texts_;
};

[[nodiscard]] std::unique_ptr<engine::Solver> make_solver(const Definition& definition,
                                                          const config::Parameters& parameters,
                                                          const engine::Resources& resources,
                                                          const io::FileReader* restart);
[[nodiscard]] engine::Prediction predict(const Definition& definition, const config::Parameters& parameters,
                                         std::size_t ranks);

/// The solver as the registry sees it.
template <const Definition& definition>
[[nodiscard]] engine::SolverEntry entry_of() {
  static_assert(names_differ(definition.rows), "two rows of the table of fields have the same name");
  return {.name = definition.name,
          .help = definition.help,
          .tables =
              [] {
                static const Tables tables(definition);
                return tables.all();
              },
          .make = [](const config::Parameters& parameters, const engine::Resources& resources,
                     const io::FileReader* restart) { return make_solver(definition, parameters, resources, restart); },
          .predict = [](const config::Parameters& parameters,
                        std::size_t ranks) { return predict(definition, parameters, ranks); },
          .fields = [] { return definition.rows; },
          .coarser = [](const config::Parameters& parameters,
                        std::uint64_t quarters) { return coarser(parameters, definition.name, quarters); }};
}

}  // namespace tacit::stencil
