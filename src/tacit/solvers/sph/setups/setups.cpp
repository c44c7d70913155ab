// The list of set-ups and dispatch over them.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/setups/setups.hpp"

#include <array>

#include "tacit/solvers/sph/setups/entries.hpp"

namespace tacit::sph {

InitialConditions make(const Setup& setup, const Share& share) {
  return std::visit([&share](const auto& chosen) { return make(chosen, share); }, setup);
}

std::uint64_t particle_count(const Setup& setup) {
  return std::visit([](const auto& chosen) { return particle_count(chosen); }, setup);
}

std::span<const SetupEntry> setup_entries() {
  static const std::array entries{
      sedov_entry(),     sod_entry(),         noh_entry(),         gresho_entry(),     kelvin_helmholtz_entry(),
      square_entry(),    blob_entry(),        evrard_entry(),      nfw_gas_entry(),    plummer_entry(),
      hernquist_entry(), two_spheres_entry(), disc_galaxy_entry(), two_bodies_entry(), cold_sphere_entry(),
      pancake_entry(),   cosmological_entry()};
  return entries;
}

}  // namespace tacit::sph
