// Copies of interleaved lines, by every instruction set.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tacit/base/random.hpp"
#include "tacit/fft/kernels/lane_copies.hpp"
#include "tacit/fft/lane_copies.hpp"

namespace tacit::fft::lane_copies_test {

template <class Real>
class LaneCopies : public ::testing::Test {};
using Precisions = ::testing::Types<double, float>;
TYPED_TEST_SUITE(LaneCopies, Precisions);

template <class Real>
std::vector<std::complex<Real>> random_numbers(std::size_t count) {
  std::vector<std::complex<Real>> numbers(count);
  for (std::size_t i = 0; i < count; ++i) {
    numbers[i] = {static_cast<Real>(base::uniform(1, i, 0)), static_cast<Real>(base::uniform(1, i, 1))};
  }
  return numbers;
}

template <class Real>
const Real* plain(const std::vector<std::complex<Real>>& numbers) {
  return reinterpret_cast<const Real*>(numbers.data());
}
template <class Real>
Real* plain(std::vector<std::complex<Real>>& numbers) {
  return reinterpret_cast<Real*>(numbers.data());
}

// Lengths that no register divides, and distances beyond them: what lies between must stay.
constexpr std::size_t apart = 41;

TYPED_TEST(LaneCopies, RowsThereAndBackByAllInstructionSets) {
  using Complex = std::complex<TypeParam>;
  for (const base::InstructionSet set : base::usable_instruction_sets()) {
    const auto loops = kernels::lane_copies_for<TypeParam>(set);
    for (std::size_t n = 0; n <= 19; ++n) {
      const auto from = random_numbers<TypeParam>((n + 1) * apart);
      std::vector<Complex> rows(n * lanes, Complex(9));
      loops.gather(plain(from), apart, n, plain(rows));
      std::vector<Complex> back((n + 1) * apart, Complex(7));
      std::vector<Complex> twice = back;
      loops.scatter(plain(rows), n, plain(back), apart);
      loops.scatter_scaled(TypeParam(2), plain(rows), n, plain(twice), apart);
      for (std::size_t i = 0; i < back.size(); ++i) {
        const bool is_copied = i % apart < lanes && i / apart < n;
        EXPECT_EQ(back[i], is_copied ? from[i] : Complex(7)) << base::name_of(set) << " " << n;
        EXPECT_EQ(twice[i], is_copied ? TypeParam(2) * from[i] : Complex(7)) << base::name_of(set) << " " << n;
      }
    }
  }
}

TYPED_TEST(LaneCopies, LinesThereAndBackByAllInstructionSets) {
  using Complex = std::complex<TypeParam>;
  for (const base::InstructionSet set : base::usable_instruction_sets()) {
    const auto loops = kernels::lane_copies_for<TypeParam>(set);
    for (std::size_t n = 0; n <= 19; ++n) {
      const auto from = random_numbers<TypeParam>(lanes * apart);
      std::vector<Complex> mixed(n * lanes, Complex(9));
      loops.interleave(plain(from), apart, n, plain(mixed));
      for (std::size_t i = 0; i < mixed.size(); ++i) {
        EXPECT_EQ(mixed[i], from[i % lanes * apart + i / lanes]) << base::name_of(set) << " " << n;
      }
      std::vector<Complex> back(lanes * apart, Complex(7));
      loops.separate(plain(mixed), n, plain(back), apart);
      for (std::size_t i = 0; i < back.size(); ++i) {
        EXPECT_EQ(back[i], i % apart < n ? from[i] : Complex(7)) << base::name_of(set) << " " << n;
      }
    }
  }
}

TYPED_TEST(LaneCopies, LanesBeyondTheCountAreLeftAlone) {
  using Complex = std::complex<TypeParam>;
  const LaneCopier<TypeParam> copier;
  const std::size_t n = 5;
  for (std::size_t count = 1; count <= lanes; ++count) {
    const auto from = random_numbers<TypeParam>(lanes * apart);
    std::vector<Complex> rows(n * lanes, Complex(9));
    std::vector<Complex> mixed = rows;
    copier.gather(from.data(), apart, n, count, rows.data());
    copier.interleave(from.data(), apart, n, count, mixed.data());
    std::vector<Complex> scattered(lanes * apart, Complex(7));
    std::vector<Complex> separated = scattered;
    copier.scatter(rows.data(), n, count, scattered.data(), apart);
    copier.separate(mixed.data(), n, count, separated.data(), apart);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const bool is_copied = i % lanes < count;
      EXPECT_EQ(rows[i], is_copied ? from[i / lanes * apart + i % lanes] : Complex(9));
      EXPECT_EQ(mixed[i], is_copied ? from[i % lanes * apart + i / lanes] : Complex(9));
    }
    for (std::size_t i = 0; i < scattered.size(); ++i) {
      EXPECT_EQ(scattered[i], i / apart < n && i % apart < count ? from[i] : Complex(7));
      EXPECT_EQ(separated[i], i / apart < count && i % apart < n ? from[i] : Complex(7));
    }
  }
}

}  // namespace tacit::fft::lane_copies_test
