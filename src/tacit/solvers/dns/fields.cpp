// Fields and forces in snapshots and checkpoints.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/dns/fields.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/engine/checkpoint.hpp"
#include "tacit/engine/field_file.hpp"

namespace tacit::dns {
namespace {

std::int64_t number_of(ForcingKind kind) { return static_cast<std::int64_t>(kind); }

/// The modes of a rank, in an array of shape (kx, kz, ky, 2).
io::Part modes_of(const fft::Pencils& pencils) {
  return {.first = {pencils.kx().begin, 0, pencils.ky().begin, 0},
          .count = {pencils.kx().size(), pencils.modes().count(2), pencils.ky().size(), 2}};
}

}  // namespace

std::vector<FieldInfo> fields_of(const PhysicsParameters& physics) {
  std::vector<FieldInfo> fields;
  for (const char* name : velocity_names) fields.push_back({.name = name, .symbol = name, .unit = "velocity"});
  for (std::size_t s = 1; s <= physics.scalars.size(); ++s) {
    fields.push_back({.name = fmt::format("scalar{}", s), .symbol = "theta", .unit = "scalar"});
  }
  if (physics.stratification > 0.0) {
    fields.push_back(
        {.name = "buoyancy", .symbol = "b/N", .unit = "acceleration", .at_points = physics.stratification});
  }
  return fields;
}

io::Part points_of(const fft::Pencils& pencils) {
  return {.first = {pencils.z().begin, pencils.y().begin, 0},
          .count = {pencils.z().size(), pencils.y().size(), pencils.modes().points()[0]}};
}

void write_header(io::FileWriter& file, const engine::FileContext& context, const FlowParameters& flow) {
  engine::write_header(file, context, {flow.box.x, flow.box.y, flow.box.z});
  file.attribute("Header", "Viscosity", std::array{flow.viscosity});
}

void save_flow(io::FileWriter& file, const std::string& group, const Flow& flow) {
  const fft::Modes& modes = flow.pencils().modes();
  const std::array<std::uint64_t, 4> shape{modes.count(0), modes.count(2), modes.count(1), 2};
  const std::vector<FieldInfo> fields = fields_of(flow.parameters().physics);
  for (std::size_t i = 0; i < flow.fields(); ++i) {
    file.part(group + "/" + fields[i].name, shape, io::Number::float64, modes_of(flow.pencils()),
              numbers(flow.field(i)));
  }
  file.attribute(group, "steps", std::array{static_cast<std::int64_t>(flow.steps())});
  const double stratification = flow.parameters().physics.stratification;
  if (stratification > 0.0) file.attribute(group, "stratification", std::array{stratification});
  const std::vector<double> state = flow.forcing().state();
  if (state.empty()) return;
  file.array(group + "/forcing", state, std::array<std::uint64_t, 1>{state.size()}, io::Number::float64);
  file.attribute(group, "forcing", std::array{number_of(flow.parameters().physics.forcing.kind)});
}

void scale_buoyancy(const io::FileReader& file, const std::string& group, Flow& flow) {
  const double now = flow.parameters().physics.stratification;
  if (!(now > 0.0) || !file.has_attribute(group, "stratification")) return;
  const std::vector<double> then = file.attribute(group, "stratification");
  if (then.size() != 1 || !(then[0] > 0.0)) {
    throw base::FormatError(file.path().string(), "has no stratification above 0; the file is damaged");
  }
  if (then[0] == now) return;
  for (Complex& mode : flow.scalar(flow.scalars() - 1)) mode *= then[0] / now;
}

void load_flow(const io::FileReader& file, const std::string& group, Flow& flow) {
  const std::vector<FieldInfo> fields = fields_of(flow.parameters().physics);
  for (std::size_t i = 0; i < flow.fields(); ++i) {
    file.read_part(group + "/" + fields[i].name, modes_of(flow.pencils()), numbers(flow.field(i)));
  }
  scale_buoyancy(file, group, flow);
  flow.set_steps(static_cast<std::uint64_t>(engine::load_number(file, group, "steps", "number of steps", 0.0)));
  if (!file.has(group + "/forcing")) return;
  std::vector<double> state(std::as_const(flow).forcing().state().size());
  const std::vector<double> kind = file.attribute(group, "forcing");
  const bool is_same =
      kind.size() == 1 && kind[0] == static_cast<double>(number_of(flow.parameters().physics.forcing.kind));
  if (!is_same || file.info(group + "/forcing").shape != std::vector<std::uint64_t>{state.size()}) return;
  file.read(group + "/forcing", state);
  flow.forcing().restore(state);
}

}  // namespace tacit::dns
