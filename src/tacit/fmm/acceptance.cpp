// When two cells are far enough from each other for their multipoles.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/fmm/acceptance.hpp"

#include <algorithm>
#include <cmath>

#include "tacit/fmm/kernels/multi_index.hpp"

namespace tacit::fmm {

template <int p>
Powers<p> powers_of(ConstTerms<p> M) noexcept {
  Powers<p> squares{};
  for (std::size_t m = 0; m < terms(p); ++m) {
    squares[static_cast<std::size_t>(kernels::term_table<p>.order[m])] +=
        kernels::term_table<p>.factorial[m] * M[m] * M[m];
  }
  double factorial = 1.0;
  for (std::size_t n = 0; n <= p; ++n) {
    if (n > 0) factorial *= static_cast<double>(n);
    squares[n] = std::sqrt(factorial * squares[n]);
  }
  return squares;
}

bool is_small(double rho_A, double rho_B, double reach, double R2, double theta) noexcept {
  const double size = rho_A + rho_B + reach;
  return size * size < theta * theta * R2;
}

template <int p>
double acceleration_error(const Powers<p>& P_B, double rho_B, double rho_A, double R2) noexcept {
  double sum = 0.0;
  double rho_power = 1.0;  // rho_A^(p - n)
  double binomial = 1.0;
  for (int n = p; n >= 0; --n) {
    sum += binomial * P_B[static_cast<std::size_t>(n)] * rho_power;
    rho_power *= rho_A;
    binomial = binomial * n / (p - n + 1);
  }
  const double together = rho_A + rho_B;
  const double shape = together > 0.0 ? std::max(rho_A, rho_B) / together : 1.0;
  double R_power = R2;  // |R|^(p + 2)
  for (int n = 0; n < p / 2; ++n) R_power *= R2;
  if (p % 2 != 0) R_power *= std::sqrt(R2);
  return 8.0 * shape * sum / R_power;
}

template <int p>
bool is_accurate(const Powers<p>& P_B, double rho_B, double rho_A, double reach, double R2, double tolerance,
                 double a_A) noexcept {
  return is_small(rho_A, rho_B, reach, R2, 1.0) && acceleration_error<p>(P_B, rho_B, rho_A, R2) < tolerance * a_A;
}

template Powers<0> powers_of<0>(ConstTerms<0>) noexcept;
template double acceleration_error<0>(const Powers<0>&, double, double, double) noexcept;
template bool is_accurate<0>(const Powers<0>&, double, double, double, double, double, double) noexcept;
template Powers<1> powers_of<1>(ConstTerms<1>) noexcept;
template double acceleration_error<1>(const Powers<1>&, double, double, double) noexcept;
template bool is_accurate<1>(const Powers<1>&, double, double, double, double, double, double) noexcept;
template Powers<2> powers_of<2>(ConstTerms<2>) noexcept;
template double acceleration_error<2>(const Powers<2>&, double, double, double) noexcept;
template bool is_accurate<2>(const Powers<2>&, double, double, double, double, double, double) noexcept;
template Powers<3> powers_of<3>(ConstTerms<3>) noexcept;
template double acceleration_error<3>(const Powers<3>&, double, double, double) noexcept;
template bool is_accurate<3>(const Powers<3>&, double, double, double, double, double, double) noexcept;
template Powers<4> powers_of<4>(ConstTerms<4>) noexcept;
template double acceleration_error<4>(const Powers<4>&, double, double, double) noexcept;
template bool is_accurate<4>(const Powers<4>&, double, double, double, double, double, double) noexcept;
template Powers<5> powers_of<5>(ConstTerms<5>) noexcept;
template double acceleration_error<5>(const Powers<5>&, double, double, double) noexcept;
template bool is_accurate<5>(const Powers<5>&, double, double, double, double, double, double) noexcept;

}  // namespace tacit::fmm
