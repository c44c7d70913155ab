// Advances the fields of a definition, and measures them.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/stencil/stencil_solver.hpp"

#include <fmt/format.h>

#include <array>
#include <memory>

#include "tacit/engine/error.hpp"
#include "tacit/mesh/cell_sums.hpp"
#include "tacit/mesh/field_place.hpp"
#include "tacit/mesh/sides.hpp"

namespace tacit::stencil {
namespace {

constexpr std::array names_of_sums{"mean", "variance", "least", "largest"};

std::vector<mesh::Field> begin_of(const Definition& definition, const Setting& setting, const mesh::BlockGrid& grid) {
  std::vector<mesh::Field> fields(definition.rows.size());
  for (std::size_t f = 0; f < fields.size(); ++f) {
    fields[f].resize(grid.layout().size());
    mesh::for_points(grid, grid.block(), [&](std::size_t place, const mesh::Point& at) {
      fields[f][place] = setting.begin(f, {at[0], at[1], at[2]});
    });
  }
  return fields;
}

}  // namespace

StencilSolver::StencilSolver(const Definition& definition, const Setting& setting, const engine::Resources& resources,
                             const io::FileReader* checkpoint)
    : definition_(definition),
      setting_(setting),
      grid_(mesh::grid_with_sides(setting.domain.grid(), resources.ranks.size(), resources.ranks.rank())),
      fields_(begin_of(definition, setting, grid_)),
      table_(mesh::field_place(grid_), definition.rows, std::string(definition.title), resources),
      step_(grid_, staged_fields(), resources.scheduler, resources.ranks),
      scheduler_(resources.scheduler),
      reductions_(resources.ranks) {
  setting_.begin = nullptr;  // files are let go
  const mesh::Domain& domain = setting_.domain;
  table_.set_image({.cells = domain.cells,
                    .spacing = {domain.spacing(0), domain.spacing(1), domain.spacing(2)},
                    .box = domain.box,
                    .dimensions = domain.dimensions});
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    table_.bind(definition.rows[f], fields_[f]);
    for (const char* sum : names_of_sums) columns_.push_back(fmt::format("{}_{}", definition.rows[f].info.name, sum));
  }
  if (checkpoint != nullptr) table_.load(*checkpoint);
  step_.fill_sides();
}

mesh::StagedFields StencilSolver::staged_fields() {
  mesh::StagedFields staged{.fields = {}, .sides = {}, .stages = setting_.stages, .advance = setting_.model.advance};
  for (mesh::Field& field : fields_) {
    staged.fields.push_back(&field);
    staged.sides.push_back(mesh::images_of(setting_.domain.grid(), grid_));
  }
  return staged;
}

double StencilSolver::time_step() const {
  if (const auto why = refusal(definition_, setting_)) throw engine::NumericsError(*why);
  return setting_.dt.value_or(setting_.cfl * setting_.longest_step());
}

/// The variance takes a second look, so that of a nearly uniform field it is more than rounding.
std::vector<engine::Statistic> StencilSolver::statistics() const {
  const auto cells = static_cast<double>(setting_.domain.size());
  const auto sums_of = [&](const auto& number_of) {
    std::vector<mesh::Sums> sums;
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      sums.push_back(
          mesh::sums_over_points<1>(grid_, scheduler_, [&](auto& numbers, std::size_t place, const mesh::Point&) {
            numbers[0].add(number_of(f, fields_[f][place]));
          })[0]);
    }
    mesh::join_ranks(reductions_, sums);
    return sums;
  };
  const std::vector<mesh::Sums> of_fields = sums_of([](std::size_t, double value) { return value; });
  const auto mean = [&](std::size_t f) { return of_fields[f].sum.value() / cells; };
  const std::vector<mesh::Sums> of_squares = sums_of([&](std::size_t f, double value) {
    const double difference = value - mean(f);
    return difference * difference;
  });
  std::vector<engine::Statistic> result;
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    for (const double number : {mean(f), of_squares[f].sum.value() / cells, of_fields[f].least, of_fields[f].largest}) {
      result.push_back({columns_[result.size()], number});
    }
  }
  return result;
}

std::unique_ptr<engine::Solver> make_solver(const Definition& definition, const config::Parameters& parameters,
                                            const engine::Resources& resources, const io::FileReader* restart) {
  const Setting setting = read_setting(definition, parameters);
  static_cast<void>(mesh::divide(setting.domain, 1, resources.ranks.size(), comm::RankId{0}, parameters,
                                 key_of(definition, "cells")));
  return std::make_unique<StencilSolver>(definition, setting, resources, restart);
}

engine::Prediction predict(const Definition& definition, const config::Parameters& parameters, std::size_t ranks) {
  const Setting setting = read_setting(definition, parameters);
  static_cast<void>(mesh::divide(setting.domain, 1, ranks, comm::RankId{0}, parameters, key_of(definition, "cells")));
  engine::Prediction prediction{.elements = setting.domain.size(), .element_name = "cells"};
  const auto numbers = static_cast<double>(setting.domain.size() * definition.rows.size());
  prediction.memory_bytes = 3.0 * 8.0 * numbers;  // twice in a step, and a copy where a file is written
  prediction.set_bytes(
      engine::bytes_of(definition.rows, setting.domain.size(), parameters.flag("output.double_precision")));
  prediction.first_time_step = setting.dt.value_or(setting.cfl * setting.longest_step());
  if (const auto why = refusal(definition, setting))
    prediction.warnings.push_back(*why + ": a run will end with an error");
  // Assumed: what one rate of a dozen operations takes in memory.
  prediction.updates_per_core_s = 5e8 / static_cast<double>(definition.rows.size());
  return prediction;
}

}  // namespace tacit::stencil
