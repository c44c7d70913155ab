// What the engine asks of the heat solver, but for statistics.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/heat/heat_solver.hpp"

#include <string>

#include "tacit/engine/across_ranks.hpp"
#include "tacit/solvers/heat/field_rows.hpp"
#include "tacit/solvers/heat/update_cost.hpp"

namespace tacit::heat {
namespace {

/// What a checkpoint cannot be continued without, beside what keys say: diffusivity and source are read again.
std::string settings_of(const HeatParameters& parameters) {
  const std::string& checksum = parameters.initial.origin.checksum;
  if (parameters.is_uniform() || checksum.empty()) return "a diffusivity and source of no file";
  return "diffusivity or source of a file with the checksum " + checksum;
}

/// A file or a formula may have a number that is none in the cells of one rank.
FieldSet made_together(const HeatParameters& parameters, const mesh::BlockGrid& grid, comm::Communicator& ranks) {
  FieldSet fields;
  engine::fail_together(ranks, [&] { fields = make_fields(parameters, grid); });
  return fields;
}

}  // namespace

HeatSolver::HeatSolver(const HeatParameters& parameters, const engine::Resources& resources,
                       const io::FileReader* checkpoint)
    : GridSolver(parameters, rows_of(parameters.initial), "Heat", parameters.initial.origin, resources),
      fields_(made_together(parameters, grid(), resources.ranks)),
      launches_(parameters.launches, resources.scheduler),
      exact_(parameters.initial.exact),
      keeps_heat_(parameters.keeps_heat()),
      begin_(parameters.begin),
      time_(parameters.begin) {
  bind_fields(parameters);
  begin(staged_fields(parameters, grid(), fields_, launches_.slots()), fastest(fields_.by, grid()),
        cost_of_rates(parameters), checkpoint);
}

void HeatSolver::bind_fields(const HeatParameters& parameters) {
  table().bind(temperature_row, fields_.T);
  table().bind(exact_row, [this](const engine::FileContext& context) -> io::RowSource<double> {
    return mesh::planes_of(
        grid(), [exact = *exact_at(context.coordinate)](std::size_t, const Cell& cell) { return exact(cell); });
  });
  table().bind(diffusivity_row, fields_.kappa);
  // What a run needs that goes on from here: heat.source is in its parameter file.
  table().bind(source_row, [this](const engine::FileContext&) -> io::RowSource<double> {
    return mesh::planes_of(
        grid(), [this](std::size_t place, const Cell&) { return fields_.source[place] - fields_.by.constant_source; });
  });
  table().add_number("time", "time of the temperature", time_);
  table().set_settings(settings_of(parameters),
                       "start a new run; initial.setup = \"file\" takes a snapshot, whose numbers have 32 bits "
                       "without output.double_precision.");
}

std::optional<ExactAt> HeatSolver::exact_at(double time) const {
  if (!exact_) return {};
  return ExactAt(*exact_, domain(), time - begin_);
}

void HeatSolver::step(const tasks::StepContext& step) {
  measured_.reset();
  GridSolver::step(step);
  time_ = step.time + step.dt;
}

}  // namespace tacit::heat
