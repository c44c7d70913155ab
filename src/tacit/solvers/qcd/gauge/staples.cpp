// Products of links around plaquettes.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/gauge/staples.hpp"

namespace tacit::qcd {

Matrix3 times_dagger(const Matrix3& a, const Matrix3& b) noexcept {
  Matrix3 result;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      result(i, j) = product(a(i, 0), std::conj(b(j, 0))) + product(a(i, 1), std::conj(b(j, 1))) +
                     product(a(i, 2), std::conj(b(j, 2)));
    }
  }
  return result;
}

Matrix3 dagger_times(const Matrix3& a, const Matrix3& b) noexcept {
  Matrix3 result;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      result(i, j) = product(std::conj(a(0, i)), b(0, j)) + product(std::conj(a(1, i)), b(1, j)) +
                     product(std::conj(a(2, i)), b(2, j));
    }
  }
  return result;
}

Matrix3 staples(const Matrix3* links, const BoxSites& sites, std::uint32_t site, std::size_t mu,
                StapleAxes which) noexcept {
  const auto link = [&](std::uint32_t at, std::size_t along) -> const Matrix3& { return links[at * axes + along]; };
  const std::uint32_t ahead = sites.next(site, mu);
  Matrix3 sum;
  for (std::size_t nu = 0; nu < (which == StapleAxes::all ? axes : axes - 1); ++nu) {
    if (nu == mu) continue;
    sum = sum + times_dagger(link(ahead, nu), link(site, nu) * link(sites.next(site, nu), mu));
    const std::uint32_t below = sites.before(site, nu);
    sum = sum + dagger_times(link(below, mu) * link(sites.before(ahead, nu), nu), link(below, nu));
  }
  return sum;
}

Matrix3 plaquette_at(const Matrix3* links, const BoxSites& sites, std::uint32_t site, std::size_t mu,
                     std::size_t nu) noexcept {
  const auto link = [&](std::uint32_t at, std::size_t along) -> const Matrix3& { return links[at * axes + along]; };
  return times_dagger(link(site, mu) * link(sites.next(site, mu), nu), link(site, nu) * link(sites.next(site, nu), mu));
}

Matrix3 leaves_at(const Matrix3* links, const BoxSites& sites, std::uint32_t site, std::size_t mu,
                  std::size_t nu) noexcept {
  const auto link = [&](std::uint32_t at, std::size_t along) -> const Matrix3& { return links[at * axes + along]; };
  const std::uint32_t right = sites.next(site, mu);
  const std::uint32_t up = sites.next(site, nu);
  const std::uint32_t left = sites.before(site, mu);
  const std::uint32_t down = sites.before(site, nu);
  const std::uint32_t left_up = sites.next(left, nu);
  const std::uint32_t left_down = sites.before(left, nu);
  const std::uint32_t right_down = sites.next(down, mu);
  const Matrix3 above = link(site, mu) * times_dagger(link(right, nu), link(site, nu) * link(up, mu));
  const Matrix3 above_left = times_dagger(link(site, nu), link(left, nu) * link(left_up, mu)) * link(left, mu);
  const Matrix3 below_left = dagger_times(link(left_down, nu) * link(left, mu), link(left_down, mu) * link(down, nu));
  const Matrix3 below =
      dagger_times(link(down, nu), times_dagger(link(down, mu) * link(right_down, nu), link(site, mu)));
  return above + above_left + below_left + below;
}

}  // namespace tacit::qcd
