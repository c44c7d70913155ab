// The dns solver as the registry sees it, and what it predicts of a run.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "tacit/comm/communicator.hpp"
#include "tacit/engine/coarser.hpp"
#include "tacit/fft/process_grid.hpp"
#include "tacit/solvers/dns/dns_solver.hpp"
#include "tacit/solvers/dns/formats/field_file.hpp"
#include "tacit/solvers/dns/traffic.hpp"
#include "tacit/solvers/dns/update_cost.hpp"

namespace tacit::dns {
namespace {

/// @throws config::Error if rows of the length that was asked for cannot be made of the ranks: which can
void check_rows(const config::Parameters& parameters, std::size_t ranks) {
  const auto count = static_cast<std::int64_t>(ranks);
  const std::int64_t row = parameters.integer("dns.process_grid");
  if (row == 0 || count % row == 0) return;
  std::vector<std::int64_t> good;
  for (std::int64_t length = 1; length <= count; ++length) {
    if (count % length == 0) good.push_back(length);
  }
  throw config::Error(parameters.where("dns.process_grid"), "dns.process_grid",
                      fmt::format("rows of {} ranks cannot be made of {}", row, count),
                      fmt::format("one of {} can; 0 chooses", fmt::join(good, ", ")));
}

std::unique_ptr<engine::Solver> make_solver(const config::Parameters& parameters, const engine::Resources& resources,
                                            const io::FileReader* restart) {
  const DnsParameters dns = read_parameters(parameters);
  check_rows(parameters, resources.ranks.size());
  if (restart != nullptr) return std::make_unique<DnsSolver>(dns, *restart, resources);
  return std::make_unique<DnsSolver>(dns, resources);
}

/// What the first step must follow [1/time]; 0: it cannot be told.
double first_rate(const DnsParameters& dns) {
  const std::optional<double> speed = expected_speed(dns.setup);
  if (!speed || !(*speed > 0.0)) return 0.0;
  const fft::Shape& n = dns.flow.points;
  const base::Vec3& box = dns.flow.box;
  const double distance = std::min(
      {box.x / static_cast<double>(n[0]), box.y / static_cast<double>(n[1]), box.z / static_cast<double>(n[2])});
  return DnsSolver::fastest(*speed / distance, dns.flow.physics);
}

/// The first step, and whether it is one that a run would refuse.
void predict_step(const DnsParameters& dns, engine::Prediction& prediction) {
  const double rate = first_rate(dns);
  prediction.first_time_step = dns.dt.value_or(rate > 0.0 ? dns.cfl / rate : 0.0);
  if (!dns.dt) return;
  const auto why = DnsSolver::refusal(*dns.dt, rate, dns.flow.scheme, 2);
  if (why) prediction.warnings.push_back(*why + ": a run will end with an error");
}

/// As a run does, which finds it where the log begins.
void check_log(const config::Parameters& parameters, const DnsParameters& dns) {
  if (!parameters.flag("output.log") || dns.tracers.count > 0) return;
  throw config::Error(parameters.where("output.log"), "output.log", "there is nothing that dns logs in this run",
                      "docs/guide/log.md says what each solver logs");
}

engine::Prediction predict(const config::Parameters& parameters, std::size_t ranks) {
  const DnsParameters dns = read_parameters(parameters);
  check_log(parameters, dns);
  check_rows(parameters, ranks);
  if (const auto* setup = std::get_if<FromFile>(&dns.setup)) static_cast<void>(FieldFile(setup->path));
  if (const auto* setup = std::get_if<Formulas>(&dns.setup)) look_at_formulas(*setup, dns.flow);
  const auto& n = dns.flow.points;
  const fft::Modes modes(n, dns.flow.truncation);
  if (dns.flow.algorithm.grid.row_size == 0) static_cast<void>(fft::choose_grid(modes, ranks, 1));
  const double points = static_cast<double>(n[0]) * static_cast<double>(n[1]) * static_cast<double>(n[2]);
  const double kept = static_cast<double>(modes.count(0)) * static_cast<double>(modes.count(1));
  const double field = 16.0 * kept * static_cast<double>(modes.count(2));
  const double between = 16.0 * kept * static_cast<double>(n[2]);
  engine::Prediction prediction;
  prediction.element_name = "points";
  prediction.elements = static_cast<std::uint64_t>(points);
  const double sets = dns.flow.scheme == Scheme::rk4 ? 3.0 : 2.0;
  const auto scalars = static_cast<double>(dns.flow.physics.all_scalars().size());
  const double passed = (dns.flow.form == Form::divergence ? 4.0 : 6.0) + 2.0 * scalars;
  const double rotor = dns.flow.physics.rotates() ? field : 0.0;
  const double snapshot = 24.0 * points + 4.5 * between;  // with the pass that makes it: measured
  prediction.memory_bytes = (3.0 + scalars) * sets * field + rotor + passed * between + snapshot;
  const auto tracers = static_cast<double>(dns.tracers.count);
  if (tracers > 0.0) prediction.memory_bytes += 24.0 * points + 3.0 * between + sizeof(Tracer) * tracers;
  const double stored = parameters.flag("output.double_precision") ? 8.0 : 4.0;
  prediction.snapshot_bytes = (3.0 + scalars) * stored * points + (9.0 * stored + 24.0) * tracers;
  prediction.checkpoint_bytes = (3.0 + scalars) * field + 72.0 * tracers;
  prediction.log = {tracers, "tracers", TracerLog::schema()};
  prediction.staged_bytes = prediction.snapshot_bytes + prediction.checkpoint_bytes;
  predict_step(dns, prediction);
  prediction.cost = update_cost(dns.flow);
  prediction.peak_share = 0.31;  // examples/dns/decaying with 128^3 points
  // Measured with AVX-512 on Zen 5 at 128^3 and 256^3: 22 ns per point and substage.
  prediction.updates_per_core_s = dns.flow.scheme == Scheme::rk4 ? 1.1e7 : 2.2e7;
  if (ranks > 1) prediction.traffic = count_traffic(dns.flow, ranks);
  prediction.work_of_element = work_of_point(dns.flow);
  return prediction;
}

std::optional<engine::Coarser> coarser(const config::Parameters& parameters, std::uint64_t quarters) {
  if (parameters.has("initial.file")) return std::nullopt;
  constexpr std::array<std::string_view, 3> points{"dns.points", "dns.points_y", "dns.points_z"};
  // Transforms of other lengths take long.
  return engine::coarser_count(parameters, points, quarters, {.least = 8, .unit = 8});
}

}  // namespace

const engine::SolverEntry& solver_entry() {
  static constexpr engine::SolverEntry entry{.name = "dns",
                                             .help = "incompressible turbulence in a periodic box, pseudo-spectral",
                                             .tables = &key_tables,
                                             .make = &make_solver,
                                             .predict = &predict,
                                             .coarser = &coarser};
  return entry;
}

}  // namespace tacit::dns
