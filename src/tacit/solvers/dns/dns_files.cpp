// Snapshots that ParaView opens, and checkpoints.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "tacit/engine/checkpoint.hpp"
#include "tacit/solvers/dns/dns_solver.hpp"
#include "tacit/solvers/dns/physics_files.hpp"
#include "tacit/solvers/dns/rank_parts.hpp"
#include "tacit/solvers/dns/statistics.hpp"

namespace tacit::dns {
namespace {

constexpr const char* checkpoint_group = "Dns";

/// The layout of an image in VTK's HDF files, version 1: points are (z, y, x), and x runs fastest.
void write_image(io::FileWriter& file, const FlowParameters& flow) {
  const auto end = [](std::size_t points) { return static_cast<std::int64_t>(points) - 1; };
  const auto& n = flow.points;
  file.group("VTKHDF");
  file.group("VTKHDF/PointData");
  file.attribute("VTKHDF", "Version", std::array<std::int64_t, 2>{1, 0});
  file.attribute("VTKHDF", "Type", std::string_view("ImageData"));
  file.attribute("VTKHDF", "WholeExtent", std::array<std::int64_t, 6>{0, end(n[0]), 0, end(n[1]), 0, end(n[2])});
  file.attribute("VTKHDF", "Origin", std::array{0.0, 0.0, 0.0});
  file.attribute("VTKHDF", "Spacing",
                 std::array{flow.box.x / static_cast<double>(n[0]), flow.box.y / static_cast<double>(n[1]),
                            flow.box.z / static_cast<double>(n[2])});
  file.attribute("VTKHDF", "Direction", std::array{1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0});
}

}  // namespace

std::uint64_t DnsSolver::write_snapshot(const std::filesystem::path& path, const engine::FileContext& context) const {
  io::FileWriter file(path, context.compression, resources_.ranks);
  const auto& n = parameters_.flow.points;
  write_image(file, parameters_.flow);
  file.attribute("VTKHDF/PointData", "Vectors", std::string_view("velocity"));
  const fft::Pencils& pencils = flow_.pencils();
  std::vector<double> velocity(3 * pencils.physical_size());
  flow_.at_points([&](std::size_t y, std::size_t z, const std::array<const double*, 3>& row) {
    double* to = velocity.data() + 3 * row_of(pencils, y, z) * n[0];
    for (std::size_t x = 0; x < n[0]; ++x) {
      for (std::size_t c = 0; c < 3; ++c) *to++ = row[c][x];
    }
  });
  const std::array<std::uint64_t, 4> shape{n[2], n[1], n[0], 3};
  const io::Number type = context.double_precision ? io::Number::float64 : io::Number::float32;
  io::Part mine = points_of(pencils);
  mine.first.push_back(0);
  mine.count.push_back(3);
  file.part("VTKHDF/PointData/velocity", shape, type, mine, velocity);
  write_scalars(file, "VTKHDF/PointData", flow_, type);
  file.group("Spectra");
  const std::vector<double> shells = spectrum(flow_);
  file.array("Spectra/energy", shells, std::array<std::uint64_t, 1>{shells.size()}, io::Number::float64);
  file.group("Header");
  file.attribute("Header", "Time", std::array{context.coordinate});
  file.attribute("Header", "Step", std::array{static_cast<std::int64_t>(context.step)});
  file.attribute("Header", "BoxSize",
                 std::array{parameters_.flow.box.x, parameters_.flow.box.y, parameters_.flow.box.z});
  file.attribute("Header", "Viscosity", std::array{parameters_.flow.viscosity});
  file.attribute("Header", "RunName", std::string_view(context.run_name));
  file.attribute("Header", "Parameters", std::string_view(context.parameters));
  engine::save_provenance(file, context.provenance);
  const std::uint64_t bytes = file.commit();
  return tracers_ ? bytes + write_tracers(path, context) : bytes;
}

/// snapshot_0003.hdf5 has its tracers beside it, in tracers_0003.hdf5: ParaView wants a file for each kind of data.
std::uint64_t DnsSolver::write_tracers(const std::filesystem::path& snapshot,
                                       const engine::FileContext& context) const {
  std::string name = snapshot.filename().string();
  if (const auto begin = name.find("snapshot"); begin != std::string::npos) {
    name.replace(begin, std::string_view("snapshot").size(), "tracers");
  } else {
    name = "tracers_" + name;
  }
  tracers_->measure();
  return tracers_->write(snapshot.parent_path() / name, context);
}

/// What a checkpoint cannot be continued without: its modes mean nothing under other settings.
std::string DnsSolver::physics() const {
  const FlowParameters& flow = parameters_.flow;
  const std::array truncations{"none", "two_thirds", "spherical"};
  const std::string scalars = flow_.scalars() == 0 ? "" : fmt::format(", {} scalars", flow_.scalars());
  const std::string tracers =
      parameters_.tracers.count > 0 ? fmt::format(", {} tracers", parameters_.tracers.count) : "";
  return fmt::format("{} x {} x {} points, box {} x {} x {}, truncation {}, units of length {} cm, time {} s{}{}",
                     flow.points[0], flow.points[1], flow.points[2], flow.box.x, flow.box.y, flow.box.z,
                     truncations[static_cast<std::size_t>(flow.truncation)], units_.length_in_cgs, units_.time_in_cgs,
                     scalars, tracers);
}

void DnsSolver::save(io::FileWriter& file) const {
  const fft::Modes& modes = flow_.pencils().modes();
  const std::array<std::uint64_t, 4> shape{modes.count(0), modes.count(2), modes.count(1), 2};
  file.group(checkpoint_group);
  for (std::size_t c = 0; c < 3; ++c) {
    file.part(std::string(checkpoint_group) + "/" + velocity_names[c], shape, io::Number::float64,
              modes_of(flow_.pencils()), as_numbers(std::as_const(flow_).modes(c)));
  }
  save_physics(file, checkpoint_group, flow_);
  file.attribute(checkpoint_group, "rate", std::array{rate_});
  engine::save_settings(file, checkpoint_group, physics());
  const base::Vec3 box = parameters_.flow.box;
  file.attribute(checkpoint_group, "box", std::array{box.x, box.y, box.z});
  if (tracers_) tracers_->save(file);
}

void DnsSolver::load(const io::FileReader& file) {
  engine::require_same_settings(
      file, checkpoint_group, physics(),
      "start again; initial.setup = \"file\" takes the velocity of this file at any resolution.");
  for (std::size_t c = 0; c < 3; ++c) {
    const std::string name = std::string(checkpoint_group) + "/" + velocity_names[c];
    file.read_part(name, modes_of(flow_.pencils()), as_numbers(flow_.modes(c)));
  }
  load_physics(file, checkpoint_group, flow_);
  const std::vector<double> rate = file.attribute(checkpoint_group, "rate");
  if (rate.size() != 1 || !(rate[0] >= 0.0)) {
    throw base::FormatError(file.path().string(), "has no rate of the flow; the file is damaged");
  }
  rate_ = rate[0];
}

}  // namespace tacit::dns
