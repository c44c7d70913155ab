// What has gone through the sides of the domain, and what floors have added: so that sums can be balanced.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "tacit/base/exact_sum.hpp"
#include "tacit/solvers/amr/kernels/gas.hpp"

namespace tacit::amr {

/// Of a sub-grid in a step; integrals over its cells, by field.
struct Balance {
  std::array<double, kernels::most_fields> left{};   ///< through sides of the domain
  std::array<double, kernels::most_fields> added{};  ///< by floors, driving and changes of the frame
  double pushed = 0.0;                               ///< momentum through sides, without regard to its sign
  double turned = 0.0;  ///< angular momentum along z, around the middle of the domain, that driving has added
};

/// Sums over all steps so far, on a rank: exact, so that no division of the sub-grids changes a bit.
struct Ledger {
  std::array<base::ExactSum, kernels::most_fields> left{};
  std::array<base::ExactSum, kernels::most_fields> added{};
  base::ExactSum pushed{};
  base::ExactSum turned{};

  void add(const Balance& balance) {
    for (std::size_t k = 0; k < kernels::most_fields; ++k) {
      left[k].add(balance.left[k]);
      added[k].add(balance.added[k]);
    }
    pushed.add(balance.pushed);
    turned.add(balance.turned);
  }
  /// Adds what Statistics::totals has made. @pre as many numbers, or those of versions without driving
  void add_totals(std::span<const double> numbers) {
    for (std::size_t k = 0; k < kernels::most_fields; ++k) {
      for (std::size_t part = 0; part < 2; ++part) {
        left[k].add(numbers[2 * k + part]);
        added[k].add(numbers[2 * (kernels::most_fields + k) + part]);
      }
    }
    for (std::size_t part = 0; part < 2; ++part) {
      pushed.add(numbers[undriven_count - 2 + part]);
      if (numbers.size() == totals_count) turned.add(numbers[totals_count - 2 + part]);
    }
  }
  static constexpr std::size_t undriven_count = 2 * (2 * kernels::most_fields + 1);
  static constexpr std::size_t totals_count = undriven_count + 2;
};

}  // namespace tacit::amr
