// Which particles get a record at the end of their steps, and what it says.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/log_task.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "tacit/base/vec3.hpp"
#include "tacit/solvers/sph/kernels/prediction.hpp"

namespace tacit::sph {
namespace {

/// A cell's particles whose steps have just ended. With steps of their own, velocity and thermal variable stand in the
/// middle of the next one: they are brought back.
struct EndedSteps {
  const StepData& data;
  const Motion& motion;
  const Integrated& state;
  const Hydro& hydro;
  const Forces& forces;

  [[nodiscard]] LoggedFields of(std::size_t i) const {
    const StepClock& clock = data.clock;
    const double t = clock.is_common ? 0.0 : clock.since_next_middle(state.bin[i]);
    const auto v = [t](double at, float a) { return static_cast<float>(at + t * static_cast<double>(a)); };
    const double thermal = kernels::later(state.thermal[i], forces.dthermal_dt[i], t);
    return {.x = {motion.x[i], motion.y[i], motion.z[i]},
            .v = {v(state.vx[i], forces.ax[i]), v(state.vy[i], forces.ay[i]), v(state.vz[i], forces.az[i])},
            .u = static_cast<float>(data.physics.internal_energy(thermal, hydro.rho[i])),
            .rho = static_cast<float>(hydro.rho[i]),
            .h = static_cast<float>(hydro.h[i])};
  }
};

double relative_change(float now, float last) noexcept {
  const double change = std::abs(static_cast<double>(now) - static_cast<double>(last));
  return change > 0.0 ? change / std::abs(static_cast<double>(last)) : 0.0;
}

}  // namespace

io::LogSchema log_schema_of_particles(const std::array<double, 3>& period) {
  using io::Number;
  return {{{.name = "x", .type = Number::float64, .count = 3, .unit = "length", .rate = "v", .period = period},
           {.name = "v", .type = Number::float32, .count = 3, .unit = "velocity"},
           {.name = "u", .type = Number::float32, .unit = "specific energy"},
           {.name = "rho", .type = Number::float32, .unit = "density"},
           {.name = "h", .type = Number::float32, .unit = "length"}}};
}

void LastRecords::resize(std::size_t particles) {
  for_each([particles](auto& values) { values.resize(particles); });
}

void LastRecords::note_leaving(std::span<const std::uint64_t> id, std::span<const std::uint32_t> to,
                               std::uint32_t own) {
  for (std::size_t i = 0; i < id.size(); ++i) {
    if (to[i] != own && offset[i] != 0) of_gone[id[i]] = offset[i];
  }
}

void LastRecords::find_offsets(std::span<const std::uint64_t> id, std::size_t first) {
  for (std::size_t i = first; i < id.size(); ++i) {
    const auto before = of_gone.find(id[i]);
    offset[i] = before != of_gone.end() ? before->second : 0;
    if (before != of_gone.end()) of_gone.erase(before);
  }
}

void LastRecords::note(std::size_t i, std::uint64_t at, double t, const LoggedFields& logged) {
  offset[i] = at;
  time[i] = t;
  x[i] = logged.x[0];
  y[i] = logged.x[1];
  z[i] = logged.x[2];
  vx[i] = logged.v[0];
  vy[i] = logged.v[1];
  vz[i] = logged.v[2];
  u[i] = logged.u;
  rho[i] = logged.rho;
  steps[i] = 0;
}

double LastRecords::deviation(std::size_t i, double t, const LoggedFields& now, double cs) const noexcept {
  const base::Vec3 v{vx[i], vy[i], vz[i]};
  base::Vec3 off = base::Vec3{now.x[0], now.x[1], now.x[2]} - base::Vec3{x[i], y[i], z[i]} - (t - time[i]) * v;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (period[axis] > 0.0) off[axis] -= period[axis] * std::rint(off[axis] / period[axis]);
  }
  const double speed = norm(v) + cs;
  const double change = norm(base::Vec3{now.v[0], now.v[1], now.v[2]} - v);
  return std::max({norm(off) / static_cast<double>(now.h), change > 0.0 ? change / speed : 0.0,
                   relative_change(now.u, u[i]), relative_change(now.rho, rho[i])});
}

void log_particles(const StepData& data, std::size_t c, const tasks::StepContext& step) {
  // There is no log yet where the first forces are computed.
  if (!data.is_active(c) || data.log->writer == nullptr) return;
  const CellData& cell = data.cells[c];
  LastRecords& last = *step.write(cell.logged);
  const EndedSteps ended{data, step.read(cell.motion), step.read(cell.integrated), step.read(cell.hydro),
                         step.read(cell.forces)};
  const double t = data.clock.is_common ? step.time + step.dt : data.clock.line.time(data.clock.now);
  const std::size_t first = data.grid.range(c).begin;
  auto& due = last.of_workers[step.worker()].due;
  due.clear();
  // The kick has put these particles into bins whose steps begin now; they count as active as the old ones did.
  for_each_active(data.clock, ended.state.bin, [&](std::size_t i) {
    const LoggedFields now = ended.of(i);
    const double off = last.deviation(first + i, t, now, static_cast<double>(ended.hydro.cs[i]));
    if (data.log->policy.is_due(++last.steps[first + i], off)) due.emplace_back(i, now);
  });
  io::LogBatch batch = data.log->writer->reserve(due.size());
  if (!batch) return;  // they stay due
  for (const auto& [i, now] : due) {
    const std::size_t k = first + i;
    last.note(k, batch.write(ended.state.id[i], last.offset[k], t, now), t, now);
  }
}

}  // namespace tacit::sph
