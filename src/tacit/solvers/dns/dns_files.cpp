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
#include "tacit/solvers/dns/snapshot_fields.hpp"

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

/// About the length of a step, as long as the flow is as it is now; 0 where it is not known.
double DnsSolver::usual_step() const {
  if (parameters_.dt) return *parameters_.dt;
  return rate_ > 0.0 ? parameters_.cfl / rate_ : 0.0;
}

std::uint64_t DnsSolver::write_snapshot(const std::filesystem::path& path, const engine::FileContext& context) const {
  SnapshotFields fields(flow_, context.double_precision);
  flow_.look_now([&](const Flow::PointRow& row) { fields.take(row); }, usual_step());
  const std::uint64_t bytes = write_fields(fields, path, context);
  return tracers_ ? bytes + write_tracers(path, context) : bytes;
}

bool DnsSolver::plan_snapshot(const std::filesystem::path& path, const engine::FileContext& context) {
  if (!flow_.steps_show_points()) return false;
  planned_ = std::make_unique<SnapshotFields>(flow_, context.double_precision);
  flow_.look_in_next_step([this](const Flow::PointRow& row) { planned_->take(row); });
  if (tracers_) write_tracers(path, context);
  return true;
}

std::uint64_t DnsSolver::write_planned_snapshot(const std::filesystem::path& path, const engine::FileContext& context) {
  const std::unique_ptr<SnapshotFields> fields = std::move(planned_);
  if (!fields->is_complete()) {
    flow_.look_in_next_step({});
    flow_.look_now([&](const Flow::PointRow& row) { fields->take(row); }, usual_step());
  }
  return write_fields(*fields, path, context);
}

std::uint64_t DnsSolver::write_fields(const SnapshotFields& fields, const std::filesystem::path& path,
                                      const engine::FileContext& context) const {
  io::FileWriter file = context.file(path, resources_.ranks);
  engine::write_image(file, image_of(parameters_.flow));
  fields.write(file);
  write_header(file, context, parameters_.flow);
  return file.commit();
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
