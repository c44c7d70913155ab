// Drivers of the scalar kernels over the particles of one cell.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/cell_tasks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tacit/solvers/sph/kernels/density.hpp"
#include "tacit/solvers/sph/kernels/equation_of_state.hpp"
#include "tacit/solvers/sph/kernels/force.hpp"
#include "tacit/solvers/sph/kernels/smoothing.hpp"
#include "tacit/solvers/sph/kernels/smoothing_length.hpp"

namespace tacit::sph {
namespace {

/// Copies particle i as the next candidate.
void copy_motion(kernels::NeighbourCache& cache, const Motion& motion, std::size_t i, const kernels::Point& at) {
  const std::size_t k = cache.size;
  cache.x[k] = at.x;
  cache.y[k] = at.y;
  cache.z[k] = at.z;
  cache.vx[k] = motion.vx_p[i];
  cache.vy[k] = motion.vy_p[i];
  cache.vz[k] = motion.vz_p[i];
  cache.m[k] = motion.m[i];
}

void copy_hydro(kernels::NeighbourCache& cache, const Hydro& hydro, std::size_t i) {
  const std::size_t k = cache.size;
  cache.h[k] = hydro.h[i];
  cache.rho[k] = hydro.rho[i];
  cache.omega_P[k] = hydro.omega_P[i];
  cache.cs[k] = hydro.cs[i];
  cache.balsara[k] = hydro.balsara[i];
}

/// What follows from density and entropy: pressure term, sound speed, viscosity limiter.
void set_hydro(const Hydro& hydro, std::size_t i, const kernels::Density& density, double A,
               const kernels::VelocityGradients& gradients, double gamma) {
  const double rho = density.rho;
  const double h = hydro.h[i];
  const double P = kernels::pressure(A, rho, gamma);
  // f = 1 / (1 + h/(3 rho) drho/dh): Springel & Hernquist (2002), MNRAS 333, 649, eq. 8. For a lone particle rho ~
  // h^-3, so the bracket vanishes; it has no gradients, and f = 1 keeps it finite.
  const double bracket = 1.0 + h / (3.0 * rho) * density.drho_dh;
  const double f = bracket > 1e-3 ? 1.0 / bracket : 1.0;
  hydro.rho[i] = rho;
  hydro.omega_P[i] = f * P / (rho * rho);
  hydro.cs[i] = kernels::sound_speed(P, rho, gamma);
  hydro.balsara[i] = kernels::balsara_factor(gradients, hydro.cs[i], h);
  hydro.div_v[i] = gradients.div_v;
}

template <class Kernel>
void compute_density(kernels::NeighbourCache& cache, const Motion& motion, const Hydro& hydro,
                     const SphParameters& physics, double reach, CellReport& report) {
  using State = kernels::SmoothingLengthResult::State;
  report.out_of_reach = false;
  for (std::size_t i = 0; i < hydro.h.size(); ++i) {
    const kernels::Point at{motion.x[i], motion.y[i], motion.z[i]};
    const auto solved = kernels::solve_smoothing_length<Kernel>(cache, at, motion.m[i], hydro.h[i],
                                                                reach / Kernel::gamma, physics.smoothing);
    hydro.h[i] = solved.h;
    if (solved.state == State::out_of_reach) {
      report.out_of_reach = true;
      continue;
    }
    const base::Vec3 v{motion.vx_p[i], motion.vy_p[i], motion.vz_p[i]};
    const auto gradients = kernels::velocity_gradients<Kernel>(cache, at, v, solved.h, solved.density.rho);
    set_hydro(hydro, i, solved.density, motion.A_p[i], gradients, physics.gamma);
  }
}

template <class Kernel>
void compute_forces(kernels::NeighbourCache& cache, const Motion& motion, const Hydro& hydro, const Forces& forces,
                    const SphParameters& physics, CellReport& report) {
  report.dt = std::numeric_limits<double>::infinity();
  report.a_max = 0.0;
  for (std::size_t i = 0; i < hydro.h.size(); ++i) {
    const kernels::ForceTarget target{{motion.x[i], motion.y[i], motion.z[i]},
                                      {motion.vx_p[i], motion.vy_p[i], motion.vz_p[i]},
                                      hydro.h[i],
                                      hydro.rho[i],
                                      hydro.omega_P[i],
                                      hydro.cs[i],
                                      hydro.balsara[i]};
    const double H = Kernel::gamma * target.h;
    kernels::find_within_either(cache, target.at, H, Kernel::gamma);
    const kernels::Force force = kernels::force_sum<Kernel>(cache, target, physics.alpha);
    forces.ax[i] = force.a.x;
    forces.ay[i] = force.a.y;
    forces.az[i] = force.a.z;
    forces.dA_dt[i] = kernels::entropy_rate(force.dissipation, target.rho, physics.gamma);
    forces.v_sig[i] = force.v_sig;
    // dt = 2 C H / v_sig: SWIFT's form of Springel (2005), eq. 16, so that the same cfl gives the same steps. A gas
    // without sound and motion may take any step.
    if (force.v_sig > 0.0) report.dt = std::min(report.dt, 2.0 * physics.cfl * H / force.v_sig);
    report.a_max = std::max(report.a_max, norm(force.a));
  }
}

}  // namespace

void kick_and_drift(const Motion& motion, const Integrated& state, const Hydro& hydro, const Forces& forces,
                    double dt) {
  const double half = 0.5 * dt;
  for (std::size_t i = 0; i < motion.x.size(); ++i) {
    state.vx[i] += forces.ax[i] * half;
    state.vy[i] += forces.ay[i] * half;
    state.vz[i] += forces.az[i] * half;
    state.A[i] += forces.dA_dt[i] * half;
    motion.x[i] += state.vx[i] * dt;
    motion.y[i] += state.vy[i] * dt;
    motion.z[i] += state.vz[i] * dt;
    motion.vx_p[i] = state.vx[i] + forces.ax[i] * half;
    motion.vy_p[i] = state.vy[i] + forces.ay[i] * half;
    motion.vz_p[i] = state.vz[i] + forces.az[i] * half;
    motion.A_p[i] = state.A[i] + forces.dA_dt[i] * half;
    // Continuity: d ln h / dt = -(1/3) d ln rho / dt = div v / 3. Only a first guess for the density loop.
    hydro.h[i] *= std::exp(std::clamp(hydro.div_v[i] * dt / 3.0, -0.2, 0.2));
  }
}

void kick(const Motion& motion, const Integrated& state, const Forces& forces, double dt, CellReport& report) {
  const double half = 0.5 * dt;
  double v2_max = 0.0;
  report.not_finite = CellReport::none;
  for (std::size_t i = 0; i < state.vx.size(); ++i) {
    state.vx[i] += forces.ax[i] * half;
    state.vy[i] += forces.ay[i] * half;
    state.vz[i] += forces.az[i] * half;
    state.A[i] += forces.dA_dt[i] * half;
    const double v2 = state.vx[i] * state.vx[i] + state.vy[i] * state.vy[i] + state.vz[i] * state.vz[i];
    v2_max = std::max(v2_max, v2);
    if (!std::isfinite(v2 + state.A[i] + motion.x[i] + motion.y[i] + motion.z[i])) report.not_finite = state.id[i];
  }
  report.v_max = std::sqrt(v2_max);
}

kernels::Box bounding_box(const Motion& motion) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  kernels::Box box{{infinity, infinity, infinity}, {-infinity, -infinity, -infinity}};
  for (std::size_t i = 0; i < motion.x.size(); ++i) {
    box.low = {std::min(box.low.x, motion.x[i]), std::min(box.low.y, motion.y[i]), std::min(box.low.z, motion.z[i])};
    box.high = {std::max(box.high.x, motion.x[i]), std::max(box.high.y, motion.y[i]),
                std::max(box.high.z, motion.z[i])};
  }
  return box;
}

double largest_h(const Hydro& hydro) {
  double largest = 0.0;
  for (const double h : hydro.h) largest = std::max(largest, h);
  return largest;
}

void append_motion(kernels::NeighbourCache& cache, const Motion& motion, const base::Vec3& shift,
                   const kernels::Box& box, double radius) {
  cache.reserve(motion.x.size());
  for (std::size_t i = 0; i < motion.x.size(); ++i) {
    const kernels::Point at{motion.x[i] + shift.x, motion.y[i] + shift.y, motion.z[i] + shift.z};
    if (box.distance2(at.x, at.y, at.z) >= radius * radius) continue;
    copy_motion(cache, motion, i, at);
    ++cache.size;
  }
}

void append_motion_and_hydro(kernels::NeighbourCache& cache, const Motion& motion, const Hydro& hydro,
                             const base::Vec3& shift, const kernels::Box& box, double radius, double support) {
  cache.reserve(motion.x.size());
  for (std::size_t i = 0; i < motion.x.size(); ++i) {
    const kernels::Point at{motion.x[i] + shift.x, motion.y[i] + shift.y, motion.z[i] + shift.z};
    const double limit = std::max(radius, support * hydro.h[i]);
    if (box.distance2(at.x, at.y, at.z) >= limit * limit) continue;
    copy_motion(cache, motion, i, at);
    copy_hydro(cache, hydro, i);
    ++cache.size;
  }
}

CellFunctions cell_functions(Kernel kernel) {
  switch (kernel) {
    case Kernel::cubic_spline:
      return {&compute_density<kernels::CubicSpline>, &compute_forces<kernels::CubicSpline>};
    case Kernel::quartic_spline:
      return {&compute_density<kernels::QuarticSpline>, &compute_forces<kernels::QuarticSpline>};
    case Kernel::quintic_spline:
      break;
  }
  return {&compute_density<kernels::QuinticSpline>, &compute_forces<kernels::QuinticSpline>};
}

}  // namespace tacit::sph
