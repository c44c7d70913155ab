// Snapshots that ParaView opens, and checkpoints.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <span>
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

/// The velocity at the points of this rank, shape (z, y, x, 3), in the numbers that are stored.
template <class T>
std::unique_ptr<T[]> velocity_at_points(Flow& flow) {
  const fft::Pencils& pencils = flow.pencils();
  const std::size_t n = flow.parameters().points[0];
  auto velocity = std::make_unique_for_overwrite<T[]>(3 * pencils.physical_size());
  flow.at_points([&](std::size_t y, std::size_t z, const std::array<const double*, 3>& row) {
    T* to = velocity.get() + 3 * row_of(pencils, y, z) * n;
    for (std::size_t x = 0; x < n; ++x) {
      for (std::size_t c = 0; c < 3; ++c) *to++ = static_cast<T>(row[c][x]);
    }
  });
  return velocity;
}

}  // namespace

std::uint64_t DnsSolver::write_snapshot(const std::filesystem::path& path, const engine::FileContext& context) const {
  io::FileWriter file = context.file(path, resources_.ranks);
  const auto& n = parameters_.flow.points;
  engine::write_image(file, image_of(parameters_.flow));
  const std::array<std::uint64_t, 4> shape{n[2], n[1], n[0], 3};
  const io::Number type = context.double_precision ? io::Number::float64 : io::Number::float32;
  io::Part mine = points_of(flow_.pencils());
  mine.first.push_back(0);
  mine.count.push_back(3);
  const auto write_velocity = [&]<class T>(T /*type*/) {
    const auto velocity = velocity_at_points<T>(flow_);
    file.part("VTKHDF/PointData/velocity", shape, type, mine, std::span<const T>(velocity.get(), mine.size()));
  };
  context.double_precision ? write_velocity(double{}) : write_velocity(float{});
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

engine::OutputBytes DnsSolver::output_bytes(const engine::FileContext& context) const {
  const auto& n = parameters_.flow.points;
  const fft::Modes& modes = flow_.pencils().modes();
  const std::uint64_t points = n[0] * n[1] * n[2];
  const std::uint64_t stored = context.double_precision ? sizeof(double) : sizeof(float);
  const std::uint64_t field = modes.count(0) * modes.count(1) * modes.count(2) * sizeof(Complex);
  return {.snapshot = flow_.fields() * stored * points, .checkpoint = flow_.fields() * field};
}

void DnsSolver::save(io::FileWriter& file) const {
  file.group(checkpoint_group);
  save_flow(file, checkpoint_group, flow_);
  file.attribute(checkpoint_group, "rate", std::array{rate_});
  const base::Vec3 box = parameters_.flow.box;
  file.attribute(checkpoint_group, "box", std::array{box.x, box.y, box.z});
  if (tracers_) tracers_->save(file);
}

void DnsSolver::load(const io::FileReader& file) {
  load_flow(file, checkpoint_group, flow_);
  rate_ = engine::load_number(file, checkpoint_group, "rate", "rate of the flow", 0.0);
}

}  // namespace tacit::dns
