// Sums the leaves of the clover term, and inverts 6 x 6 matrices.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/clover.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "tacit/solvers/qcd/gamma.hpp"

namespace tacit::qcd {
namespace {

/// A link forward or backward along an axis. @param x  moves along
Matrix3 step(const GaugeField& field, Coordinates& x, std::size_t mu, bool is_forward) {
  if (is_forward) {
    const Matrix3& link = field.at(x, mu);
    x = field.extents.next(x, mu);
    return link;
  }
  x = field.extents.before(x, mu);
  return dagger(field.at(x, mu));
}

/// The plaquette that begins along mu, then nu, in the given senses, and comes back to x.
Matrix3 leaf(const GaugeField& field, Coordinates x, std::size_t mu, bool mu_forward, std::size_t nu, bool nu_forward) {
  Matrix3 product = step(field, x, mu, mu_forward);
  product = product * step(field, x, nu, nu_forward);
  product = product * step(field, x, mu, !mu_forward);
  return product * step(field, x, nu, !nu_forward);
}

/// The four leaves, all turning from mu to nu.
Matrix3 four_leaves(const GaugeField& field, const Coordinates& x, std::size_t mu, std::size_t nu) {
  return leaf(field, x, mu, true, nu, true) + leaf(field, x, nu, true, mu, false) +
         leaf(field, x, mu, false, nu, false) + leaf(field, x, nu, false, mu, true);
}

using Block = std::array<std::array<Complex, 6>, 6>;

Block block_of(const double* numbers) {
  Block a{};
  const double* below = numbers + 6;
  for (std::size_t i = 0; i < 6; ++i) {
    a[i][i] = numbers[i];
    for (std::size_t j = 0; j < i; ++j, below += 2) {
      a[i][j] = {below[0], below[1]};
      a[j][i] = std::conj(a[i][j]);
    }
  }
  return a;
}

/// What is not hermitian by rounding is left out.
void store_block(const Block& a, double* numbers) {
  double* below = numbers + 6;
  for (std::size_t i = 0; i < 6; ++i) {
    numbers[i] = a[i][i].real();
    for (std::size_t j = 0; j < i; ++j, below += 2) {
      const Complex mean = 0.5 * (a[i][j] + std::conj(a[j][i]));
      below[0] = mean.real();
      below[1] = mean.imag();
    }
  }
}

double size_of(const Complex& a) { return std::abs(a.real()) + std::abs(a.imag()); }

/// Gauss and Jordan, with the largest element of a column as pivot.
std::optional<Block> inverse_block(Block a) {
  constexpr double smallest_pivot = 1e-13;
  double largest = 0.0;
  Block result{};
  for (std::size_t i = 0; i < 6; ++i) {
    result[i][i] = 1.0;
    for (const Complex& element : a[i]) largest = std::max(largest, size_of(element));
  }
  for (std::size_t k = 0; k < 6; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < 6; ++i) {
      if (size_of(a[i][k]) > size_of(a[pivot][k])) pivot = i;
    }
    if (!(size_of(a[pivot][k]) > smallest_pivot * largest)) return std::nullopt;
    std::swap(a[k], a[pivot]);
    std::swap(result[k], result[pivot]);
    const Complex factor = 1.0 / a[k][k];
    for (std::size_t j = 0; j < 6; ++j) {
      a[k][j] = product(factor, a[k][j]);
      result[k][j] = product(factor, result[k][j]);
    }
    for (std::size_t i = 0; i < 6; ++i) {
      if (i == k) continue;
      const Complex weight = a[i][k];
      for (std::size_t j = 0; j < 6; ++j) {
        a[i][j] -= product(weight, a[k][j]);
        result[i][j] -= product(weight, result[k][j]);
      }
    }
  }
  return result;
}

}  // namespace

CloverTerm clover_term(const GaugeField& field, const Coordinates& x, double mass, double csw) {
  const auto gammas = gamma_rows();
  std::array<Block, 2> blocks{};
  for (Block& block : blocks) {
    for (std::size_t i = 0; i < 6; ++i) block[i][i] = 4.0 + mass;
  }
  for (std::size_t mu = 0; mu < axes; ++mu) {
    for (std::size_t nu = mu + 1; nu < axes; ++nu) {
      const Matrix3 leaves = four_leaves(field, x, mu, nu);
      const Matrix3 q = leaves - dagger(leaves);
      const GammaRows& first = gammas[mu];
      const GammaRows& second = gammas[nu];
      for (std::size_t s = 0; s < 4; ++s) {
        const std::size_t r = second.column[first.column[s]];  // of the same two spins as s
        const Complex weight = (-csw / 16.0) * product(first.value[s], second.value[first.column[s]]);
        Block& block = blocks[s / 2];
        for (std::size_t a = 0; a < 3; ++a) {
          for (std::size_t b = 0; b < 3; ++b) block[3 * (s % 2) + a][3 * (r % 2) + b] += product(weight, q(a, b));
        }
      }
    }
  }
  CloverTerm term{};
  for (std::size_t half = 0; half < 2; ++half) store_block(blocks[half], term.data() + half * term.size() / 2);
  return term;
}

std::optional<CloverTerm> inverse(const CloverTerm& a) {
  CloverTerm result{};
  for (std::size_t half = 0; half < 2; ++half) {
    const auto block = inverse_block(block_of(a.data() + half * a.size() / 2));
    if (!block) return std::nullopt;
    store_block(*block, result.data() + half * a.size() / 2);
  }
  return result;
}

}  // namespace tacit::qcd
