// Makes the shear layer and steps through it.
// SPDX-License-Identifier: Apache-2.0
#include "sph/shear_gas.hpp"

#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "tacit/solvers/sph/kernels/smoothing.hpp"

namespace tacit::bench {
namespace {

constexpr double pressure = 2.5;
constexpr double border = 0.0317;       ///< width of the transitions of v_x [box]
constexpr double seed_width = 0.05;     ///< of the seed around the borders [box]
constexpr double seed_velocity = 0.01;  ///< largest v_y

/// Velocity at a place of the unit square.
std::array<double, 2> velocity_at(double x, double y) {
  const auto bump = [y](double middle) {
    const double s = (y - middle) / seed_width;
    return std::exp(-0.5 * s * s);
  };
  const double layer = std::tanh((y - 0.25) / border) - std::tanh((y - 0.75) / border);
  return {0.5 * (layer - 1.0), seed_velocity * std::sin(4.0 * std::numbers::pi * x) * (bump(0.25) + bump(0.75))};
}

}  // namespace

sph::SphParameters parameters_of(const ShearRun& run) {
  sph::SphParameters parameters;
  parameters.scheme = run.scheme;
  parameters.has_individual_steps = run.steps == Steps::individual;
  parameters.pairs = run.pairs;
  parameters.kernel_name = "cubic_spline";
  sph::set_dimension(parameters, 3);
  return parameters;
}

sph::InitialConditions shear_layer(std::size_t side, const sph::Share& share) {
  const double spacing = 1.0 / static_cast<double>(side);
  sph::InitialConditions gas;
  gas.box = {1.0, 1.0, spacing * slab_particles};
  gas.source = "shear layer";
  const sph::Rows rows = share.of(side * side * slab_particles);
  for (std::uint64_t i = rows.first; i < rows.end; ++i) {
    const auto place = [spacing](std::size_t k) { return (static_cast<double>(k) + 0.5) * spacing; };
    const double x = place(i / (side * slab_particles));
    const double y = place(i / slab_particles % side);
    const auto [vx, vy] = velocity_at(x, y);
    gas.id.push_back(i + 1);
    gas.x.push_back(x);
    gas.y.push_back(y);
    gas.z.push_back(place(i % slab_particles));
    gas.vx.push_back(vx);
    gas.vy.push_back(vy);
  }
  gas.vz.assign(rows.size(), 0.0);
  gas.m.assign(rows.size(), spacing * spacing * spacing);
  gas.u.assign(rows.size(), pressure / (sph::SphParameters{}.gamma - 1.0));
  return gas;
}

ShearGas::ShearGas(const ShearRun& run)
    : recorder_(run.workers, 1024),
      scheduler_(run.workers, recorder_),
      solver_(parameters_of(run), base::UnitSystem{}, shear_layer(run.side),
              {.scheduler = scheduler_, .ranks = ranks_}) {}

void ShearGas::step() {
  tasks::StepContext context;
  context.time = time_;
  context.dt = solver_.time_step();
  context.step = count_++;
  solver_.step(context);
  time_ += context.dt;
}

void ShearGas::steps(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) step();
}

HostedGas::HostedGas(const ShearRun& run) {
  host_.call([&] {
    const auto processors = topology::allowed_cpus();
    if (run.workers == 1 && !processors.empty()) binding_.emplace(processors.front());
    gas_ = std::make_unique<ShearGas>(run);
    gas_->steps(warm_up_steps);
  });
}

HostedGas::~HostedGas() {
  host_.call([this] {
    gas_.reset();
    binding_.reset();
  });
}

}  // namespace tacit::bench
