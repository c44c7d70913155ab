// Snapshots that ParaView opens, and checkpoints.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tacit/engine/checkpoint.hpp"
#include "tacit/engine/field_file.hpp"
#include "tacit/solvers/heat/heat_solver.hpp"

namespace tacit::heat {
namespace {

constexpr const char* checkpoint_group = "Heat";

/// What this rank has of an array of shape (z, y, x).
io::Part part_of(const mesh::BlockGrid& grid) {
  io::Part part;
  for (const std::size_t axis : {2U, 1U, 0U}) {
    part.first.push_back(static_cast<std::uint64_t>(grid.range(axis).begin));
    part.count.push_back(static_cast<std::uint64_t>(grid.range(axis).size()));
  }
  return part;
}

std::array<std::uint64_t, 3> shape_of(const Domain& domain) {
  const auto count = [&](std::size_t axis) { return static_cast<std::uint64_t>(domain.cells[axis]); };
  return {count(2), count(1), count(0)};
}

/// The cells of a field without its ghost cells.
std::vector<double> values_of(const mesh::BlockGrid& grid, const Field& field) {
  std::vector<double> values(grid.block().points());
  mesh::pack<double>(grid.layout(), grid.block(), field, values);
  return values;
}

}  // namespace

std::uint64_t HeatSolver::write_snapshot(const std::filesystem::path& path, const engine::FileContext& context) const {
  io::FileWriter file(path, context.compression, resources_.ranks);
  const Domain& domain = parameters_.domain;
  const std::array spacing{domain.spacing(0), domain.spacing(1), domain.spacing(2)};
  engine::write_image(file, {domain.cells, spacing, "CellData", "Scalars", "temperature"});
  const auto write = [&](const char* field, const std::vector<double>& values) {
    file.part(std::string("VTKHDF/CellData/") + field, shape_of(domain),
              context.double_precision ? io::Number::float64 : io::Number::float32, part_of(grid_), values);
  };
  write("temperature", values_of(grid_, fields_.T));
  if (parameters_.initial.exact) {
    const ExactAt exact(*parameters_.initial.exact, domain, context.coordinate - parameters_.begin);
    std::vector<double> values;
    for_each_cell(grid_, grid_.block(), [&](std::size_t, const Cell& cell) { values.push_back(exact(cell)); });
    write("exact", values);
  }
  // What a run needs that goes on from here: heat.diffusivity and heat.source are in its parameter file.
  if (parameters_.initial.diffusivity) write("diffusivity", values_of(grid_, fields_.kappa));
  if (parameters_.initial.source) {
    std::vector<double> values = values_of(grid_, fields_.source);
    for (double& value : values) value -= parameters_.source;
    write("source", values);
  }
  engine::write_header(file, context, domain.box);
  file.attribute("Header", "Dimension", std::array{static_cast<std::int64_t>(domain.dimensions)});
  return file.commit();
}

/// What a checkpoint cannot be continued without.
std::string HeatSolver::settings() const {
  const Domain& domain = parameters_.domain;
  const Initial& initial = parameters_.initial;
  constexpr std::array walls{"periodic", "fixed", "insulating"};
  std::string text =
      fmt::format("{} cells, box {}, walls", fmt::join(domain.cells, " x "), fmt::join(domain.box, " x "));
  for (const Wall wall : domain.walls) text += fmt::format(" {}", walls[static_cast<std::size_t>(wall)]);
  text += fmt::format(", units of length {} cm, time {} s, temperature {} K", units_.length_in_cgs, units_.time_in_cgs,
                      units_.temperature_in_cgs);
  if ((initial.source || initial.diffusivity) && !initial.checksum.empty())
    text += ", diffusivity or source of a file with the checksum " + initial.checksum;
  if (!initial.exact) return text;
  text += fmt::format(", exact solution: {} from the time {}", initial.exact->from, parameters_.begin);
  if (parameters_.diffusivity) text += fmt::format(", diffusivity {}", *parameters_.diffusivity);
  for (std::size_t axis = 0; axis < domain.dimensions; ++axis) {
    if (domain.walls[axis] == Wall::fixed)
      text += fmt::format(", walls across {} at {} and {}", "xyz"[axis], domain.low[axis], domain.high[axis]);
  }
  return text;
}

void HeatSolver::save(io::FileWriter& file) const {
  file.group(checkpoint_group);
  file.part(std::string(checkpoint_group) + "/temperature", shape_of(parameters_.domain), io::Number::float64,
            part_of(grid_), values_of(grid_, fields_.T));
  file.attribute(checkpoint_group, "time", std::array{time_});
  engine::save_settings(file, checkpoint_group, settings());
}

void HeatSolver::load(const io::FileReader& file) {
  engine::require_same_settings(
      file, checkpoint_group, settings(),
      "start a new run; initial.setup = \"file\" takes a snapshot, whose numbers have 32 bits "
      "without output.double_precision.");
  std::vector<double> values(grid_.block().points());
  file.read_part(std::string(checkpoint_group) + "/temperature", part_of(grid_), values);
  mesh::unpack<double>(grid_.layout(), grid_.block(), fields_.T, values);
  time_ = engine::load_number(file, checkpoint_group, "time", "time of the temperature");
}

}  // namespace tacit::heat
