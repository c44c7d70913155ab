// The exact sum: order, merges, rounding, the ends of the exponent range, infinities.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "tacit/base/exact_sum.hpp"
#include "tacit/base/random.hpp"

namespace exact_sum_test {
namespace {

using namespace tacit::base;
using Limits = std::numeric_limits<double>;

double sum_of(const std::vector<double>& values) {
  ExactSum sum;
  for (const double value : values) sum.add(value);
  return sum.value();
}

std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

/// Values of all sizes and signs.
std::vector<double> wild_values(std::uint64_t seed, std::size_t count) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    const int exponent = static_cast<int>(uniform(seed, i, 0) * 2000.0) - 1000;
    values[i] = std::ldexp(2.0 * uniform(seed, i, 1) - 1.0, exponent);
  }
  return values;
}

TEST(ExactSum, NothingIsZero) {
  EXPECT_EQ(bits(ExactSum{}.value()), bits(0.0));
  EXPECT_EQ(sum_of({0.0, -0.0}), 0.0);
  EXPECT_EQ(sum_of({1e300, -1e300}), 0.0);
}

TEST(ExactSum, OneValueComesBack) {
  for (const double value : {1.0, -1.0, 0.1, Limits::max(), Limits::lowest(), Limits::min(), Limits::denorm_min(),
                             -Limits::denorm_min(), Limits::min() - Limits::denorm_min(), 4294967296.0, 1e-310}) {
    EXPECT_EQ(bits(sum_of({value})), bits(value)) << value;
  }
  for (const double value : wild_values(1, 20000)) EXPECT_EQ(bits(sum_of({value})), bits(value)) << value;
}

TEST(ExactSum, TwoValuesAreRoundedAsTheProcessorDoes) {
  // An addition of two doubles is correctly rounded, so it must agree bit by bit.
  const auto a = wild_values(2, 20000);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double b = std::ldexp(2.0 * uniform(3, i, 0) - 1.0, std::ilogb(a[i]) + static_cast<int>(i % 130) - 65);
    EXPECT_EQ(bits(sum_of({a[i], b})), bits(a[i] + b)) << a[i] << " + " << b;
  }
}

TEST(ExactSum, TiesGoToEvenAndOneBitBelowDecides) {
  const double half_ulp = 0x1p-53;
  EXPECT_EQ(sum_of({1.0, half_ulp}), 1.0);
  EXPECT_EQ(sum_of({1.0, 0x1p-52, half_ulp}), 1.0 + 0x1p-51);
  EXPECT_EQ(sum_of({1.0, half_ulp, Limits::denorm_min()}), 1.0 + 0x1p-52);
  EXPECT_EQ(sum_of({1.0, half_ulp, -Limits::denorm_min()}), 1.0);
  EXPECT_EQ(sum_of({-1.0, -half_ulp, -Limits::denorm_min()}), -1.0 - 0x1p-52);
  EXPECT_EQ(sum_of({Limits::denorm_min(), Limits::denorm_min()}), 2.0 * Limits::denorm_min());
}

TEST(ExactSum, CancellationLeavesWhatIsLeft) {
  EXPECT_EQ(sum_of({1e100, 1.0, -1e100}), 1.0);
  EXPECT_EQ(sum_of({Limits::max(), 1e-300, -Limits::max()}), 1e-300);
  EXPECT_EQ(sum_of({Limits::max(), Limits::max(), -Limits::max()}), Limits::max());
}

/// In blocks, whatever the length of the list, the sum is that of one by one.
void expect_same_in_blocks(const std::vector<double>& values, const char* what) {
  for (const std::size_t count :
       {std::size_t{0}, std::size_t{1}, std::size_t{255}, std::size_t{256}, std::size_t{257}, values.size()}) {
    const std::vector<double> some(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count));
    ExactSum at_once;
    at_once.add(some);
    BufferedSum buffered;
    for (const double value : some) buffered.add(value);
    const double expected = sum_of(some);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(at_once.value()) && std::isnan(buffered.sum().value())) << what << ", " << count;
      continue;
    }
    EXPECT_EQ(bits(at_once.value()), bits(expected)) << what << ", " << count;
    EXPECT_EQ(bits(buffered.sum().value()), bits(expected)) << what << ", " << count;
  }
}

TEST(ExactSum, BlocksOfValuesChangeNothing) {
  constexpr std::size_t count = 5000;
  const auto scaled = [](int exponents, int centre) {
    std::vector<double> values(count);
    for (std::size_t i = 0; i < count; ++i) {
      const int exponent = centre + static_cast<int>(uniform(11, i, 0) * exponents) - exponents / 2;
      values[i] = std::ldexp(2.0 * uniform(11, i, 1) - 1.0, exponent);
    }
    return values;
  };
  for (const int centre : {0, -1040, -1000, -960, 980, 1000}) {
    for (const int exponents : {1, 30, 90, 200}) {
      const int most = centre > 900 ? 2 * (1008 - centre) : exponents;  // sums of 5000 do not overflow
      expect_same_in_blocks(scaled(std::min(exponents, most), centre), "scaled");
    }
  }
  expect_same_in_blocks(wild_values(12, count), "wild");
  expect_same_in_blocks(std::vector<double>(count, 0.0), "zeros");
  expect_same_in_blocks(std::vector<double>(count, Limits::denorm_min()), "the smallest");
  expect_same_in_blocks(std::vector<double>(count, -0.1), "equal");
  std::vector<double> ties(count, 0x1p-44);  // half of what a part of blocks of this size keeps, and odd multiples
  for (std::size_t i = 0; i < count; ++i) ties[i] = i % 7 == 0 ? 1.0 : std::ldexp(static_cast<double>(i % 9), -46);
  expect_same_in_blocks(ties, "ties");
  for (const double special : {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()}) {
    std::vector<double> values = scaled(30, 0);
    values[100] = special;
    expect_same_in_blocks(values, "special");
    values[300] = Limits::infinity();
    expect_same_in_blocks(values, "two of them");
  }
}

TEST(ExactSum, OverflowIsInfinite) {
  EXPECT_EQ(sum_of({Limits::max(), Limits::max()}), Limits::infinity());
  EXPECT_EQ(sum_of({Limits::lowest(), Limits::lowest()}), -Limits::infinity());
  EXPECT_EQ(sum_of({Limits::max(), 0x1p969}), Limits::max());       // less than half an ulp
  EXPECT_EQ(sum_of({Limits::max(), 0x1p970}), Limits::infinity());  // the tie rounds up
  EXPECT_EQ(sum_of(std::vector<double>(100000, Limits::max())), Limits::infinity());
}

TEST(ExactSum, InfinitiesAndNansBehaveAsInAddition) {
  const double infinity = Limits::infinity();
  EXPECT_EQ(sum_of({1.0, infinity}), infinity);
  EXPECT_EQ(sum_of({-infinity, 1.0}), -infinity);
  EXPECT_TRUE(std::isnan(sum_of({infinity, -infinity})));
  EXPECT_TRUE(std::isnan(sum_of({1.0, Limits::quiet_NaN()})));
  ExactSum sum;
  ExactSum other;
  other.add(infinity);
  sum.merge(other);
  EXPECT_EQ(sum.value(), infinity);
}

TEST(ExactSum, OrderAndMergesChangeNoBit) {
  const auto values = wild_values(5, 10000);
  const double forward = sum_of(values);
  EXPECT_EQ(bits(sum_of({values.rbegin(), values.rend()})), bits(forward));
  for (const std::size_t parts : {2U, 3U, 64U}) {
    std::vector<ExactSum> sums(parts);
    for (std::size_t i = 0; i < values.size(); ++i) sums[i * 31 % parts].add(values[i]);
    ExactSum total;
    for (const auto& part : sums) total.merge(part);
    EXPECT_EQ(bits(total.value()), bits(forward)) << parts;
  }
}

TEST(ExactSum, SmallIntegersAreExactAndReadingChangesNothing) {
  ExactSum sum;
  std::int64_t expected = 0;
  for (int i = 0; i < 300000; ++i) {
    const auto value = static_cast<std::int64_t>(i) * (i % 3 == 0 ? -1 : 1);
    sum.add(static_cast<double>(value));
    expected += value;
    if (i % 1000 == 0) {
      ASSERT_EQ(sum.value(), static_cast<double>(expected));
    }
  }
}

TEST(ExactSum, ManyMergesKeepCarriesInPlace) {
  ExactSum sum;
  ExactSum tenth;
  tenth.add(-0x1.fffffffffffffp0);
  for (int i = 0; i < 100000; ++i) sum.merge(tenth);
  EXPECT_EQ(sum.value(), -100000.0 * 0x1.fffffffffffffp0);  // rounded once, as the product is
}

}  // namespace
}  // namespace exact_sum_test
