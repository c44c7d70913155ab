// The table of fields: what files have of them, and what they mean.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "tacit/engine/field_row.hpp"
#include "tacit/solvers/heat/setups/setups.hpp"

namespace tacit::heat {

inline constexpr engine::FieldRow temperature_row{.info = {.name = "temperature",
                                                           .symbol = "T",
                                                           .unit = base::dimension::temperature,
                                                           .meaning = "temperature, the mean over a cell"},
                                                  .in = {.snapshot = true, .checkpoint = true, .input = true}};
inline constexpr engine::FieldRow exact_row{.info = {.name = "exact",
                                                     .symbol = "T",
                                                     .unit = base::dimension::temperature,
                                                     .meaning = "exact solution at the centre of a cell"},
                                            .in = {.snapshot = true},
                                            .where = "where it is known"};
inline constexpr engine::FieldRow diffusivity_row{.info = {.name = "diffusivity",
                                                           .symbol = "kappa",
                                                           .unit = {.length = 2, .time = -1},
                                                           .meaning = "diffusivity of a cell"},
                                                  .in = {.snapshot = true, .input = true},
                                                  .where = "where it is not constant"};
inline constexpr engine::FieldRow source_row{.info = {.name = "source",
                                                      .symbol = "S",
                                                      .unit = {.time = -1, .temperature = 1},
                                                      .meaning = "source of heat beside `heat.source`"},
                                             .in = {.snapshot = true, .input = true},
                                             .where = "where a file gives it"};
inline constexpr std::array field_rows{temperature_row, exact_row, diffusivity_row, source_row};

/// Those of a run with such initial conditions.
[[nodiscard]] inline std::vector<engine::FieldRow> rows_of(const Initial& initial) {
  std::vector<engine::FieldRow> rows{temperature_row};
  if (initial.exact) rows.push_back(exact_row);
  if (initial.diffusivity) rows.push_back(diffusivity_row);
  if (initial.source) rows.push_back(source_row);
  return rows;
}

}  // namespace tacit::heat
