// The fields of a run as files have them.
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <utility>

#include "tacit/mesh/field_place.hpp"
#include "tacit/solvers/heat/field_rows.hpp"
#include "tacit/solvers/heat/heat_solver.hpp"

namespace tacit::heat {
namespace {

/// The planes from z = first on that hold so many cells.
mesh::Box planes_of(const mesh::BlockGrid& grid, std::uint64_t first, std::size_t cells) {
  const mesh::Box& block = grid.block();
  const auto begin = static_cast<mesh::Index>(first);
  const mesh::Index planes = static_cast<mesh::Index>(cells) / (block.extent(0) * block.extent(1));
  return block.with(2, begin, begin + planes);
}

/// What a checkpoint cannot be continued without, beside what keys say: diffusivity and source are read again.
std::string settings_of(const Initial& initial) {
  if ((!initial.source && initial.diffusivity.is_constant()) || initial.checksum.empty())
    return "a diffusivity and source of no file";
  return "diffusivity or source of a file with the checksum " + initial.checksum;
}

}  // namespace

void HeatSolver::fill_table() {
  const Domain& domain = parameters_.domain;
  table_.set_image({.cells = domain.cells,
                    .spacing = {domain.spacing(0), domain.spacing(1), domain.spacing(2)},
                    .box = domain.box,
                    .dimensions = domain.dimensions});
  table_.bind(temperature_row, fields_.T);
  table_.bind(exact_row, [this](const engine::FileContext& context) -> io::RowSource<double> {
    const auto exact = std::make_shared<const ExactAt>(*parameters_.initial.exact, parameters_.domain,
                                                       context.coordinate - parameters_.begin);
    return [this, exact](std::uint64_t first, std::span<double> out) {
      double* to = out.data();
      for_each_cell(grid_, planes_of(grid_, first, out.size()),
                    [&](std::size_t, const Cell& cell) { *to++ = (*exact)(cell); });
    };
  });
  table_.bind(diffusivity_row, fields_.kappa);
  // What a run needs that goes on from here: heat.source is in its parameter file.
  table_.bind(source_row, [this](const engine::FileContext&) -> io::RowSource<double> {
    return [this](std::uint64_t first, std::span<double> out) {
      table_.copy_rows(fields_.source, first, out);
      for (double& value : out) value -= parameters_.source;
    };
  });
  table_.add_number("time", "time of the temperature", time_);
  table_.set_settings(settings_of(parameters_.initial),
                      "start a new run; initial.setup = \"file\" takes a snapshot, whose numbers have 32 bits "
                      "without output.double_precision.");
}

}  // namespace tacit::heat
