// What the engine asks of the dns solver, but for files.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/dns/dns_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tacit/base/checksum.hpp"
#include "tacit/engine/across_ranks.hpp"
#include "tacit/solvers/dns/formats/field_file.hpp"
#include "tacit/solvers/dns/statistics/distributions.hpp"
#include "tacit/solvers/dns/traffic.hpp"
#include "tacit/solvers/dns/update_cost.hpp"

namespace tacit::dns {

DnsSolver::DnsSolver(const DnsParameters& parameters, const engine::Resources& resources)
    : parameters_(parameters),
      resources_(resources),
      flow_(parameters.flow, resources.scheduler, resources.ranks),
      means_(flow_),
      physics_statistics_(parameters.flow.physics),
      energy_watch_(parameters.flow),
      origin_{.input = describe(parameters.setup)} {
  make_scalars(parameters.scalars, flow_);
  std::string warning;
  engine::fail_together(resources.ranks, [&] { warning = make(parameters.setup, flow_); });
  if (!warning.empty()) warnings_.push_back("warning: " + warning);
  if (const auto* file = std::get_if<FromFile>(&parameters.setup)) {
    const FieldFile fields(file->path);
    fields.give_scalars(flow_);
    for (const std::string& name : fields.left_out(flow_)) {
      warnings_.push_back(fmt::format(
          "warning: {}: {} is left out; {}", file->path.string(), name,
          name == "buoyancy" ? "a flow has it with dns.stratification > 0" : "scalars.schmidt has no entry for it"));
    }
    origin_.checksum = base::file_checksum(file->path);
  }
  if (parameters.tracers.count > 0) {
    tracers_ = std::make_unique<Tracers>(flow_, parameters.tracers, resources.scheduler, resources.log);
  }
  flow_.expect_what_is_forced();
  rate_ = changes_of(flow_.measure_rate());
}

DnsSolver::DnsSolver(const DnsParameters& parameters, const io::FileReader& checkpoint,
                     const engine::Resources& resources)
    : parameters_(parameters),
      resources_(resources),
      flow_(parameters.flow, resources.scheduler, resources.ranks),
      means_(flow_),
      physics_statistics_(parameters.flow.physics),
      energy_watch_(parameters.flow) {
  load(checkpoint);
  if (parameters.tracers.count > 0) {
    tracers_ = std::make_unique<Tracers>(flow_, parameters.tracers, resources.scheduler, checkpoint, resources.log);
  }
}

double DnsSolver::fastest(double rate, const PhysicsParameters& physics) noexcept {
  const bool is_random = physics.forcing.kind == ForcingKind::eswaran_pope;
  return rate + physics.stratification + (is_random ? 1.0 / physics.forcing.memory : 0.0);
}

/// With the rate at which random forces, which stand still, pass by in the frame of the mean flow; or at least that at
/// which a constant power changes what it acts on.
double DnsSolver::changes_of(double rate) const {
  if (parameters_.flow.physics.forcing.kind == ForcingKind::constant) return std::max(rate, flow_.forcing_rate());
  if (parameters_.flow.physics.forcing.kind != ForcingKind::eswaran_pope) return rate;
  return rate + flow_.forcing().largest_wave_number() * base::norm(flow_.mean());
}

double DnsSolver::time_step() const {
  if (!std::isfinite(rate_))
    throw engine::NumericsError(engine::Flaw{.text = "the velocity is not finite", .field = "velocity"});
  const double rate = fastest(rate_, parameters_.flow.physics);
  if (!parameters_.dt) {
    return rate > 0.0 ? parameters_.cfl / rate : std::numeric_limits<double>::infinity();
  }
  if (const auto why = refusal(*parameters_.dt, rate, parameters_.flow.scheme, 4)) throw engine::NumericsError(*why);
  return *parameters_.dt;
}

std::optional<std::string> DnsSolver::refusal(double dt, double rate, Scheme scheme, int digits) {
  if (!(dt * rate > unstable)) return {};
  // Rounded down, so that a step of what is said is taken.
  const double longest = unstable / rate * (1.0 - 0.5 * std::pow(10.0, 1 - digits));
  return fmt::format(
      "dns.dt = {:.4g} is too long: no step beyond {:.{}g} is stable; take {:.{}g} or less (a Courant "
      "number of {} is good for {}), or dns.cfl",
      dt, longest, digits, good(scheme) / rate, digits, good(scheme), scheme == Scheme::rk4 ? "rk4" : "rk2");
}

void DnsSolver::step(const tasks::StepContext& step) {
  means_.forget();
  flow_.step(step.dt, [&](kernels::Substage substage) {
    if (tracers_) tracers_->advance(substage, step.dt, step.time);
  });
  logged_until_ = step.time;
  rate_ = changes_of(flow_.rate());
  if (!std::isfinite(rate_)) {
    throw engine::NumericsError(
        engine::Flaw{.text = "the velocity is not finite after this step", .field = "velocity"});
  }
}

std::optional<io::LogSchema> DnsSolver::log_schema() const {
  return tracers_ ? std::optional(TracerLog::schema()) : std::nullopt;
}

/// More come from other ranks before they are logged; one that finds no room is logged a step later.
std::uint64_t DnsSolver::log_records() const {
  constexpr std::uint64_t arrivals = 1024;
  return std::min<std::uint64_t>(2 * logged_elements() + arrivals, parameters_.tracers.count);
}

void DnsSolver::begin_log(double time, std::uint64_t /*step*/, const io::LogReader* before) {
  const auto mark = before != nullptr ? before->complete() : std::nullopt;
  logged_until_ = mark ? mark->time : time;
  tracers_->begin_log(time, before);
}

engine::MechanicalSums DnsSolver::sums() const {
  const Flow::Energetics& now = means_.energetics();
  engine::MechanicalSums result;
  result.momentum = flow_.mean();
  result.momentum_scale = std::sqrt(2.0 * now.energy);
  result.kinetic_energy = now.energy;
  const PhysicsParameters& physics = parameters_.flow.physics;
  if (physics.stratification > 0.0) result.potential_energy = potential_energy(means_);
  result.keeps_energy = parameters_.flow.viscosity == 0.0 && physics.forcing.kind == ForcingKind::none;
  return result;
}

std::optional<engine::Flaw> DnsSolver::not_finite() const {
  if (flow_.has_moderate_modes()) return std::nullopt;  // much faster than what finds the name of a flaw
  if (auto flaw = sums().not_finite()) return flaw;
  std::vector<engine::Statistic> more;
  physics_statistics_.append(means_, more);
  for (const auto& [name, value] : more) {
    if (!std::isfinite(value)) {
      return engine::Flaw{.text = fmt::format("{} is {}", name, value), .field = std::string(name)};
    }
  }
  return std::nullopt;
}

std::vector<engine::Statistic> DnsSolver::statistics() const {
  const Flow::Energetics& now = means_.energetics();
  const Scales scales = scales_of(now, flow_);
  std::vector<engine::Statistic> result{{"dissipation", now.dissipation},
                                        {"enstrophy", now.enstrophy},
                                        {"helicity", now.helicity},
                                        {"taylor_scale", scales.taylor},
                                        {"taylor_reynolds_number", scales.taylor_reynolds_number},
                                        {"kolmogorov_scale", scales.kolmogorov},
                                        {"kolmogorov_time", scales.kolmogorov_time},
                                        {"k_max_eta", scales.k_max_eta},
                                        {"integral_scale", scales.integral},
                                        {"turnover_time", scales.turnover_time},
                                        {"derivative_skewness", derivative_skewness(flow_)},
                                        {"largest_divergence", now.divergence}};
  physics_statistics_.append(means_, result);
  if (tracers_) {
    tracers_->measure();
    const TracerMeans means = tracers_->means();
    result.push_back({"tracer_square_displacement", means.square_displacement});
    result.push_back({"tracer_velocity_correlation", means.correlation});
  }
  return result;
}

std::vector<std::string> DnsSolver::new_warnings() {
  std::vector<std::string> result = std::exchange(warnings_, {});
  const auto add = [&result](std::string warning) {
    if (!warning.empty()) result.push_back(std::move(warning));
  };
  add(warning_of_eddies());
  add(warning_of_energy());
  return result;
}

std::string DnsSolver::warning_of_eddies() {
  if (has_warned_of_eddies_) return {};
  const double dissipation = std::max(means_.energetics().dissipation, expected_dissipation(flow_));
  std::string warning = resolution_warning(flow_, dissipation);
  has_warned_of_eddies_ = !warning.empty();
  return warning;
}

std::string DnsSolver::warning_of_energy() {
  if (has_warned_of_energy_ || !energy_watch_.is_on()) return {};
  const base::Vec3 mean = flow_.mean();
  const double kinetic = means_.energetics().energy;
  const double energy = kinetic - 0.5 * base::dot(mean, mean) + potential_energy(means_);
  // Of a flow that is nearly uniform, what differs from the mean is rounding.
  constexpr double of_rounding = 1e-10;
  const double error = energy > of_rounding * kinetic ? energy_watch_.error(energy) : 0.0;
  has_warned_of_energy_ = std::abs(error) > EnergyWatch::tolerance;
  if (!has_warned_of_energy_) return {};
  const std::string step = parameters_.dt ? fmt::format("dns.dt (now {:.4g})", *parameters_.dt)
                                          : fmt::format("dns.cfl (now {:.4g})", parameters_.cfl);
  return energy_warning(parameters_.flow, error, step);
}

std::vector<engine::StepTraffic> DnsSolver::traffic() const { return count_traffic(parameters_.flow); }

std::optional<engine::UpdateCost> DnsSolver::update_cost() const { return dns::update_cost(flow_.parameters()); }

std::uint64_t DnsSolver::elements() const {
  const auto& points = parameters_.flow.points;
  return std::uint64_t{points[0]} * points[1] * points[2];
}

}  // namespace tacit::dns
