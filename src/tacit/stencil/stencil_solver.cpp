// Advances the fields of a definition, and measures them.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/stencil/stencil_solver.hpp"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <utility>

namespace tacit::stencil {
namespace {

constexpr std::array names_of_sums{"mean", "variance", "least", "largest"};

}  // namespace

StencilSolver::StencilSolver(const Definition& definition, const Setting& setting, const engine::Resources& resources,
                             const io::FileReader* checkpoint)
    : GridSolver(setting, definition.rows, std::string(definition.title), setting.origin, resources),
      fields_(definition.rows.size()) {
  mesh::StagedFields staged{.fields = {}, .sides = {}, .stages = setting.stages, .advance = setting.model.advance};
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    fields_[f] = mesh::field_of(grid(), grid().block(), [&](const mesh::Cell& cell) { return setting.begin(f, cell); });
    table().bind(definition.rows[f], fields_[f]);
    staged.fields.push_back(&fields_[f]);
    staged.sides.push_back(mesh::sides_of(domain(), grid()));
    for (const char* sum : names_of_sums) columns_.push_back(fmt::format("{}_{}", definition.rows[f].info.name, sum));
  }
  begin(std::move(staged), setting.model.fastest, {.flops = setting.model.operations}, checkpoint);
}

/// The variance takes a second look, so that of a nearly uniform field it is more than rounding.
std::vector<engine::Statistic> StencilSolver::statistics() const {
  const auto cells = static_cast<double>(domain().size());
  const auto sums_of = [&](const auto& number_of) {
    std::vector<mesh::Sums> sums;
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      sums.push_back(sums_over_cells<1>([&](auto& numbers, std::size_t place, const mesh::Cell&) {
        numbers[0].add(number_of(f, fields_[f][place]));
      })[0]);
    }
    join_ranks(sums);
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
  setting.require_ranks(resources.ranks.size(), parameters);
  return std::make_unique<StencilSolver>(definition, setting, resources, restart);
}

engine::Prediction predict(const Definition& definition, const config::Parameters& parameters, std::size_t ranks) {
  const Setting setting = read_setting(definition, parameters);
  return predict(setting, definition.rows, 0, setting.model.fastest, {.flops = setting.model.operations}, parameters,
                 ranks);
}

}  // namespace tacit::stencil
