// Packs of every instruction set that this machine has: each lane gives the bits of the plain expression.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "support/under_sanitizer.hpp"
#include "tacit/base/cpu_features.hpp"
#include "tacit/base/pack_memory.hpp"
#include "tacit/base/random.hpp"
#include "unit/base/pack_probe.hpp"

namespace tacit::base::pack_test {
namespace {

template <class T>
std::vector<Probe<T>> probes() {
  std::vector<Probe<T>> all;
  for (const InstructionSet set : usable_instruction_sets()) {
    all.push_back(with_instruction_set(set, []<class Isa>(Isa /*set*/) { return probe_of<T, Isa>(); }));
  }
  return all;
}

/// Ordinary numbers with ties, zeros of both signs, tiny and huge ones among them.
template <class T>
struct Numbers {
  static constexpr std::size_t n = 16 * 64;
  PackVector<T> a, b, c, records;
  PackVector<std::uint32_t> index;

  Numbers() {
    for (std::size_t k = 0; k < n; ++k) {
      const auto u = [k](std::uint64_t draw) { return static_cast<T>(4.0 * uniform(6, k, draw) - 2.0); };
      a.push_back(u(0));
      b.push_back(k % 5 == 2 ? a.back() : u(1));
      c.push_back(std::abs(u(2)));
      for (std::uint64_t draw = 3; draw < 7; ++draw) records.push_back(u(draw));
      index.push_back(static_cast<std::uint32_t>(static_cast<double>(n) * uniform(6, k, 7)));
    }
    const T smallest = std::numeric_limits<T>::min();
    const T largest = std::numeric_limits<T>::max();
    std::copy_n(std::vector<T>{T(0), -T(0), T(1), smallest, largest}.begin(), 5, a.begin() + 100);
    std::copy_n(std::vector<T>{T(1), T(3), -T(0.5), T(0.5), T(0.25)}.begin(), 5, b.begin() + 100);
  }
  [[nodiscard]] Operands<T> view() const { return {n, a.data(), b.data(), c.data(), records.data(), index.data()}; }
};

/// The plain expression of one lane.
template <class T>
T expected(Operation operation, const Numbers<T>& numbers, std::size_t k) {
  const T a = numbers.a[k];
  const T b = numbers.b[k];
  const T c = numbers.c[k];
  const T positive = a > T(0) ? a : T(0);
  switch (operation) {
    case add:
      return a + b;
    case subtract:
      return a - b;
    case multiply:
      return a * b;
    case divide:
      return a / b;
    case negate:
      return -a;
    case fused:
      return a * b + c;
    case smaller:
      return a < b ? a : b;
    case larger:
      return a > b ? a : b;
    case root:
      return std::sqrt(c);
    case inverse:
      return T(1) / a;
    case where_less:
      return a < b ? a : c;
    case where_at_most:
      return a <= b ? a : c;
    case where_greater:
      return a > b ? a : c;
    case where_at_least:
      return a >= b ? a : c;
    case where_equal:
      return a == b ? a : c;
    case where_both:
      return a < b && b < c ? a : c;
    case where_either:
      return a < b || b < c ? a : c;
    case where_not:
      return !(a < b) ? a : c;
    case cube:
      return positive * positive * positive;
    case lane_0_of_4:
    case lane_1_of_4:
    case lane_2_of_4:
    case lane_3_of_4:
      return numbers.records[4 * numbers.index[k] + (operation - lane_0_of_4)];
    case operations:
      break;
  }
  return {};
}

/// Bits, so that zeros of different sign differ.
template <class T>
auto bits_of(T value) {
  if constexpr (sizeof(T) == 4) {
    return std::bit_cast<std::uint32_t>(value);
  } else {
    return std::bit_cast<std::uint64_t>(value);
  }
}

template <class T>
void check_lanes(std::size_t most) {
  const Numbers<T> numbers;
  for (const auto& probe : probes<T>()) {
    std::vector<T> results(operations * numbers.n);
    probe.lanes(numbers.view(), results.data());
    for (std::size_t operation = 0; operation < most; ++operation) {
      for (std::size_t k = 0; k < numbers.n; ++k) {
        const T found = results[operation * numbers.n + k];
        const T plain = expected(static_cast<Operation>(operation), numbers, k);
        // One rounding where the set has a fused operation, two elsewhere: either is right.
        if (operation == fused && found == std::fma(numbers.a[k], numbers.b[k], numbers.c[k])) continue;
        ASSERT_EQ(bits_of(found), bits_of(plain)) << name_of(probe.set) << ", operation " << operation << ", lane " << k
                                                  << ": " << found << " instead of " << plain;
      }
    }
  }
}

/// Halves are added to each other until one is left.
template <class T>
double sum_by_halves(std::span<const T> lanes) {
  std::vector<double> sums(lanes.begin(), lanes.end());
  for (std::size_t half = sums.size() / 2; half > 0; half /= 2) {
    for (std::size_t k = 0; k < half; ++k) sums[k] += sums[k + half];
  }
  return sums[0];
}

template <class T>
void check_reductions() {
  const Numbers<T> numbers;
  for (const auto& probe : probes<T>()) {
    std::vector<double> sums(numbers.n / probe.width);
    std::vector<T> largest(sums.size());
    probe.reductions(numbers.view(), sums.data(), largest.data());
    for (std::size_t pack = 0; pack < sums.size(); ++pack) {
      const std::span<const T> lanes(numbers.a.data() + pack * probe.width, probe.width);
      EXPECT_EQ(sums[pack], sum_by_halves(lanes)) << name_of(probe.set);
      EXPECT_EQ(largest[pack], *std::max_element(lanes.begin(), lanes.end())) << name_of(probe.set);
    }
  }
}

template <class T>
void check_first() {
  for (const auto& probe : probes<T>()) {
    for (std::size_t count = 0; count <= probe.width; ++count) {
      const std::vector<T> from(count, T(3));  // exactly as long as may be read: sanitizers see a read beyond
      std::vector<T> all_lanes(probe.width, T(-1));
      std::vector<T> stored(count);
      probe.first(from.data(), count, all_lanes.data(), stored.data());
      for (std::size_t lane = 0; lane < probe.width; ++lane) EXPECT_EQ(all_lanes[lane], lane < count ? T(3) : T(0));
      EXPECT_EQ(stored, std::vector<T>(count, T(4)));
    }
  }
}

template <class T>
void check_mask_bits() {
  for (const auto& probe : probes<T>()) {
    for (std::uint32_t mask = 0; mask < 1U << probe.width; ++mask) {
      PackVector<T> a(16, T(1));
      const PackVector<T> b(16, T(1));
      for (std::size_t lane = 0; lane < probe.width; ++lane) a[lane] = (mask >> lane & 1U) != 0 ? T(0) : T(1);
      EXPECT_EQ(probe.mask_bits({16, a.data(), b.data(), b.data(), nullptr, nullptr}), mask) << name_of(probe.set);
    }
  }
}

}  // namespace

TEST(Pack, EveryLaneGivesTheBitsOfThePlainExpression) {
  check_lanes<float>(operations);
  check_lanes<double>(operations);
}

TEST(Pack, SumsInAFixedOrderAndFindsTheLargest) {
  check_reductions<float>();
  check_reductions<double>();
}

TEST(Pack, LoadsAndStoresTheFirstFewNumbersOnly) {
  check_first<float>();
  check_first<double>();
}

TEST(Pack, EveryMaskHasItsBits) {
  check_mask_bits<float>();
  check_mask_bits<double>();
}

TEST(Pack, ListsTheLanesOfEveryMaskInOrder) {
  for (const auto& probe : probes<float>()) {
    const std::size_t n = probe.width;
    for (std::uint32_t mask = 0; mask < 1U << n; ++mask) {
      PackVector<float> a(16, 1.0F);
      const PackVector<float> b(16, 1.0F);
      std::vector<std::uint32_t> lanes;
      for (std::uint32_t lane = 0; lane < n; ++lane) {
        if ((mask >> lane & 1U) == 0) continue;
        a[lane] = 0.0F;
        lanes.push_back(1000 + lane);
      }
      std::vector<std::uint32_t> list(n);
      const std::size_t count = probe.list({n, a.data(), b.data(), b.data(), nullptr, nullptr}, 1000, list.data());
      list.resize(std::min(count, n));
      ASSERT_EQ(list, lanes) << name_of(probe.set) << ", mask " << mask;
    }
  }
}

TEST(Pack, ListsFollowEachOther) {
  const Numbers<float> numbers;
  std::vector<std::uint32_t> lanes;
  for (std::uint32_t k = 0; k < numbers.n; ++k) {
    if (numbers.a[k] < numbers.b[k]) lanes.push_back(k);
  }
  for (const auto& probe : probes<float>()) {
    std::vector<std::uint32_t> list(numbers.n + probe.width);
    list.resize(probe.list(numbers.view(), 0, list.data()));
    EXPECT_EQ(list, lanes) << name_of(probe.set);
  }
}

TEST(Pack, CompressesNumbersAsItDoesTheirIndices) {
  const Numbers<float> numbers;
  std::vector<float> kept;
  for (std::size_t k = 0; k < numbers.n; ++k) {
    if (numbers.a[k] < numbers.b[k]) kept.push_back(numbers.a[k]);
  }
  for (const auto& probe : probes<float>()) {
    std::vector<float> list(numbers.n + probe.width);
    list.resize(probe.compress(numbers.view(), list.data()));
    EXPECT_EQ(list, kept) << name_of(probe.set);
  }
}

TEST(Pack, CompressesNumbersInMemory) {
  const Numbers<float> numbers;
  std::vector<std::uint32_t> all;
  std::vector<std::uint32_t> kept;
  for (std::uint32_t k = 0; k < numbers.n; ++k) {
    all.push_back(0xFFFFFFFFU - 3 * k);  // as floats these would be signalling: no bit may change
    if (numbers.a[k] < numbers.b[k]) kept.push_back(all.back());
  }
  for (const auto& probe : probes<float>()) {
    std::vector<std::uint32_t> list(numbers.n + probe.width);
    list.resize(probe.compress_numbers(numbers.view(), all.data(), list.data()));
    EXPECT_EQ(list, kept) << name_of(probe.set);
  }
}

TEST(Pack, WritesRecords) {
  const Numbers<float> numbers;
  for (const auto& probe : probes<float>()) {
    PackVector<float> records(4 * numbers.n);
    probe.records(numbers.view(), records.data());
    for (std::size_t k = 0; k < numbers.n; ++k) {
      const std::array expected{numbers.a[k], numbers.b[k], numbers.c[k], numbers.a[k]};
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(), &records[4 * k])) << name_of(probe.set) << ", " << k;
    }
  }
}

TEST(Pack, RoundsDoublesToFloats) {
  const Numbers<double> numbers;
  for (const auto& probe : probes<float>()) {
    std::vector<float> found(numbers.n);
    probe.halves(numbers.a.data(), numbers.n, found.data());
    for (std::size_t k = 0; k < numbers.n; ++k) {
      if (std::abs(numbers.a[k]) > 1e300) continue;  // beyond the range of floats
      EXPECT_EQ(found[k], static_cast<float>(0.5 * numbers.a[k])) << name_of(probe.set);
    }
  }
}

TEST(PackMemory, BeginsOnACacheLine) {
  for (const std::size_t n : {1U, 7U, 1000U}) {
    const PackVector<float> vector(n);
    EXPECT_EQ(std::bit_cast<std::uintptr_t>(vector.data()) % 64, 0U);
  }
}

#if defined(TACIT_UNDER_ASAN)
constexpr bool gives_new_memory = true;  // so that who uses what was freed is noticed
#else
constexpr bool gives_new_memory = false;
#endif

TEST(PackMemory, LargeBlocksAreTakenAgainWhateverComesBetween) {
  constexpr std::size_t count = 3'000'001;  // 24 MB, and not whole pages
  std::uintptr_t first = 0;
  std::vector<std::unique_ptr<char[]>> between;  // would lie in the gap, were it one of the heap
  for (int i = 0; i < 8; ++i) {
    const PackVector<double> values(count, 1.0);
    const auto begin = std::bit_cast<std::uintptr_t>(values.data());
    EXPECT_EQ(begin % detail::large_page, 0U);
    EXPECT_EQ(values.back(), 1.0);
    if (i == 0 || gives_new_memory) first = begin;
    EXPECT_EQ(begin, first) << i;
    for (int k = 0; k < 100; ++k) between.push_back(std::make_unique<char[]>(10'000));
  }
}

TEST(PackMemory, BlocksInUseAreApart) {
  std::vector<PackVector<double>> all;
  for (std::size_t i = 1; i < 6; ++i) all.emplace_back(i * 300'000, static_cast<double>(i));
  all.erase(all.begin() + 2);
  all.emplace_back(290'000, 7.0);
  for (const PackVector<double>& values : all) {
    EXPECT_TRUE(std::ranges::all_of(values, [&](double value) { return value == values.front(); }));
  }
  EXPECT_EQ(all.back().front(), 7.0);
  EXPECT_EQ(all[2].front(), 4.0);
}

}  // namespace tacit::base::pack_test
