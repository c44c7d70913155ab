// The bond-order potential of Tersoff: its formulas, and the loop over the bonds of atoms.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

#include "tacit/base/vec3.hpp"
#include "tacit/solvers/md/kernels/bond_loops.hpp"
#include "tacit/solvers/md/kernels/pair_loops.hpp"

namespace tacit::md::kernels {

/// The numbers of a centre i, an atom j that is bonded to it, and an atom k that weakens the bond. Those of the bond
/// itself are taken where k is of j's type.
struct TersoffTriple {
  // Of the angle.
  int m = 3;  ///< 1 or 3
  double gamma = 1.0;
  double lambda3 = 0.0;  ///< [1/length]
  double c = 0.0;
  double d = 1.0;
  double h = 0.0;  ///< cos theta0
  // Of the bond.
  double n = 1.0;
  double beta = 0.0;
  double lambda2 = 0.0;  ///< [1/length]
  double B = 0.0;        ///< [energy]
  double R = 0.0;        ///< middle of the range in which the cutoff goes from 1 to 0 [length]
  double D = 0.0;        ///< half of that range [length]
  double lambda1 = 0.0;  ///< [1/length]
  double A = 0.0;        ///< [energy]
  // Where nuclei repel each other, too (see join_nuclei).
  double z = 0.0;          ///< Z_i Z_j e^2 / (4 pi eps0) [energy length]; 0: they do not
  double inverse_a = 0.0;  ///< of the screen [1/length]
  double r_F = 0.0;        ///< where both potentials have half of a part [length]
  double s_F = 0.0;        ///< how steeply one follows the other [1/length]

  [[nodiscard]] double cutoff() const noexcept { return R + D; }
};

/// A function and its derivative.
struct WithSlope {
  double value = 0.0;
  double slope = 0.0;
};

/// fC(r): 1 up to R - D, 0 from R + D on, and half a wave of a sine between.
[[nodiscard]] inline WithSlope tersoff_cutoff(double r, double R, double D) noexcept {
  if (r < R - D) return {1.0, 0.0};
  if (r >= R + D) return {0.0, 0.0};
  const double phase = 0.5 * std::numbers::pi * (r - R) / D;
  return {0.5 * (1.0 - std::sin(phase)), -0.25 * std::numbers::pi / D * std::cos(phase)};
}

/// g(cos theta) = gamma (1 + c^2/d^2 - c^2 / (d^2 + (h - cos theta)^2))
[[nodiscard]] inline WithSlope tersoff_angle(double cosine, const TersoffTriple& of) noexcept {
  const double c2 = of.c * of.c;
  const double d2 = of.d * of.d;
  const double away = of.h - cosine;
  const double inverse = 1.0 / (d2 + away * away);
  return {of.gamma * (1.0 + c2 / d2 - c2 * inverse), -2.0 * of.gamma * c2 * away * inverse * inverse};
}

/// exp(lambda3^m (r_ij - r_ik)^m), and its derivative by r_ij, which is minus that by r_ik.
[[nodiscard]] inline WithSlope tersoff_distances(double difference, const TersoffTriple& of) noexcept {
  if (of.lambda3 == 0.0) return {1.0, 0.0};
  const double x = of.lambda3 * difference;
  // Beyond that nothing is left of the bond; it keeps infinities away.
  constexpr double largest = 200.0;
  const double power = of.m == 3 ? x * x * x : x;
  if (power > largest) return {std::exp(largest), 0.0};
  const double value = std::exp(power);
  return {value, value * of.lambda3 * (of.m == 3 ? 3.0 * x * x : 1.0)};
}

/// b(zeta) = (1 + (beta zeta)^n)^(-1/2n)
[[nodiscard]] inline WithSlope tersoff_order(double zeta, const TersoffTriple& of) noexcept {
  const double x = of.beta * zeta;
  if (!(x > 0.0)) return {1.0, 0.0};
  const double power = std::pow(x, of.n);
  // The limit, of which doubles cannot tell it: so products with zeta stay finite.
  if (power > 1e100) return {1.0 / std::sqrt(x), -0.5 / (std::sqrt(x) * zeta)};
  const double b = std::pow(1.0 + power, -0.5 / of.n);
  return {b, -0.5 * b * power / ((1.0 + power) * zeta)};
}

/// What a bond adds to its centre's energy, and its derivatives.
struct TersoffBond {
  double energy = 0.0;
  double by_r = 0.0;
  double by_zeta = 0.0;
};

/// E <- F(r) E + (1 - F(r)) z phi(r / a) / 2r,   F(r) = 1 / (1 + exp(-s_F (r - r_F)))
///
/// with the screen of Ziegler, Biersack and Littmark in the digits of LAMMPS' `tersoff/zbl`.
/// @see Devanathan, Diaz de la Rubia & Weber (1998), J. Nucl. Mater. 253, 47
[[nodiscard]] inline TersoffBond join_nuclei(const TersoffBond& bond, double r, const TersoffTriple& of) noexcept {
  constexpr std::array amplitudes{0.1818, 0.5099, 0.2802, 0.02817};
  constexpr std::array rates{3.2, 0.9423, 0.4029, 0.2016};
  WithSlope phi;
  for (std::size_t k = 0; k < amplitudes.size(); ++k) {
    const double rate = -rates[k] * of.inverse_a;
    const double term = amplitudes[k] * std::exp(rate * r);
    phi = {phi.value + term, phi.slope + rate * term};
  }
  const WithSlope half{0.5 * of.z * phi.value / r, 0.5 * of.z * (phi.slope - phi.value / r) / r};
  const double F = 1.0 / (1.0 + std::exp(-of.s_F * (r - of.r_F)));
  const double by_F = of.s_F * F * (1.0 - F);
  return {F * bond.energy + (1.0 - F) * half.value,
          F * bond.by_r + by_F * (bond.energy - half.value) + (1.0 - F) * half.slope, F * bond.by_zeta};
}

/// The triples of all types, (centre, bonded, third).
class TersoffTable {
 public:
  TersoffTable() = default;
  TersoffTable(std::size_t types, std::vector<TersoffTriple> triples);

  [[nodiscard]] const TersoffTriple& of(std::size_t i, std::size_t j, std::size_t k) const noexcept {
    return triples_[(i * types_ + j) * types_ + k];
  }
  [[nodiscard]] std::size_t types() const noexcept { return types_; }
  /// How far apart two atoms may be that matter to each other, whichever of them is the centre: so an atom that is in
  /// the slots of another has that one in its own [length].
  [[nodiscard]] double reach(std::size_t a, std::size_t b) const noexcept { return reaches_[a * types_ + b]; }
  /// The longest of a type, and of all [length].
  [[nodiscard]] double cutoff_of(std::size_t type) const noexcept { return cutoffs_[type]; }
  [[nodiscard]] double cutoff() const noexcept;

 private:
  std::size_t types_ = 0;
  std::vector<TersoffTriple> triples_;
  std::vector<double> reaches_;  // shape (types, types), symmetric
  std::vector<double> cutoffs_;
};

/// The atoms within reach of each of some centres, and the force that the energy of the centre's bonds has on
/// them: a slot for each. An atom's own force is what its slots and those of its neighbours add up to.
struct Bonds {
  std::vector<std::uint32_t> begin;  ///< shape (centres + 1)
  std::vector<std::uint32_t> atom;
  std::vector<base::Vec3> force;

  /// Of one centre while it is computed.
  struct Neighbour {
    double r = 0.0;
    base::Vec3 direction;
    std::uint32_t type = 0;
    WithSlope cutoff;  ///< of the triple whose third atom is like the second
  };
  struct Third {
    std::uint32_t k = 0;
    double by_cosine = 0.0;
    double by_r_ij = 0.0;
    double by_r_ik = 0.0;
    double cosine = 0.0;
  };
  std::vector<Neighbour> neighbours;
  std::vector<Third> thirds;
};

/// Fills the slots. Energy and virial, where they are wanted, are those of the centres' bonds.
/// @param loops  for atoms of one type; null: the scalar loops, which know all types
void sum_tersoff(const TersoffTable& table, const PairWork& work, Bonds& bonds, const PairSums& sums,
                 const BondLoops* loops = nullptr);

}  // namespace tacit::md::kernels
