// Modes of real lines from those of half as many complex numbers, by every instruction set.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "tacit/base/random.hpp"
#include "tacit/fft/kernels/halves.hpp"

namespace tacit::fft::halves_test {

template <class Real>
class Halves : public ::testing::Test {};
using Precisions = ::testing::Types<double, float>;
TYPED_TEST_SUITE(Halves, Precisions);

template <class Real>
std::vector<Real> random_numbers(std::size_t count, std::uint64_t seed) {
  std::vector<Real> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<Real>(base::uniform(seed, i, 0) - 0.5);
  return numbers;
}

// Whatever the width of a register, ends of lines included.
TYPED_TEST(Halves, AllInstructionSetsGiveIdenticalResults) {
  using Real = TypeParam;
  const auto scalar = kernels::halves_for<Real>(base::InstructionSet::scalar);
  for (const base::InstructionSet set : base::usable_instruction_sets()) {
    const auto loops = kernels::halves_for<Real>(set);
    for (std::size_t h = 1; h <= 40; ++h) {
      const auto factors = random_numbers<Real>(4 * (h + 1), 1);
      const auto from = random_numbers<Real>(2 * (h + 1), 2);
      std::vector<Real> expected(2 * (h + 1));
      std::vector<Real> got(2 * (h + 1));
      scalar.split(h, factors.data(), from.data(), 0, h + 1, expected.data());
      loops.split(h, factors.data(), from.data(), 0, h + 1, got.data());
      EXPECT_EQ(expected, got) << base::name_of(set) << " " << h;
      scalar.join(h, factors.data(), from.data(), expected.data());
      loops.join(h, factors.data(), from.data(), got.data());
      EXPECT_EQ(expected, got) << base::name_of(set) << " " << h;
    }
  }
}

}  // namespace tacit::fft::halves_test
