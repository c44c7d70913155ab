// Triples of exponents (multi-indices) in the order in which coefficients of expansions are stored.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace tacit::fmm::kernels {

/// Exponents of x, y and z, or how often something is differentiated along each axis.
struct MultiIndex {
  int x = 0;
  int y = 0;
  int z = 0;

  [[nodiscard]] constexpr int operator[](int axis) const noexcept { return axis == 0 ? x : axis == 1 ? y : z; }
  friend constexpr bool operator==(const MultiIndex&, const MultiIndex&) = default;
};

[[nodiscard]] consteval MultiIndex operator+(const MultiIndex& a, const MultiIndex& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}

/// a, `times` units lower along an axis; may be negative there.
[[nodiscard]] consteval MultiIndex lowered(const MultiIndex& a, int axis, int times = 1) {
  return {a.x - (axis == 0 ? times : 0), a.y - (axis == 1 ? times : 0), a.z - (axis == 2 ? times : 0)};
}

/// |n| = x + y + z.
[[nodiscard]] constexpr int order_of(const MultiIndex& n) noexcept { return n.x + n.y + n.z; }

/// How many multi-indices have |n| <= p: (p + 1) (p + 2) (p + 3) / 6.
[[nodiscard]] constexpr std::size_t terms(int p) noexcept {
  const auto q = static_cast<std::size_t>(p < 0 ? 0 : p + 1);
  return q * (q + 1) * (q + 2) / 6;
}

/// The place of n: lower orders first; within an order x falls, then y, as in xx xy xz yy yz zz. So the first
/// terms(q) places are those of the orders up to q, whatever the order of the whole.
[[nodiscard]] constexpr std::size_t place_of(const MultiIndex& n) noexcept {
  const auto rest = static_cast<std::size_t>(n.y + n.z);
  return terms(order_of(n) - 1) + rest * (rest + 1) / 2 + static_cast<std::size_t>(n.z);
}

/// The inverse of place_of.
[[nodiscard]] consteval MultiIndex index_at(std::size_t place) {
  int order = 0;
  while (terms(order) <= place) ++order;
  for (int x = order; x >= 0; --x) {
    for (int y = order - x; y >= 0; --y) {
      const MultiIndex n{x, y, order - x - y};
      if (place_of(n) == place) return n;
    }
  }
  return {};
}

// The same as constants, which unrolled formulas use: nothing is left to be computed in any build.
template <std::size_t n>
inline constexpr MultiIndex index_of = index_at(n);
template <std::size_t n>
inline constexpr int order_at = order_of(index_of<n>);
/// The place of the sum of two multi-indices.
template <std::size_t n, std::size_t m>
inline constexpr std::size_t place_of_sum = place_of(index_of<n> + index_of<m>);

/// n! = x! y! z!.
[[nodiscard]] constexpr double factorial(const MultiIndex& n) noexcept {
  double product = 1.0;
  for (int axis = 0; axis < 3; ++axis) {
    for (int k = 2; k <= n[axis]; ++k) product *= k;
  }
  return product;
}

/// What loops over the terms of order p need to know of each.
template <int p>
struct TermTable {
  MultiIndex index[terms(p)];
  int order[terms(p)];
  double factorial[terms(p)];  ///< n!
};

template <int p>
[[nodiscard]] consteval TermTable<p> make_term_table() {
  TermTable<p> table{};
  for (std::size_t k = 0; k < terms(p); ++k) {
    table.index[k] = index_at(k);
    table.order[k] = order_of(table.index[k]);
    table.factorial[k] = factorial(table.index[k]);
  }
  return table;
}

template <int p>
inline constexpr TermTable<p> term_table = make_term_table<p>();

/// Two terms and that of the sum of their multi-indices.
struct TermPair {
  std::uint8_t n, m, sum;
};

/// All pairs of terms with |n + m| <= p, ordered by (n, m): there are C(p + 6, 6) of them, 462 for p = 5.
template <int p>
struct PairTable {
  static constexpr std::size_t count = [] {
    std::size_t pairs = 0;
    for (int n = 0; n <= p; ++n) pairs += (terms(n) - terms(n - 1)) * terms(p - n);
    return pairs;
  }();
  TermPair pairs[count];
};

template <int p>
[[nodiscard]] consteval PairTable<p> make_pair_table() {
  PairTable<p> table{};
  std::size_t filled = 0;
  for (std::size_t n = 0; n < terms(p); ++n) {
    for (std::size_t m = 0; m < terms(p - term_table<p>.order[n]); ++m) {
      const std::size_t sum = place_of(term_table<p>.index[n] + term_table<p>.index[m]);
      table.pairs[filled++] = {static_cast<std::uint8_t>(n), static_cast<std::uint8_t>(m),
                               static_cast<std::uint8_t>(sum)};
    }
  }
  return table;
}

template <int p>
inline constexpr PairTable<p> pair_table = make_pair_table<p>();

}  // namespace tacit::fmm::kernels
