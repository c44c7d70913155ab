// Scalars and forces in snapshots and checkpoints.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/dns/physics_files.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/solvers/dns/rank_parts.hpp"

namespace tacit::dns {
namespace {

std::int64_t number_of(ForcingKind kind) { return static_cast<std::int64_t>(kind); }

}  // namespace

std::string scalar_name(const Flow& flow, std::size_t scalar) {
  if (scalar < flow.parameters().physics.scalars.size()) return fmt::format("scalar{}", scalar + 1);
  return "buoyancy";
}

void write_scalars(io::FileWriter& file, const std::string& group, Flow& flow, io::Number type) {
  const fft::Shape& n = flow.parameters().points;
  const fft::Pencils& pencils = flow.pencils();
  std::vector<double> values(pencils.physical_size());
  for (std::size_t s = 0; s < flow.scalars(); ++s) {
    const std::string name = scalar_name(flow, s);
    const double unit = name == "buoyancy" ? flow.parameters().physics.stratification : 1.0;
    flow.scalar_at_points(s, [&](std::size_t y, std::size_t z, const double* row) {
      double* const to = values.data() + row_of(pencils, y, z) * n[0];
      for (std::size_t x = 0; x < n[0]; ++x) to[x] = unit * row[x];
    });
    file.part(group + "/" + name, std::array<std::uint64_t, 3>{n[2], n[1], n[0]}, type, points_of(pencils), values);
  }
}

void save_physics(io::FileWriter& file, const std::string& group, const Flow& flow) {
  const fft::Modes& modes = flow.pencils().modes();
  const std::array<std::uint64_t, 4> shape{modes.count(0), modes.count(2), modes.count(1), 2};
  for (std::size_t s = 0; s < flow.scalars(); ++s) {
    file.part(group + "/" + scalar_name(flow, s), shape, io::Number::float64, modes_of(flow.pencils()),
              as_numbers(flow.scalar(s)));
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

void load_physics(const io::FileReader& file, const std::string& group, Flow& flow) {
  for (std::size_t s = 0; s < flow.scalars(); ++s) {
    file.read_part(group + "/" + scalar_name(flow, s), modes_of(flow.pencils()), as_numbers(flow.scalar(s)));
  }
  scale_buoyancy(file, group, flow);
  const std::vector<double> steps = file.attribute(group, "steps");
  if (steps.size() != 1 || !(steps[0] >= 0.0)) {
    throw base::FormatError(file.path().string(), "has no number of steps; the file is damaged");
  }
  flow.set_steps(static_cast<std::uint64_t>(steps[0]));
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
