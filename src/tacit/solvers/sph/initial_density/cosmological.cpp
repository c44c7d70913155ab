// Initial conditions of a universe: their particles.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/base/memory.hpp"
#include "tacit/comm/bootstrap/threads.hpp"
#include "tacit/engine/across_ranks.hpp"
#include "tacit/particles/domain.hpp"
#include "tacit/solvers/sph/setups/bodies.hpp"
#include "tacit/solvers/sph/setups/lattice.hpp"
#include "tacit/solvers/sph/setups/setups.hpp"

namespace tacit::sph {
namespace {

/// One kind of particles, all of one mass.
struct Grid {
  CubicLattice lattice;
  std::uint64_t first_row = 0;
  double mass = 0.0;
  bool is_gas = false;
};

/// The gas first, as in other set-ups; beside bodies it stands in the middle between them.
std::vector<Grid> grids_of(const Cosmological& universe) {
  const std::int64_t n = universe.resolution;
  const double a = universe.density.box / static_cast<double>(n);
  const double cell = universe.cosmology.critical_density(universe.G) * a * a * a;  // mass of the critical density
  const CubicLattice middle{.corner = {}, .shape = {n, n, n}, .a = a};
  const double omega_m = universe.cosmology.omega_m;
  if (!universe.has_gas) return {{.lattice = middle, .mass = omega_m * cell}};
  CubicLattice corners = middle;
  corners.offset = 0.0;
  const double omega_b = universe.cosmology.omega_b;
  return {{.lattice = corners, .mass = omega_b * cell, .is_gas = true},
          {.lattice = middle, .first_row = middle.size(), .mass = (omega_m - omega_b) * cell}};
}

/// @throws base::Error on all ranks where one of them has no room
void check_memory(const Cosmological& universe, comm::Communicator& ranks) {
  const auto places = std::pow(static_cast<double>(universe.resolution), 3);
  constexpr double of_particle = 12.0 * 8.0;
  const double kinds = universe.has_gas ? 2.0 : 1.0;
  const double bytes = (displacement_bytes(places) + kinds * places * of_particle) / static_cast<double>(ranks.size());
  engine::fail_together(ranks, [&] {
    const auto usable = base::usable_memory();
    const double needed = bytes * static_cast<double>(engine::ranks_on_node(ranks));
    if (!usable || needed <= static_cast<double>(*usable)) return;
    throw base::Error(
        fmt::format("cosmological.resolution = {}: to displace {}^3 particles takes {:.3g} GB of memory, and there are "
                    "{:.3g} GB\n  Write a smaller number, or use more nodes",
                    universe.resolution, universe.resolution, needed * 1e-9, static_cast<double>(*usable) * 1e-9));
  });
}

/// Calls visit(i, j, k) for the places of a rank, in the order of its arrays.
template <class Visit>
void for_each_place(const fft::Pencils& pencils, const Visit& visit) {
  for (std::size_t k = pencils.z().begin; k < pencils.z().end; ++k) {
    for (std::size_t j = pencils.y().begin; j < pencils.y().end; ++j) {
      for (std::size_t i = 0; i < pencils.modes().points()[0]; ++i) visit(i, j, k);
    }
  }
}

/// Adds what the displacements of one order give to particles that stand behind `begin`.
void displace(InitialConditions& all, std::size_t begin, const Displacements& by,
              const Cosmological::Factors& factors) {
  const std::array<std::vector<double>*, 3> x{&all.x, &all.y, &all.z};
  const std::array<std::vector<double>*, 3> v{&all.vx, &all.vy, &all.vz};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::span<const double> along = by.along(axis);
    for (std::size_t p = 0; p < along.size(); ++p) {
      (*x[axis])[begin + p] += factors.place * along[p];
      (*v[axis])[begin + p] += factors.velocity * along[p];
    }
  }
}

/// Those of `rows`, where a rank has made all.
InitialConditions only(InitialConditions all, const Rows& rows) {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (rows.contains(all.id[i] - 1)) kept.push_back(i);
  }
  const auto keep = [&kept](auto& values) {
    for (std::size_t i = 0; i < kept.size(); ++i) values[i] = values[kept[i]];
    values.resize(kept.size());
  };
  keep(all.id);
  keep(all.type);
  for (auto* values : {&all.x, &all.y, &all.z, &all.vx, &all.vy, &all.vz, &all.m, &all.u}) keep(*values);
  return all;
}

}  // namespace

Cosmological::Factors Cosmological::factors(LptOrder of) const {
  const Growth now = growth(cosmology, begin);
  const double today = growth(cosmology, 1.0).linear.D;
  const LinearGrowth& mine = of == LptOrder::first ? now.linear : now.second;
  const double place = of == LptOrder::first ? mine.D / today : mine.D / (today * today);
  return {place, begin * begin * cosmology.hubble(begin) * mine.f * place};
}

std::uint64_t particle_count(const Cosmological& universe) {
  const auto n = static_cast<std::uint64_t>(universe.resolution);
  return (universe.has_gas ? 2 : 1) * n * n * n;
}

InitialConditions make(const Cosmological& universe, tasks::Scheduler& scheduler, comm::Communicator& ranks) {
  check_memory(universe, ranks);
  const double box = universe.density.box;
  InitialConditions all = empty_space("set-up cosmological", box);
  all.time = universe.begin;
  const auto n = static_cast<std::uint64_t>(universe.resolution);
  Displacements displacements(universe.density, n, universe.order, scheduler, ranks);
  for (const Grid& grid : grids_of(universe)) {
    const std::size_t begin = all.size();
    for_each_place(displacements.pencils(), [&](std::size_t i, std::size_t j, std::size_t k) {
      const std::uint64_t place = (i * n + j) * n + k;
      add_body(all, grid.first_row + place, grid.lattice.at(place), {}, grid.mass,
               grid.is_gas ? std::uint8_t{0} : halo_type);
      if (grid.is_gas) all.u.back() = universe.u;
    });
    for (const LptOrder order : {LptOrder::first, LptOrder::second}) {
      if (order > universe.order) break;
      displacements.find(order, grid.lattice.offset);
      displace(all, begin, displacements, universe.factors(order));
    }
  }
  for (std::vector<double>* x : {&all.x, &all.y, &all.z}) {
    for (double& value : *x) value = particles::wrap(value, 0.0, box);
  }
  return all;
}

InitialConditions make(const Cosmological& universe, const Share& share) {
  trace::Recorder recorder(1, 64);
  tasks::Scheduler scheduler(1, recorder);
  comm::Communicator alone(comm::bootstrap_alone());
  return only(make(universe, scheduler, alone), share.of(particle_count(universe)));
}

}  // namespace tacit::sph
