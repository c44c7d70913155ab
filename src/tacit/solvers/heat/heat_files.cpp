// Snapshots that ParaView opens, and checkpoints.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <atomic>
#include <cstring>

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

/// The planes from z = first on that hold so many cells.
mesh::Box planes_of(const mesh::BlockGrid& grid, std::uint64_t first, std::size_t cells) {
  const mesh::Box& block = grid.block();
  const auto begin = static_cast<mesh::Index>(first);
  const mesh::Index planes = static_cast<mesh::Index>(cells) / (block.extent(0) * block.extent(1));
  return block.with(2, begin, begin + planes);
}

/// Copies a run of numbers to the front of `to`. @return what is left of it
std::span<std::byte> copy_run(std::span<const double> run, io::Number type, std::span<std::byte> to) {
  if (type == io::Number::float64) {
    std::memcpy(to.data(), run.data(), run.size_bytes());
  } else {
    auto* const out = reinterpret_cast<float*>(to.data());
    for (std::size_t i = 0; i < run.size(); ++i) out[i] = static_cast<float>(run[i]);
  }
  return to.subspan(run.size() * io::bytes_of(type));
}

/// The cells of a field without its ghost cells.
/// @param has_flaw  set where a number is not finite, looked at while it is in the caches; may be null
io::RowSource<std::byte> cells_of(const mesh::BlockGrid& grid, const Field& field, io::Number type,
                                  std::atomic<bool>* has_flaw = nullptr) {
  return [&grid, &field, type, has_flaw](std::uint64_t first, std::span<std::byte> out) {
    const mesh::Box planes = planes_of(grid, first, io::count_of(type, out.size()));
    mesh::for_runs(grid.layout(), planes, [&](std::size_t begin, std::size_t length) {
      const auto run = std::span(field).subspan(begin, length);
      if (has_flaw != nullptr && !are_finite(run)) *has_flaw = true;
      out = copy_run(run, type, out);
    });
  };
}

}  // namespace

std::uint64_t HeatSolver::write_snapshot(const std::filesystem::path& path, const engine::FileContext& context) const {
  io::FileWriter file = context.file(path, resources_.ranks);
  const Domain& domain = parameters_.domain;
  const std::array spacing{domain.spacing(0), domain.spacing(1), domain.spacing(2)};
  engine::write_image(file, {domain.cells, spacing, "CellData", "Scalars", "temperature"});
  const io::Number type = context.double_precision ? io::Number::float64 : io::Number::float32;
  const auto write = [&](const char* field, const auto& rows) {
    file.part(std::string("VTKHDF/CellData/") + field, shape_of(domain), type, part_of(grid_), rows);
  };
  std::atomic<bool> has_flaw{false};
  write("temperature", cells_of(grid_, fields_.T, type, &has_flaw));
  if (parameters_.initial.exact) {
    const ExactAt exact(*parameters_.initial.exact, domain, context.coordinate - parameters_.begin);
    write("exact", io::RowSource<double>([&](std::uint64_t first, std::span<double> out) {
            double* to = out.data();
            for_each_cell(grid_, planes_of(grid_, first, out.size()),
                          [&](std::size_t, const Cell& cell) { *to++ = exact(cell); });
          }));
  }
  // What a run needs that goes on from here: heat.diffusivity and heat.source are in its parameter file.
  if (parameters_.initial.diffusivity) write("diffusivity", cells_of(grid_, fields_.kappa, type));
  if (parameters_.initial.source) {
    write("source", io::RowSource<double>([&](std::uint64_t first, std::span<double> out) {
            mesh::pack<double>(grid_.layout(), planes_of(grid_, first, out.size()), fields_.source, out);
            for (double& value : out) value -= parameters_.source;
          }));
  }
  engine::write_header(file, context, domain.box);
  file.attribute("Header", "Dimension", std::array{static_cast<std::int64_t>(domain.dimensions)});
  if (statistics_.largest(has_flaw ? 1.0 : 0.0) > 0.0) throw engine::NumericsError("a temperature is not finite");
  return file.commit();
}

/// What a checkpoint cannot be continued without, beside what keys say: diffusivity and source are read again.
std::string HeatSolver::settings() const {
  const Initial& initial = parameters_.initial;
  if ((!initial.source && !initial.diffusivity) || initial.checksum.empty())
    return "a diffusivity and source of no file";
  return "diffusivity or source of a file with the checksum " + initial.checksum;
}

engine::OutputBytes HeatSolver::output_bytes(const engine::FileContext& context) const {
  const std::uint64_t cells = parameters_.domain.size();
  const std::uint64_t stored = context.double_precision ? sizeof(double) : sizeof(float);
  const Initial& initial = parameters_.initial;
  const std::uint64_t fields =
      1U + (initial.exact ? 1U : 0U) + (initial.diffusivity ? 1U : 0U) + (initial.source ? 1U : 0U);
  return {.snapshot = fields * cells * stored, .checkpoint = cells * sizeof(double)};
}

void HeatSolver::save(io::FileWriter& file) const {
  file.group(checkpoint_group);
  file.part(std::string(checkpoint_group) + "/temperature", shape_of(parameters_.domain), io::Number::float64,
            part_of(grid_), cells_of(grid_, fields_.T, io::Number::float64));
  file.attribute(checkpoint_group, "time", std::array{time_});
  if (log_) file.attribute(checkpoint_group, "range of the log", std::array{log_->scale()});
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
  if (log_ && file.has_attribute(checkpoint_group, "range of the log")) {
    log_->set_scale(engine::load_number(file, checkpoint_group, "range of the log", "range of the log", 0.0));
  }
}

}  // namespace tacit::heat
