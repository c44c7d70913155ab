// Drivers of the scalar kernels over the particles of one cell.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/cell_tasks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "tacit/solvers/sph/kernels/density.hpp"
#include "tacit/solvers/sph/kernels/equation_of_state.hpp"
#include "tacit/solvers/sph/kernels/force.hpp"
#include "tacit/solvers/sph/kernels/smoothing.hpp"
#include "tacit/solvers/sph/kernels/smoothing_length.hpp"

namespace tacit::sph {
namespace {

/// Where particle i is seen.
kernels::Point seen_at(const Motion& motion, std::size_t i, const particles::View& view) {
  return {view.sign.x * motion.x[i] + view.shift.x, view.sign.y * motion.y[i] + view.shift.y,
          view.sign.z * motion.z[i] + view.shift.z};
}

/// Copies particle i as the next candidate, seen `at` a place and with velocities turned as the image is.
void copy_motion(kernels::NeighbourCache& cache, const Motion& motion, std::size_t i, const kernels::Point& at,
                 const base::Vec3& sign) {
  const std::size_t k = cache.size;
  cache.x[k] = at.x;
  cache.y[k] = at.y;
  cache.z[k] = at.z;
  cache.vx[k] = sign.x * motion.vx_p[i];
  cache.vy[k] = sign.y * motion.vy_p[i];
  cache.vz[k] = sign.z * motion.vz_p[i];
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
               const kernels::VelocityGradients& gradients, const SphParameters& physics) {
  const double rho = density.rho;
  const double h = hydro.h[i];
  const double gamma = physics.gamma;
  const double P = kernels::pressure(physics.eos, A, rho, gamma);
  // f = 1 / (1 + h/(d rho) drho/dh): Springel & Hernquist (2002), MNRAS 333, 649, eq. 8, in d dimensions. For a lone
  // particle rho ~ h^-d, so the bracket vanishes; it has no gradients, and f = 1 keeps it finite.
  const double bracket = 1.0 + h / (physics.dimension * rho) * density.drho_dh;
  const double f = bracket > 1e-3 ? 1.0 / bracket : 1.0;
  hydro.rho[i] = rho;
  hydro.omega_P[i] = f * P / (rho * rho);
  hydro.cs[i] = kernels::sound_speed(physics.eos, P, rho, gamma);
  hydro.balsara[i] = kernels::balsara_factor(gradients, hydro.cs[i], h);
  hydro.div_v[i] = gradients.div_v;
}

template <class Kernel>
void compute_density(kernels::NeighbourCache& cache, const Motion& motion, const Hydro& hydro,
                     const SphParameters& physics, double reach, CellReport& report) {
  using State = kernels::SmoothingLengthResult::State;
  const kernels::Space& space = kernels::space_of<Kernel>(physics.dimension);
  report.out_of_reach = false;
  for (std::size_t i = 0; i < hydro.h.size(); ++i) {
    const kernels::Point at{motion.x[i], motion.y[i], motion.z[i]};
    const auto solved = kernels::solve_smoothing_length<Kernel>(cache, at, motion.m[i], hydro.h[i], reach / space.gamma,
                                                                physics.smoothing);
    hydro.h[i] = solved.h;
    if (solved.state == State::out_of_reach) {
      report.out_of_reach = true;
      continue;
    }
    const base::Vec3 v{motion.vx_p[i], motion.vy_p[i], motion.vz_p[i]};
    const auto gradients = kernels::velocity_gradients<Kernel>(cache, at, v, solved.h, solved.density.rho, space);
    set_hydro(hydro, i, solved.density, motion.A_p[i], gradients, physics);
  }
}

template <class Kernel>
void compute_forces(kernels::NeighbourCache& cache, const Motion& motion, const Hydro& hydro, const Forces& forces,
                    const SphParameters& physics, CellReport& report) {
  const kernels::Space& space = kernels::space_of<Kernel>(physics.dimension);
  constexpr double endless = std::numeric_limits<double>::infinity();
  const bool is_ideal = physics.eos.kind == kernels::EquationOfState::Kind::ideal;
  const bool is_pulled = physics.potential.is_present();
  report.dt = endless;
  report.a_max = 0.0;
  for (std::size_t i = 0; i < hydro.h.size(); ++i) {
    const kernels::ForceTarget target{{motion.x[i], motion.y[i], motion.z[i]},
                                      {motion.vx_p[i], motion.vy_p[i], motion.vz_p[i]},
                                      hydro.h[i],
                                      hydro.rho[i],
                                      hydro.omega_P[i],
                                      hydro.cs[i],
                                      hydro.balsara[i]};
    const double H = space.gamma * target.h;
    kernels::find_within_either(cache, target.at, H, space.gamma);
    const kernels::Force force = kernels::force_sum<Kernel>(cache, target, physics.alpha, space);
    const kernels::Pull external =
        is_pulled ? kernels::pull(physics.potential, target.at, H) : kernels::Pull{{}, endless};
    const base::Vec3 a = force.a + external.a;
    forces.ax[i] = a.x;
    forces.ay[i] = a.y;
    forces.az[i] = a.z;
    forces.dA_dt[i] = is_ideal ? kernels::entropy_rate(force.dissipation, target.rho, physics.gamma) : 0.0;
    forces.v_sig[i] = force.v_sig;
    // dt = 2 C H / v_sig: SWIFT's form of Springel (2005), eq. 16, so that the same cfl gives the same steps. A gas
    // without sound and motion may take any step.
    if (force.v_sig > 0.0) report.dt = std::min(report.dt, 2.0 * physics.cfl * H / force.v_sig);
    report.dt = std::min(report.dt, external.dt);
    report.a_max = std::max(report.a_max, norm(a));
  }
}

template <class Kernel>
CellFunctions loops() {
  return {&compute_density<Kernel>, &compute_forces<Kernel>};
}

}  // namespace

void kick_and_drift(const Motion& motion, const Integrated& state, const Hydro& hydro, const Forces& forces, double dt,
                    int dimension) {
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
    // Continuity: d ln h / dt = -(1/d) d ln rho / dt = div v / d. Only a first guess for the density loop.
    hydro.h[i] *= std::exp(std::clamp(hydro.div_v[i] * dt / dimension, -0.2, 0.2));
  }
}

void reflect(const Motion& motion, const Integrated& state, const particles::Domain& domain) {
  struct Axis {
    std::span<double> x, v, v_p;
  };
  const std::array<Axis, 3> axes{
      {{motion.x, state.vx, motion.vx_p}, {motion.y, state.vy, motion.vy_p}, {motion.z, state.vz, motion.vz_p}}};
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(domain.dimension); ++axis) {
    const auto& [x, v, v_p] = axes[axis];
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto [folded, sign] = particles::reflect(x[i], domain.origin[axis], domain.size[axis]);
      x[i] = folded;
      v[i] *= sign;
      v_p[i] *= sign;
    }
  }
}

void add_sources(const Motion& motion, const Integrated& state, const Hydro& hydro, const Forces& forces,
                 const SphParameters& physics, double time, SourceScratch& scratch, CellReport& report) {
  const std::size_t n = motion.x.size();
  scratch.u.resize(n);
  scratch.du_dt.assign(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    scratch.u[i] = kernels::internal_energy(physics.eos, motion.A_p[i], hydro.rho[i], physics.gamma);
  }
  const SourceInput input{time,        state.id,    motion.x, motion.y, motion.z,  motion.vx_p,
                          motion.vy_p, motion.vz_p, motion.m, hydro.h,  hydro.rho, scratch.u};
  const SourceRates rates{scratch.du_dt, forces.ax, forces.ay, forces.az};
  for (const auto& source : physics.sources) report.dt = std::min(report.dt, source->add(input, rates));
  const bool is_ideal = physics.eos.kind == kernels::EquationOfState::Kind::ideal;
  for (std::size_t i = 0; i < n; ++i) {
    if (is_ideal) forces.dA_dt[i] += kernels::entropic_function(scratch.du_dt[i], hydro.rho[i], physics.gamma);
    report.a_max = std::max(report.a_max, norm(base::Vec3{forces.ax[i], forces.ay[i], forces.az[i]}));
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

void append_motion(kernels::NeighbourCache& cache, const Motion& motion, const particles::View& view,
                   const kernels::Box& box, double radius) {
  cache.reserve(motion.x.size());
  for (std::size_t i = 0; i < motion.x.size(); ++i) {
    const kernels::Point at = seen_at(motion, i, view);
    if (box.distance2(at.x, at.y, at.z) >= radius * radius) continue;
    copy_motion(cache, motion, i, at, view.sign);
    ++cache.size;
  }
}

void append_motion_and_hydro(kernels::NeighbourCache& cache, const Motion& motion, const Hydro& hydro,
                             const particles::View& view, const kernels::Box& box, double radius, double support) {
  cache.reserve(motion.x.size());
  for (std::size_t i = 0; i < motion.x.size(); ++i) {
    const kernels::Point at = seen_at(motion, i, view);
    const double limit = std::max(radius, support * hydro.h[i]);
    if (box.distance2(at.x, at.y, at.z) >= limit * limit) continue;
    copy_motion(cache, motion, i, at, view.sign);
    copy_hydro(cache, hydro, i);
    ++cache.size;
  }
}

CellFunctions cell_functions(Kernel kernel, int dimension) {
  const bool is_line = dimension == 1;
  switch (kernel) {
    case Kernel::cubic_spline:
      return loops<kernels::CubicSpline>();
    case Kernel::quartic_spline:
      return loops<kernels::QuarticSpline>();
    case Kernel::quintic_spline:
      return loops<kernels::QuinticSpline>();
    case Kernel::wendland_c2:
      return is_line ? loops<kernels::WendlandC2Line>() : loops<kernels::WendlandC2>();
    case Kernel::wendland_c4:
      return is_line ? loops<kernels::WendlandC4Line>() : loops<kernels::WendlandC4>();
    case Kernel::wendland_c6:
      break;
  }
  return is_line ? loops<kernels::WendlandC6Line>() : loops<kernels::WendlandC6>();
}

}  // namespace tacit::sph
