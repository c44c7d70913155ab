// Snapshots that ParaView opens, and checkpoints.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "tacit/engine/checkpoint.hpp"
#include "tacit/engine/field_file.hpp"
#include "tacit/solvers/dns/dns_solver.hpp"
#include "tacit/solvers/dns/fields.hpp"
#include "tacit/solvers/dns/statistics/spectra.hpp"

namespace tacit::dns {
namespace {

constexpr const char* checkpoint_group = "Dns";

/// Points are (z, y, x), and x runs fastest.
engine::Image image_of(const FlowParameters& flow) {
  engine::Image image{
      .spacing = {flow.box.x, flow.box.y, flow.box.z}, .data = "PointData", .kind = "Vectors", .first = "velocity"};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    image.intervals[axis] = static_cast<std::int64_t>(flow.points[axis]) - 1;
    image.spacing[axis] /= static_cast<double>(flow.points[axis]);
  }
  return image;
}

}  // namespace

std::uint64_t DnsSolver::write_snapshot(const std::filesystem::path& path, const engine::FileContext& context) const {
  io::FileWriter file(path, context.compression, resources_.ranks);
  const auto& n = parameters_.flow.points;
  engine::write_image(file, image_of(parameters_.flow));
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
  write_header(file, context, parameters_.flow);
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
  file.group(checkpoint_group);
  save_flow(file, checkpoint_group, flow_);
  file.attribute(checkpoint_group, "rate", std::array{rate_});
  engine::save_settings(file, checkpoint_group, physics());
  const base::Vec3 box = parameters_.flow.box;
  file.attribute(checkpoint_group, "box", std::array{box.x, box.y, box.z});
  if (tracers_) tracers_->save(file);
}

void DnsSolver::load(const io::FileReader& file) {
  engine::require_same_settings(
      file, checkpoint_group, physics(),
      "start a new run; initial.setup = \"file\" takes the velocity of this file at any resolution.");
  load_flow(file, checkpoint_group, flow_);
  rate_ = engine::load_number(file, checkpoint_group, "rate", "rate of the flow", 0.0);
}

}  // namespace tacit::dns
