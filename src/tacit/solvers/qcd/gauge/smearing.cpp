// Moves links towards their staples.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/gauge/smearing.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace tacit::qcd {
namespace {

/// The third root of a number of size 1 whose phase is at most pi / 3, by square roots alone, so that all machines have
/// the same bits: 1/3 = 1/4 + 1/16 + ..., of which Newton's method makes the rest.
Complex third_root(const Complex& z) noexcept {
  const auto square_root = [](const Complex& w) {
    const double real = std::sqrt(std::fmax(0.0, 0.5 * (1.0 + w.real())));
    const double imaginary = std::sqrt(std::fmax(0.0, 0.5 * (1.0 - w.real())));
    return Complex(real, std::copysign(imaginary, w.imag()));
  };
  Complex root = 1.0;
  Complex part = z;
  for (int n = 0; n < 4; ++n) {
    part = square_root(square_root(part));
    root = product(root, part);
  }
  for (int n = 0; n < 3; ++n) {
    const Complex square = product(root, root);
    // Of size 1, so that dividing by 3 root^2 is multiplying by its conjugate.
    root = root - product(product(square, root) - z, std::conj(square)) / 3.0;
    root /= std::sqrt(std::norm(root));
  }
  return root;
}

/// The inverse of a^+; its determinant is given.
Matrix3 inverse_dagger(const Matrix3& a, const Complex& determinant) noexcept {
  const Complex factor = std::conj(determinant) / std::norm(determinant);
  Matrix3 result;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      const std::size_t i1 = (i + 1) % 3;
      const std::size_t i2 = (i + 2) % 3;
      const std::size_t j1 = (j + 1) % 3;
      const std::size_t j2 = (j + 2) % 3;
      const Complex cofactor = product(a(i1, j1), a(i2, j2)) - product(a(i1, j2), a(i2, j1));
      result(i, j) = std::conj(product(factor, cofactor));
    }
  }
  return result;
}

Matrix3 smeared_link(const GaugeField& field, const BoxSites& sites, std::uint32_t site, std::size_t mu,
                     const Smearing& smearing) noexcept {
  const Matrix3& link = field.links[site * axes + mu];
  const Matrix3 V = staples(field.links.data(), sites, site, mu, smearing.links);
  if (smearing.kind == SmearingKind::stout) {
    // exp(i H) with H = i rho P
    return projected(exponential(Complex(0.0, smearing.weight) * traceless_antihermitian(link * V)) * link);
  }
  const double count = smearing.links == StapleAxes::all ? 6.0 : 4.0;
  return nearest_in_su3(Complex(1.0 - smearing.weight) * link + Complex(smearing.weight / count) * dagger(V), link);
}

}  // namespace

/// Newton's method for the unitary factor, x <- (x + x^-dagger) / 2.
/// @see Higham (1986), SIAM J. Sci. Stat. Comput. 7, 1160
Matrix3 nearest_in_su3(const Matrix3& a, const Matrix3& otherwise) noexcept {
  constexpr double least = 1e-12;   // of the determinant
  constexpr double enough = 1e-28;  // of the square of the last change, which the next one squares
  constexpr int most = 60;
  Matrix3 x = a;
  for (int n = 0; n < most; ++n) {
    const Complex det = determinant(x);
    if (!(std::norm(det) > least * least)) return otherwise;
    const Matrix3 next = Complex(0.5) * (x + inverse_dagger(x, det));
    double change = 0.0;
    for (std::size_t k = 0; k < 9; ++k) change = std::max(change, std::norm(next.m[k] - x.m[k]));
    x = next;
    if (change < enough) break;
  }
  const Complex det = determinant(x);
  return projected(std::conj(third_root(det / std::sqrt(std::norm(det)))) * x);
}

void smear(LinkTasks& tasks, GaugeField& field, const Smearing& smearing) {
  if (smearing.kind == SmearingKind::none) return;
  std::vector<Matrix3> next = field.links;
  const std::size_t moving = smearing.links == StapleAxes::all ? axes : axes - 1;
  for (std::uint64_t step = 0; step < smearing.steps; ++step) {
    for (std::size_t mu = 0; mu < moving; ++mu) {
      tasks.run_both({next.data(), axes, mu}, [&](std::span<const std::uint32_t> mine) {
        for (const std::uint32_t site : mine) {
          next[site * axes + mu] = smeared_link(field, tasks.sites(), site, mu, smearing);
        }
      });
    }
    std::swap(next, field.links);
  }
}

}  // namespace tacit::qcd
