// Kept modes, lines of transforms and pencils.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numbers>
#include <numeric>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/base/pack_memory.hpp"
#include "tacit/base/random.hpp"
#include "tacit/fft/lines.hpp"
#include "tacit/fft/modes.hpp"
#include "tacit/fft/pencils.hpp"

namespace tacit::fft::modes_test {

TEST(Modes, ThirdsKeepWhatNoAliasReaches) {
  for (const std::size_t n : {8U, 9U, 12U, 64U, 96U, 128U}) {
    const Modes modes({n, n, n}, Truncation::two_thirds);
    const std::int64_t k = modes.highest(0);
    const auto points = static_cast<std::int64_t>(n);
    EXPECT_LT(2 * k - points, -k) << n;              // the alias of k + k falls below -k
    EXPECT_GE(2 * (k + 1) - points, -(k + 1)) << n;  // and one more would not
    EXPECT_EQ(modes.count(0), static_cast<std::size_t>(k) + 1);
    EXPECT_EQ(modes.count(1), 2 * static_cast<std::size_t>(k) + 1);
  }
}

TEST(Modes, AllOfThemAreKeptWithoutTruncation) {
  const Modes even({6, 6, 8}, Truncation::none);
  EXPECT_EQ(even.count(0), 4U);
  EXPECT_EQ(even.count(1), 6U);
  EXPECT_EQ(even.count(2), 8U);
  const Modes odd({5, 7, 5}, Truncation::none);
  EXPECT_EQ(odd.count(0), 3U);
  EXPECT_EQ(odd.count(1), 7U);
  for (std::size_t i = 0; i < 7; ++i) EXPECT_EQ(odd.place(1, i), i);
  EXPECT_EQ(odd.wave_number(1, 3), 3);
  EXPECT_EQ(odd.wave_number(1, 4), -3);
}

TEST(Modes, PlacesAndWaveNumbersAgree) {
  for (const auto truncation : {Truncation::none, Truncation::two_thirds, Truncation::spherical}) {
    const Modes modes({16, 18, 15}, truncation);
    for (std::size_t axis = 1; axis < 3; ++axis) {
      const auto n = static_cast<std::int64_t>(modes.points()[axis]);
      const auto [gap_begin, gap_end] = modes.gap(axis);
      for (std::size_t i = 0; i < modes.count(axis); ++i) {
        const std::int64_t k = modes.wave_number(axis, i);
        const std::size_t place = modes.place(axis, i);
        EXPECT_EQ(static_cast<std::int64_t>(place), (k + n) % n);
        EXPECT_TRUE(place < gap_begin || place >= gap_end);
      }
      EXPECT_EQ(modes.count(axis) + (gap_end - gap_begin), modes.points()[axis]);
    }
  }
}

TEST(Modes, SphereHoldsItsSurface) {
  const Modes modes({6, 6, 6}, Truncation::spherical);  // radius 6 sqrt(2) / 3 = sqrt(8): (2, 2, 0) lies on it
  EXPECT_EQ(modes.highest(0), 2);
  EXPECT_TRUE(modes.holds(2, -2, 0));
  EXPECT_FALSE(modes.holds(2, 2, 1));
  EXPECT_TRUE(Modes({6, 6, 6}, Truncation::none).holds(3, 3, -2));
}

TEST(Modes, RefusesGridsWithoutExtent) { EXPECT_THROW(Modes({8, 1, 8}, Truncation::none), base::PreconditionError); }

TEST(Pencils, PartsCoverTheWholeOnce) {
  for (const std::size_t count : {1U, 7U, 64U, 85U}) {
    for (std::size_t parts = 1; parts <= 9; ++parts) {
      std::size_t next = 0;
      for (std::size_t part = 0; part < parts; ++part) {
        const Range range = split(count, parts, part);
        EXPECT_EQ(range.begin, next);
        next = range.end;
      }
      EXPECT_EQ(next, count);
    }
  }
}

TEST(Pencils, NumbersOfTheLargestGridAreExact) {
  const Modes modes({12288, 12288, 12288}, Truncation::two_thirds);
  const Pencils pencils(modes, {.row_size = 2, .column_size = 1}, 1);
  EXPECT_EQ(pencils.physical_size(), 12288ULL * 6144ULL * 12288ULL);  // 9.3e11
  EXPECT_EQ(modes.count(1), 8191U);
  EXPECT_EQ(pencils.kx(), (Range{2048, 4096}));
  EXPECT_EQ(pencils.spectral_size(), 2048ULL * 8191ULL * 8191ULL);
  EXPECT_EQ(pencils.spectral_place(4095, 8190, 8190), 2048ULL * 8191ULL * 8191ULL - 1);
  EXPECT_THROW(Pencils(modes, {.row_size = 2, .column_size = 3}, 6), base::PreconditionError);
}

template <class Real>
std::vector<std::complex<Real>> slow_transform(const std::vector<std::complex<Real>>& in, int sign) {
  const std::size_t n = in.size();
  std::vector<std::complex<Real>> out(n);
  for (std::size_t k = 0; k < n; ++k) {
    std::complex<long double> sum;
    for (std::size_t i = 0; i < n; ++i) {
      const long double turns = static_cast<long double>(i * k % n) / static_cast<long double>(n);
      const auto phase = std::polar<long double>(1.0L, 2.0L * std::numbers::pi_v<long double> * sign * turns);
      sum += std::complex<long double>(in[i]) * phase;
    }
    out[k] = std::complex<Real>(sum);
  }
  return out;
}

template <class Real>
void compare_with_slow_transform(std::size_t n) {
  // Rounding of a fast transform grows like log2(n) <= 8 in units of the norm, sqrt(n) <= 14 for numbers below 1.
  const double tolerance = 8.0 * 14.0 * static_cast<double>(std::numeric_limits<Real>::epsilon());
  ComplexLines<Real> lines(n, Rigor::estimate);
  base::PackVector<std::complex<Real>> data(n * lanes);
  for (std::size_t i = 0; i < data.size(); ++i) {
    data[i] = {static_cast<Real>(base::uniform(1, i, 0)), static_cast<Real>(base::uniform(1, i, 1))};
  }
  const auto before = data;
  lines.forward(data.data());
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    std::vector<std::complex<Real>> line(n);
    for (std::size_t i = 0; i < n; ++i) line[i] = before[i * lanes + lane];
    const auto expected = slow_transform(line, -1);
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_NEAR(std::abs(data[i * lanes + lane] - expected[i]), 0.0, tolerance) << n << " " << i;
    }
  }
  lines.backward(data.data());
  for (std::size_t i = 0; i < data.size(); ++i) {
    EXPECT_NEAR(std::abs(data[i] / static_cast<Real>(n) - before[i]), 0.0, tolerance);
  }
}

TEST(Lines, AgreeWithTheDefinition) {
  for (const std::size_t n : {2U, 7U, 12U, 64U, 125U, 192U}) {
    compare_with_slow_transform<double>(n);
    compare_with_slow_transform<float>(n);
  }
}

template <class Real>
void expect_equal_lanes(std::size_t n, Rigor rigor) {
  ComplexLines<Real> lines(n, rigor);
  base::PackVector<std::complex<Real>> data(n * lanes);
  for (std::size_t i = 0; i < n; ++i) {
    const std::complex<Real> value(static_cast<Real>(base::uniform(2, i, 0)),
                                   static_cast<Real>(base::uniform(2, i, 1)));
    for (std::size_t lane = 0; lane < lanes; ++lane) data[i * lanes + lane] = value;
  }
  for (const bool is_forward : {true, false}) {
    is_forward ? lines.forward(data.data()) : lines.backward(data.data());
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t lane = 1; lane < lanes; ++lane) {
        ASSERT_EQ(0, std::memcmp(&data[i * lanes], &data[i * lanes + lane], sizeof(data[0]))) << n << " lane " << lane;
      }
    }
  }
}

// What a column becomes must not depend on which lane it stands in: that is what ranks change.
TEST(Lines, EqualLinesGiveEqualBitsInEveryLane) {
  for (const std::size_t n : {8U, 12U, 35U, 64U, 96U, 128U, 256U}) {
    for (const Rigor rigor : {Rigor::estimate, Rigor::measure}) {
      expect_equal_lanes<double>(n, rigor);
      expect_equal_lanes<float>(n, rigor);
    }
  }
}

/// All modes of all lines, shape (lanes, mode_stride()); overwrites the points.
base::PackVector<std::complex<double>> modes_of(const RealLines<double>& lines, base::PackVector<double>& points) {
  base::PackVector<std::complex<double>> packed(lanes * lines.mode_stride());
  base::PackVector<std::complex<double>> modes(packed.size());
  lines.forward(points.data(), packed.data());
  for (std::size_t at = 0; at < packed.size(); at += lines.mode_stride()) {
    lines.copy_modes(packed.data() + at, 0, lines.size() / 2 + 1, modes.data() + at);
  }
  return modes;
}

std::complex<double> slow_mode(const double* points, std::size_t n, std::size_t k) {
  std::complex<double> sum;
  for (std::size_t i = 0; i < n; ++i) {
    sum +=
        points[i] * std::polar(1.0, -2.0 * std::numbers::pi * static_cast<double>(i * k % n) / static_cast<double>(n));
  }
  return sum;
}

TEST(Lines, RealLinesThereAndBack) {
  for (const std::size_t n : {2U, 9U, 64U, 120U}) {
    const RealLines<double> lines(n, Rigor::estimate);
    base::PackVector<double> points(lanes * lines.point_stride());
    for (std::size_t i = 0; i < points.size(); ++i) points[i] = base::uniform(3, i, 0);
    const auto before = points;
    const auto modes = modes_of(lines, points);
    for (std::size_t line = 0; line < lanes; ++line) {
      const double* const first = before.data() + line * lines.point_stride();
      for (std::size_t k = 0; k <= n / 2; ++k) {
        const std::complex<double> sum = slow_mode(first, n, k);
        // n <= 120 additions of numbers up to 1, and as many angles
        EXPECT_LT(std::abs(modes[line * lines.mode_stride() + k] - sum), 1e-13) << n << " " << k;
      }
    }
    auto overwritten = modes;
    lines.backward(overwritten.data(), points.data());
    for (std::size_t line = 0; line < lanes; ++line) {
      for (std::size_t i = 0; i < n; ++i) {
        const std::size_t at = line * lines.point_stride() + i;
        // As above: log2(n) <= 7 steps, each of one rounding.
        EXPECT_NEAR(points[at] / static_cast<double>(n), before[at], 7.0 * 2.3e-16);
      }
    }
  }
}

TEST(Lines, EqualRealLinesGiveEqualBits) {
  for (const std::size_t n : {9U, 12U, 64U, 96U, 128U}) {
    const RealLines<double> lines(n, Rigor::measure);
    base::PackVector<double> points(lanes * lines.point_stride());
    for (std::size_t i = 0; i < points.size(); ++i) points[i] = base::uniform(5, i % lines.point_stride(), 0);
    auto modes = modes_of(lines, points);
    const std::size_t bytes = (n / 2 + 1) * sizeof(modes[0]);
    for (std::size_t line = 1; line < lanes; ++line) {
      ASSERT_EQ(0, std::memcmp(modes.data(), modes.data() + line * lines.mode_stride(), bytes)) << n << " " << line;
    }
    lines.backward(modes.data(), points.data());
    for (std::size_t line = 1; line < lanes; ++line) {
      ASSERT_EQ(0, std::memcmp(points.data(), points.data() + line * lines.point_stride(), n * sizeof(double)));
    }
  }
}

TEST(Lines, AnyRangeOfModesIsBitwiseIdentical) {
  for (const std::size_t n : {9U, 64U, 90U}) {
    const RealLines<double> lines(n, Rigor::estimate);
    base::PackVector<double> points(lanes * lines.point_stride());
    for (std::size_t i = 0; i < points.size(); ++i) points[i] = base::uniform(6, i, 0);
    base::PackVector<std::complex<double>> packed(lanes * lines.mode_stride());
    lines.forward(points.data(), packed.data());
    std::vector<std::complex<double>> all(n / 2 + 1);
    lines.copy_modes(packed.data(), 0, all.size(), all.data());
    for (std::size_t begin = 0; begin < all.size(); ++begin) {
      for (std::size_t end = begin; end <= all.size(); ++end) {
        std::vector<std::complex<double>> some(end - begin + 1, 7.0);
        lines.copy_modes(packed.data(), begin, end, some.data());
        EXPECT_TRUE(std::equal(some.begin(), some.end() - 1, all.begin() + static_cast<std::ptrdiff_t>(begin)));
        EXPECT_EQ(some.back(), 7.0);
      }
    }
  }
}

TEST(Lines, IgnoresWhatTheModesOfRealPointsDoNotHave) {
  for (const std::size_t n : {9U, 64U}) {
    const RealLines<double> lines(n, Rigor::estimate);
    base::PackVector<std::complex<double>> modes(lanes * lines.mode_stride());
    for (std::size_t i = 0; i < modes.size(); ++i) modes[i] = {base::uniform(7, i, 0), base::uniform(7, i, 1)};
    auto more = modes;
    for (std::size_t at = 0; at < modes.size(); at += lines.mode_stride()) {
      more[at] += std::complex<double>(0.0, 3.0);
      if (n % 2 == 0) more[at + n / 2] += std::complex<double>(0.0, 5.0);
    }
    base::PackVector<double> points(lanes * lines.point_stride());
    base::PackVector<double> same(points.size());
    lines.backward(modes.data(), points.data());
    lines.backward(more.data(), same.data());
    for (std::size_t at = 0; at < points.size(); at += lines.point_stride()) {
      EXPECT_EQ(0, std::memcmp(points.data() + at, same.data() + at, n * sizeof(double)));
    }
  }
}

TEST(Lines, RefusesLengthsThatFftwCannotCount) {
  EXPECT_THROW(ComplexLines<double>(1, Rigor::estimate), base::PreconditionError);
  EXPECT_THROW(RealLines<double>(1ULL << 31, Rigor::estimate), base::PreconditionError);
}

}  // namespace tacit::fft::modes_test
