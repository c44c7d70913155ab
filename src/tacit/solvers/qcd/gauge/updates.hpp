// Updates of a link with Wilson's action: heat bath and overrelaxation in the SU(2) subgroups of SU(3).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tacit/base/random.hpp"
#include "tacit/solvers/qcd/gauge/link_tasks.hpp"

namespace tacit::qcd {

/// Uniform numbers of one link in one sweep: they do not depend on ranks, threads, or what other links draw.
class LinkRandom {
 public:
  /// @param link   the number of the site in the lattice times four, and the direction
  /// @param sweep  its number since the begin of the Markov chain
  LinkRandom(std::uint64_t seed, std::uint64_t link, std::uint64_t sweep) noexcept
      : seed_(seed), link_(link), draw_(sweep << 24U) {}
  /// In (0, 1].
  [[nodiscard]] double positive() noexcept { return 1.0 - base::uniform(seed_, link_, draw_++); }
  /// In [-1, 1).
  [[nodiscard]] double symmetric() noexcept { return 2.0 * base::uniform(seed_, link_, draw_++) - 1.0; }

 private:
  std::uint64_t seed_;
  std::uint64_t link_;
  std::uint64_t draw_;
};

/// ln x by arithmetic alone, so that all machines have the same bits. @param x  in (0, 1]
[[nodiscard]] double natural_log(double x) noexcept;

/// x0 with the density sqrt(1 - x0^2) exp(alpha x0) in [-1, 1].
/// @see Kennedy & Pendleton (1985), Phys. Lett. B 156, 393, where alpha is above 1.5; below by rejection
[[nodiscard]] double draw_su2(double alpha, LinkRandom& random) noexcept;

/// A new link from the density exp(beta / 3 Re tr U V) in each of three SU(2) subgroups, one after the other.
/// @param V  the sum of its staples
/// @see Cabibbo & Marinari (1982), Phys. Lett. B 119, 387
void heat_bath(Matrix3& U, const Matrix3& V, double beta, LinkRandom& random) noexcept;

/// A new link with the same Re tr U V, as far from the old one as a reflection in each SU(2) subgroup leads.
/// @see Creutz (1987), Phys. Rev. D 36, 515
void overrelax(Matrix3& U, const Matrix3& V) noexcept;

/// Updates all links of a field: direction by direction, even sites and then odd ones.
class Sweeps {
 public:
  /// @param tasks  of the box of the fields; outlives this
  Sweeps(LinkTasks& tasks, double beta, std::uint64_t seed) : tasks_(tasks), beta_(beta), seed_(seed) {}
  /// @param number  of the sweep since the begin of the chain, from 1
  void heat_bath(GaugeField& field, std::uint64_t number);
  void overrelax(GaugeField& field);

 private:
  template <class Update>
  void sweep(GaugeField& field, const Update& update);

  LinkTasks& tasks_;
  double beta_;
  std::uint64_t seed_;
};

/// Links of equal distribution over SU(3), by Haar's measure.
[[nodiscard]] GaugeField hot_gauge_field(const LatticePart& lattice, std::uint64_t seed);

/// Brings links of all own sites into the boxes of other ranks.
void exchange_links(LinkTasks& tasks, std::vector<Matrix3>& links);

}  // namespace tacit::qcd
