// Snapshots that ParaView opens, and checkpoints.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tacit/engine/checkpoint.hpp"
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
  std::vector<double> values;
  values.reserve(grid.block().points());
  for_each_cell(grid, grid.block(), [&](std::size_t i, const Cell&) { values.push_back(field[i]); });
  return values;
}

/// The layout of an image in VTK's HDF files, version 1: arrays are (z, y, x), one number for each cell.
void write_image(io::FileWriter& file, const Domain& domain) {
  const auto& n = domain.cells;
  file.group("VTKHDF");
  file.group("VTKHDF/CellData");
  file.attribute("VTKHDF", "Version", std::array<std::int64_t, 2>{1, 0});
  file.attribute("VTKHDF", "Type", std::string_view("ImageData"));
  file.attribute("VTKHDF", "WholeExtent", std::array<std::int64_t, 6>{0, n[0], 0, n[1], 0, n[2]});
  file.attribute("VTKHDF", "Origin", std::array{0.0, 0.0, 0.0});
  file.attribute("VTKHDF", "Spacing", std::array{domain.spacing(0), domain.spacing(1), domain.spacing(2)});
  file.attribute("VTKHDF", "Direction", std::array{1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0});
  file.attribute("VTKHDF/CellData", "Scalars", std::string_view("temperature"));
}

void write_header(io::FileWriter& file, const engine::FileContext& context, const Domain& domain) {
  file.group("Header");
  file.attribute("Header", "Time", std::array{context.coordinate});
  file.attribute("Header", "Step", std::array{static_cast<std::int64_t>(context.step)});
  file.attribute("Header", "Dimension", std::array{static_cast<std::int64_t>(domain.dimensions)});
  file.attribute("Header", "BoxSize", domain.box);
  file.attribute("Header", "RunName", std::string_view(context.run_name));
  file.attribute("Header", "Parameters", std::string_view(context.parameters));
  engine::save_provenance(file, context.provenance);
}

}  // namespace

std::uint64_t HeatSolver::write_snapshot(const std::filesystem::path& path, const engine::FileContext& context) const {
  io::FileWriter file(path, context.compression, resources_.ranks);
  const Domain& domain = parameters_.domain;
  write_image(file, domain);
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
  write_header(file, context, domain);
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
  auto value = values.begin();
  for_each_cell(grid_, grid_.block(), [&](std::size_t i, const Cell&) { fields_.T[i] = *value++; });
  const std::vector<double> time = file.attribute(checkpoint_group, "time");
  if (time.size() != 1 || !std::isfinite(time[0])) {
    throw base::FormatError(file.path().string(), "has no time of the temperature; the file is damaged");
  }
  time_ = time[0];
}

}  // namespace tacit::heat
