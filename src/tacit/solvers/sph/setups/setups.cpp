// Dispatch over the set-ups.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/setups/setups.hpp"

namespace tacit::sph {

InitialConditions make(const Setup& setup) {
  return std::visit([](const auto& chosen) { return make(chosen); }, setup);
}

namespace {

std::uint64_t count_of(const Sedov& sedov) {
  const auto n = static_cast<std::uint64_t>(sedov.resolution);
  return n * (sedov.dimension > 1 ? n : 1) * (sedov.dimension > 2 ? n : 1);
}

std::uint64_t count_of(const Sod& sod) {
  const auto n = static_cast<std::uint64_t>(sod.resolution);
  if (sod.dimension == 1) return n + n / 8;
  if (sod.dimension == 2) return n * n + n * n / 8;
  // Two particles per cubic cell: n x n/2 x n/2 cells on the left, an eighth of that on the right.
  return 2 * (n * (n / 2) * (n / 2) + (n / 2) * (n / 4) * (n / 4));
}

}  // namespace

std::uint64_t particle_count(const Setup& setup) {
  return std::visit([](const auto& chosen) { return count_of(chosen); }, setup);
}

}  // namespace tacit::sph
