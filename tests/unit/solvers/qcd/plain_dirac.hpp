// The Wilson operator as its formula says it, with dense gamma matrices: the oracle of the folded loops.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "tacit/solvers/qcd/dirac_operator.hpp"
#include "tacit/solvers/qcd/gauge_field.hpp"

namespace tacit::qcd::testing {

using Dense = std::array<std::array<Complex, 4>, 4>;

/// gamma_x, gamma_y, gamma_z = [[0, -i s], [i s, 0]] with the Pauli matrices s_3, s_2, s_1; gamma_t = -offdiag(1, 1).
inline std::array<Dense, 4> gammas() {
  const Complex i(0.0, 1.0);
  const std::array<std::array<std::array<Complex, 2>, 2>, 3> pauli{
      {{{{0.0, 1.0}, {1.0, 0.0}}}, {{{0.0, -i}, {i, 0.0}}}, {{{1.0, 0.0}, {0.0, -1.0}}}}};
  std::array<Dense, 4> result{};
  for (std::size_t a = 0; a < 2; ++a) {
    for (std::size_t b = 0; b < 2; ++b) {
      for (std::size_t k = 0; k < 3; ++k) {
        result[k][a][b + 2] = -i * pauli[2 - k][a][b];
        result[k][a + 2][b] = i * pauli[2 - k][a][b];
      }
      if (a == b) result[3][a][b + 2] = result[3][a + 2][b] = -1.0;
    }
  }
  return result;
}

/// One spinor for each site, x fastest.
using PlainField = std::vector<Spinor>;

/// Q_mu,nu by its plaquettes, with coordinates that wrap around: counterclockwise from each of the four quadrants.
inline Matrix3 plain_leaves(const GaugeField& field, const Coordinates& x, std::size_t mu, std::size_t nu) {
  const Extents& e = field.extents;
  const auto u = [&](const Coordinates& at, std::size_t axis) { return field.at(at, axis); };
  const Coordinates mu_down = e.before(x, mu);
  const Coordinates nu_down = e.before(x, nu);
  const Coordinates both_down = e.before(mu_down, nu);
  const Matrix3 first = u(x, mu) * u(e.next(x, mu), nu) * dagger(u(e.next(x, nu), mu)) * dagger(u(x, nu));
  const Matrix3 second = u(x, nu) * dagger(u(e.next(mu_down, nu), mu)) * dagger(u(mu_down, nu)) * u(mu_down, mu);
  const Matrix3 third = dagger(u(mu_down, mu)) * dagger(u(both_down, nu)) * u(both_down, mu) * u(nu_down, nu);
  const Matrix3 fourth = dagger(u(nu_down, nu)) * u(nu_down, mu) * u(e.next(nu_down, mu), nu) * dagger(u(x, mu));
  return first + second + third + fourth;
}

/// Adds -csw/16 sum_{mu != nu} 1/2 gamma_mu gamma_nu (Q - Q^+) psi: here over all pairs, each half.
inline void add_plain_clover(const GaugeField& field, double csw, const PlainField& psi, PlainField& result) {
  const auto gamma = gammas();
  for (std::size_t site = 0; site < psi.size(); ++site) {
    const Coordinates x = field.extents.at(site);
    for (std::size_t mu = 0; mu < 4; ++mu) {
      for (std::size_t nu = 0; nu < 4; ++nu) {
        if (mu == nu) continue;
        const Matrix3 leaves = plain_leaves(field, x, mu, nu);
        const Matrix3 q = leaves - dagger(leaves);
        for (std::size_t s = 0; s < 4; ++s) {
          for (std::size_t r = 0; r < 4; ++r) {
            Complex sigma = 0.0;
            for (std::size_t k = 0; k < 4; ++k) sigma += gamma[mu][s][k] * gamma[nu][k][r];
            for (std::size_t a = 0; a < 3; ++a) {
              for (std::size_t b = 0; b < 3; ++b) {
                result[site][3 * s + a] -= csw / 32.0 * sigma * q(a, b) * psi[site][3 * r + b];
              }
            }
          }
        }
      }
    }
  }
}

/// D psi at every site; of D^+ the signs of the gammas are the other ones.
inline PlainField plain_dirac(const GaugeField& field, const DiracParameters& parameters, const PlainField& psi,
                              Conjugate conjugate = Conjugate::no) {
  const auto gamma = gammas();
  const Extents& extents = field.extents;
  PlainField result(psi.size());
  const auto link = [&](const Coordinates& x, std::size_t mu) {
    const bool turns = mu == 3 && x[3] + 1 == extents.n[3] && parameters.boundary == BoundaryT::antiperiodic;
    return Complex(turns ? -1.0 : 1.0) * field.at(x, mu);
  };
  for (std::size_t site = 0; site < psi.size(); ++site) {
    const Coordinates x = extents.at(site);
    for (std::size_t i = 0; i < 12; ++i) result[site][i] = (4.0 + parameters.mass) * psi[site][i];
    for (std::size_t mu = 0; mu < 4; ++mu) {
      for (const double side : {1.0, -1.0}) {
        const Coordinates y = side > 0.0 ? extents.next(x, mu) : extents.before(x, mu);
        const Matrix3 u = side > 0.0 ? link(x, mu) : dagger(link(y, mu));
        const Spinor& other = psi[extents.index(y)];
        const double sign = conjugate == Conjugate::no ? -side : side;
        for (std::size_t s = 0; s < 4; ++s) {
          for (std::size_t r = 0; r < 4; ++r) {
            const Complex spin = (s == r ? 1.0 : 0.0) + sign * gamma[mu][s][r];
            for (std::size_t a = 0; a < 3; ++a) {
              for (std::size_t b = 0; b < 3; ++b) result[site][3 * s + a] -= 0.5 * spin * u(a, b) * other[3 * r + b];
            }
          }
        }
      }
    }
  }
  add_plain_clover(field, parameters.csw, psi, result);
  return result;
}

}  // namespace tacit::qcd::testing
