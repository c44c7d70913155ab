// Every operation of packs, done by the code of one instruction set, for the test that compares the sets.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "tacit/base/cpu_features.hpp"

namespace tacit::base::pack_test {

/// Operands of n lanes, n a multiple of every width; index: places of records.
template <class T>
struct Operands {
  std::size_t n;
  const T* a;
  const T* b;
  const T* c;
  const T* records;  ///< four numbers each, aligned to 16 bytes
  const std::uint32_t* index;
};

/// Operations whose results are numbers, lane by lane.
enum Operation : std::size_t {
  add,
  subtract,
  multiply,
  divide,
  negate,
  fused,
  smaller,
  larger,
  root,
  inverse,
  where_less,
  where_at_most,
  where_greater,
  where_at_least,
  where_equal,
  where_both,
  where_either,
  where_not,
  cube,
  lane_0_of_4,
  lane_1_of_4,
  lane_2_of_4,
  lane_3_of_4,
  operations
};

/// What the code of one set makes of the operands.
template <class T>
struct Probe {
  InstructionSet set;
  std::size_t width;
  /// results[operation * n + lane].
  void (*lanes)(const Operands<T>&, T* results);
  /// Sum and largest of each pack: n / width of each.
  void (*reductions)(const Operands<T>&, double* sums, T* largest);
  /// load_first and store_first of `count` <= width numbers.
  void (*first)(const T* from, std::size_t count, T* all_lanes, T* stored);
  /// Bits of the mask a < b of the first pack.
  std::uint32_t (*mask_bits)(const Operands<T>&);
  /// Lists the lanes with a < b, from `first` on; returns how many. For floats only.
  std::size_t (*list)(const Operands<T>&, std::uint32_t first, std::uint32_t* to);
  /// Lists the numbers a themselves in the same way.
  std::size_t (*compress)(const Operands<T>&, T* to);
  /// Lists those of the numbers in memory in the same way.
  std::size_t (*compress_numbers)(const Operands<T>&, const std::uint32_t* numbers, std::uint32_t* to);
  /// Writes a, b, c, a as records.
  void (*records)(const Operands<T>&, T* to);
  /// Halves doubles and rounds them to floats.
  void (*halves)(const double* from, std::size_t n, T* to);
};

template <class T, class Isa>
Probe<T> probe_of() noexcept;

}  // namespace tacit::base::pack_test
