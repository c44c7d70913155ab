// The problem: elements, tiles and the check.
// SPDX-License-Identifier: Apache-2.0
#include "product.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace product {
namespace {

constexpr std::uint64_t mixed(std::uint64_t z) noexcept {
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

double whole_number(std::uint64_t key) noexcept { return static_cast<double>(mixed(key) % 9) - 4.0; }

/// Lengths of 16 to 255, as many between 16 and 31 as between 128 and 255; longest first.
std::vector<std::pair<std::size_t, std::size_t>> uneven_cuts(std::size_t n) {
  std::vector<std::pair<std::size_t, std::size_t>> pieces;  // length, begin
  for (std::size_t begin = 0; begin < n;) {
    const std::uint64_t draw = mixed(begin + 12345);
    const std::size_t length = (std::size_t{16} << (draw % 4)) + (draw >> 8U) % (std::size_t{16} << (draw % 4));
    pieces.emplace_back(std::min(length, n - begin), begin);
    begin += pieces.back().first;
  }
  std::ranges::sort(pieces, std::ranges::greater());
  return pieces;
}

}  // namespace

Problem::Problem(std::size_t order) : n(order) {
  const auto pieces = uneven_cuts(n);
  for (const auto& [rows, row] : pieces) {
    for (const auto& [columns, column] : pieces) {
      tiles.push_back({.row = row, .rows = rows, .column = column, .columns = columns});
    }
  }
  if (pieces.empty()) return;
  most_rows = pieces.front().first;
  most_elements = most_rows * most_rows;
}

double Problem::a(std::size_t i, std::size_t j) noexcept { return whole_number((i << 32U) + 2 * j); }
double Problem::b(std::size_t i, std::size_t j) noexcept { return whole_number((i << 32U) + 2 * j + 1); }

void Problem::fill_a(std::span<double> to) const {
  for (std::size_t k = 0; k < n * n; ++k) to[k] = a(k / n, k % n);
}
void Problem::fill_b(std::span<double> to) const {
  for (std::size_t k = 0; k < n * n; ++k) to[k] = b(k / n, k % n);
}

bool Problem::is_product(std::span<const double> c) const {
  for (std::size_t trial = 0; trial < 4; ++trial) {
    std::vector<double> x(n);
    std::vector<double> b_x(n);
    for (std::size_t j = 0; j < n; ++j) x[j] = whole_number((std::uint64_t{trial + 1} << 60U) + j);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) b_x[i] += b(i, j) * x[j];
    }
    for (std::size_t i = 0; i < n; ++i) {
      double difference = 0.0;  // whole numbers below 2^53
      for (std::size_t j = 0; j < n; ++j) difference += c[i * n + j] * x[j] - a(i, j) * b_x[j];
      if (difference != 0.0) return false;
    }
  }
  return true;
}

std::uint64_t checksum(std::span<const double> c) {
  std::uint64_t sum = c.size();
  // Plus zero: whether a zero has a sign is no part of the answer.
  for (const double value : c) sum = mixed(sum + std::bit_cast<std::uint64_t>(value + 0.0));
  return sum;
}

}  // namespace product
