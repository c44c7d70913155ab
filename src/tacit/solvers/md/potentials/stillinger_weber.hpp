// The potential of Stillinger and Weber: pairs, and angles between the bonds of an atom.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacit/solvers/md/potentials/bond_centres.hpp"

namespace tacit::md::kernels {

/// The numbers of a centre i and its neighbours j and k, as files have them: of the angle epsilon, lambda and
/// cos theta0; of the pair, where k is of j's type, all others, and epsilon.
struct StillingerWeberTriple {
  double epsilon = 1.0;  ///< [energy]
  double sigma = 0.0;    ///< [length]
  double a = 0.0;        ///< the cutoff is a sigma
  double lambda = 0.0;
  double gamma = 0.0;
  double costheta = 0.0;  ///< cos theta0
  double A = 0.0;
  double B = 0.0;
  double p = 0.0;
  double q = 0.0;
  double tolerance = 0.0;  ///< above 0: the cutoff is shortened to where exp(sigma / (r - a sigma)) is that small
};

/// The potential with the numbers of all types.
///
///     E = sum_{i<j} phi2(r_ij) + sum_i sum_{j<k} lambda epsilon (cos theta_jik - cos theta0)^2 g_ij g_ik
///     phi2 = A epsilon [B (sigma/r)^p - (sigma/r)^q] exp(sigma / (r - a sigma)),   g = exp(gamma sigma / (r - a
///     sigma))
///
/// Each atom of a pair has half of phi2, with the numbers of its own triple; of an angle whose neighbours are named in
/// two orders, the mean of both is taken.
/// @see Stillinger & Weber (1985), Phys. Rev. B 31, 5262, eqs. (2.3) to (2.8)
class StillingerWeber {
 public:
  StillingerWeber() = default;
  /// @param triples  shape (types, types, types)
  StillingerWeber(std::size_t types, std::span<const StillingerWeberTriple> triples);

  [[nodiscard]] double reach(std::size_t a, std::size_t b) const noexcept { return reaches_[a * types_ + b]; }
  [[nodiscard]] double cutoff_of(std::size_t type) const noexcept { return cutoffs_[type]; }
  [[nodiscard]] double cutoff() const noexcept;
  /// @return energy of the centre. Cost: two exponentials for each neighbour.
  double bond(std::uint32_t type, std::span<Bonds::Neighbour> neighbours, std::span<base::Vec3> forces) const;

 private:
  struct Pair {
    double ends = 0.0;  // beyond that it is 0
    double pole = 0.0;  // a sigma
    double sigma = 0.0;
    double gamma_sigma = 0.0;
    double repulsion = 0.0;   // A epsilon B sigma^p
    double attraction = 0.0;  // A epsilon sigma^q
    double p = 0.0, q = 0.0;
  };
  /// strength (cos theta - cosine)^2 + rest
  struct Angle {
    double strength = 0.0;
    double cosine = 0.0;
    double rest = 0.0;
  };
  [[nodiscard]] static WithSlope two_body(double r, const Pair& of) noexcept;

  std::size_t types_ = 0;
  std::vector<Pair> pairs_;    // shape (types, types): (centre, neighbour)
  std::vector<Angle> angles_;  // shape (types, types, types)
  std::vector<double> reaches_;
  std::vector<double> cutoffs_;
};
static_assert(BondPotential<StillingerWeber>);

}  // namespace tacit::md::kernels
