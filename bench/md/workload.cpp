// Makes the crystals of the benchmarks.
// SPDX-License-Identifier: Apache-2.0
#include "md/workload.hpp"

#include <cmath>
#include <vector>

#include "tacit/solvers/md/formats/tersoff_file.hpp"
#include "tacit/solvers/md/setups/tersoff_sets.hpp"
#include "tacit/solvers/md/velocities.hpp"

namespace tacit::bench {

md::MdParameters parameters_of(const Workload& workload) {
  using base::Vec3;
  md::MdParameters parameters;
  const double a = workload.is_silicon ? 5.432 : std::cbrt(4.0 / 0.8442);
  md::Configuration& atoms = parameters.initial.atoms;
  const auto [nx, ny, nz] = workload.cells;
  atoms.box.size = a * Vec3{1.0 * nx, 1.0 * ny, 1.0 * nz};
  std::vector<Vec3> sites{{0.0, 0.0, 0.0}, {0.0, 0.5, 0.5}, {0.5, 0.0, 0.5}, {0.5, 0.5, 0.0}};
  for (std::size_t i = 0; workload.is_silicon && i < 4; ++i) sites.push_back(sites[i] + Vec3{0.25, 0.25, 0.25});
  for (int i = 0; i < nx; ++i) {
    for (int j = 0; j < ny; ++j) {
      for (int k = 0; k < nz; ++k) {
        for (const Vec3& site : sites) {
          atoms.x.push_back(a * (Vec3{1.0 * i, 1.0 * j, 1.0 * k} + site));
          atoms.id.push_back(atoms.x.size());
          atoms.type.push_back(0);
        }
      }
    }
  }
  parameters.initial.elements = {"Si"};
  parameters.masses = {1.0};
  parameters.dt = 0.005;
  parameters.skin = 0.3;
  double thermal_energy = 1.44;
  if (workload.is_silicon) {
    parameters.units = {.boltzmann = 8.617343e-5, .mass = 1.0364269e-4};
    parameters.masses = {28.0855 * parameters.units.mass};
    parameters.potential = md::Potential::tersoff;
    parameters.tersoff = md::parse_tersoff(md::tersoff_text(md::TersoffSet::si_1988), "the set si_1988",
                                           parameters.initial.elements, {});
    parameters.dt = 0.001;
    parameters.skin = 1.0;
    thermal_energy = 2000.0 * parameters.units.boltzmann;
  } else {
    parameters.lennard_jones.pairs = {{1.0, 1.0, 2.5}};
  }
  md::set_velocities(atoms, parameters.masses, {.thermal_energy = thermal_energy});
  return parameters;
}

}  // namespace tacit::bench
