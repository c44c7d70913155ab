// Kernels' caches, gases and solvers in small, for the tests of this layer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "../../io/scratch.hpp"
#include "tacit/base/random.hpp"
#include "tacit/comm/bootstrap/threads.hpp"
#include "tacit/engine/keys.hpp"
#include "tacit/solvers/sph/fields.hpp"
#include "tacit/solvers/sph/kernels/neighbour_cache.hpp"
#include "tacit/solvers/sph/kernels/smoothing.hpp"
#include "tacit/solvers/sph/sph_solver.hpp"

namespace tacit::sph::testing {

/// Calls `check` with an object of each kernel that serves three dimensions.
template <class Check>
void for_each_kernel(const Check& check) {
  check(kernels::CubicSpline{});
  check(kernels::QuarticSpline{});
  check(kernels::QuinticSpline{});
  check(kernels::WendlandC2{});
  check(kernels::WendlandC4{});
  check(kernels::WendlandC6{});
}

/// Calls `check` with an object of each kernel and its numbers in each space that it serves.
template <class Check>
void for_each_space(const Check& check) {
  const auto check_all = [&check]<class K>(K kernel) {
    for (const kernels::Space& space : K::spaces) check(kernel, space);
  };
  for_each_kernel(check_all);
  check_all(kernels::WendlandC2Line{});
  check_all(kernels::WendlandC4Line{});
  check_all(kernels::WendlandC6Line{});
}

/// Appends a candidate; what the density needs.
inline void add_candidate(kernels::NeighbourCache& cache, const base::Vec3& at, const base::Vec3& v, double m) {
  cache.reserve(1);
  const std::size_t k = cache.size++;
  cache.x[k] = at.x;
  cache.y[k] = at.y;
  cache.z[k] = at.z;
  cache.vx[k] = v.x;
  cache.vy[k] = v.y;
  cache.vz[k] = v.z;
  cache.m[k] = m;
}

/// Unit masses on a cubic lattice of spacing 1 around the origin, moving with v(x); the mean density is 1.
template <class Velocity>
kernels::NeighbourCache lattice_cache(int most, const Velocity& v) {
  kernels::NeighbourCache cache;
  for (int i = -most; i <= most; ++i) {
    for (int j = -most; j <= most; ++j) {
      for (int k = -most; k <= most; ++k) {
        const base::Vec3 at{static_cast<double>(i), static_cast<double>(j), static_cast<double>(k)};
        add_candidate(cache, at, v(at), 1.0);
      }
    }
  }
  return cache;
}
inline kernels::NeighbourCache lattice_cache(int most) {
  return lattice_cache(most, [](const base::Vec3&) { return base::Vec3{}; });
}

/// A parameter file of that text, read against all keys of an sph run.
inline config::Parameters read_text(const std::filesystem::path& file, std::string_view text) {
  test::put(file, text);
  std::vector<config::KeyTable> tables;
  for (const auto part : {engine::key_tables(), key_tables()}) tables.insert(tables.end(), part.begin(), part.end());
  return config::Document(file, {}).read(tables);
}

/// Cubic spline, periodic, gamma = 5/3; h to more digits than anything else needs.
inline SphParameters plain_parameters() {
  SphParameters parameters;
  parameters.kernel_name = "cubic_spline";
  parameters.kernel_gamma = kernels::CubicSpline::gamma;
  parameters.smoothing.tolerance = 1e-6;
  return parameters;
}

/// n^d particles of mass n^-d in a unit box on a lattice, each moved by up to jitter/2 spacings; u = 1, at rest.
inline InitialConditions uniform_gas(std::size_t n, double jitter, int dimension = 3) {
  InitialConditions gas;
  gas.dimension = dimension;
  gas.box = {1.0, 1.0, 1.0};
  gas.source = "test";
  const double side = static_cast<double>(n);
  const std::size_t ny = dimension > 1 ? n : 1;
  const std::size_t nz = dimension > 2 ? n : 1;
  for (std::size_t i = 0; i < n * ny * nz; ++i) {
    const auto place = [&](std::size_t index, std::uint64_t axis) {
      if (axis >= static_cast<std::uint64_t>(dimension)) return 0.0;
      return (static_cast<double>(index) + 0.5 + jitter * (base::uniform(11, i, axis) - 0.5)) / side;
    };
    gas.id.push_back(i + 1);
    gas.x.push_back(place(i / (ny * nz), 0));
    gas.y.push_back(place(i / nz % ny, 1));
    gas.z.push_back(place(i % nz, 2));
  }
  for (auto* v : {&gas.vx, &gas.vy, &gas.vz}) v->assign(gas.size(), 0.0);
  gas.m.assign(gas.size(), std::pow(side, -dimension));
  gas.u.assign(gas.size(), 1.0);
  return gas;
}

/// What one of several ranks has of initial conditions at the begin.
inline InitialConditions share_of(const InitialConditions& all, const Share& share) {
  const Rows rows = share.of(all.size());
  InitialConditions mine = all;
  const auto keep = [&rows](auto& values) {
    if (values.empty()) return;
    values.resize(rows.end);
    values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(rows.first));
  };
  keep(mine.id);
  keep(mine.type);
  for (auto* values : {&mine.x, &mine.y, &mine.z, &mine.vx, &mine.vy, &mine.vz, &mine.m, &mine.u, &mine.h}) {
    keep(*values);
  }
  return mine;
}

/// The plain parameters with another kernel.
inline SphParameters parameters_with(Kernel kernel, int dimension) {
  SphParameters parameters = plain_parameters();
  parameters.kernel = kernel;
  set_dimension(parameters, dimension);
  return parameters;
}

inline constexpr std::array all_kernels{Kernel::cubic_spline, Kernel::quartic_spline, Kernel::quintic_spline,
                                        Kernel::wendland_c2,  Kernel::wendland_c4,    Kernel::wendland_c6};

/// A solver with the workers it runs on.
struct SmallRun {
  SmallRun(const SphParameters& parameters, InitialConditions initial, std::size_t workers = 1,
           bool deterministic = false)
      : recorder(workers, 64),
        scheduler(workers, recorder),
        solver(parameters, base::UnitSystem{}, std::move(initial), {scheduler, deterministic, ranks}) {}
  SmallRun(const SphParameters& parameters, const io::FileReader& checkpoint, std::size_t workers = 1,
           bool deterministic = false)
      : recorder(workers, 64),
        scheduler(workers, recorder),
        solver(parameters, base::UnitSystem{}, checkpoint, {scheduler, deterministic, ranks}) {}

  void step(double dt) {
    tasks::StepContext context;
    context.time = time;
    context.dt = dt;
    context.step = steps++;
    solver.step(context);
    time += dt;
  }
  /// Steps of the length that the solver asks for. @return particles that ended their steps in these
  std::uint64_t advance(int count) {
    std::uint64_t updates = 0;
    for (int i = 0; i < count; ++i) {
      step(solver.time_step());
      updates += solver.updated();
    }
    return updates;
  }
  /// Such steps, and a shorter one at the end. @return particles that ended their steps
  std::uint64_t advance_to(double end) {
    std::uint64_t updates = 0;
    while (time < end) {
      const double dt = solver.time_step();
      const bool is_last = time + dt >= end;
      step(is_last ? end - time : dt);
      if (is_last) time = end;
      updates += solver.updated();
    }
    return updates;
  }

  trace::Recorder recorder;
  tasks::Scheduler scheduler;
  comm::Communicator ranks{comm::bootstrap_alone()};
  SphSolver solver;
  double time = solver.start_time();
  std::uint64_t steps = 0;
};

/// Names of the fields in which two gases differ by a bit.
inline std::vector<std::string_view> differing_fields(const Gas& a, const Gas& b) {
  std::vector<std::string_view> names;
  if (a.id != b.id) names.emplace_back("id");
  for (const Field& field : fields) {
    std::visit(
        [&](auto array) {
          if (a.*array != b.*array) names.push_back(field.name);
        },
        field.array);
  }
  return names;
}

/// The individual steps of the same run.
inline SphParameters with_own_steps(SphParameters parameters) {
  parameters.has_individual_steps = true;
  return parameters;
}

/// sum_i m_i |a_i|: what rounding of forces is to be compared with.
inline double force_scale(const Gas& gas) {
  double sum = 0.0;
  for (std::size_t i = 0; i < gas.size(); ++i) sum += gas.m[i] * norm(base::Vec3{gas.ax[i], gas.ay[i], gas.az[i]});
  return sum;
}

/// For each ID from 1 to N its index in the gas.
inline std::vector<std::size_t> places_by_id(const Gas& gas) {
  std::vector<std::size_t> places(gas.size());
  for (std::size_t i = 0; i < gas.size(); ++i) places[gas.id[i] - 1] = i;
  return places;
}

}  // namespace tacit::sph::testing
