// Transforms in three dimensions against the sum that defines them.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "tacit/base/random.hpp"
#include "tacit/comm/bootstrap/threads.hpp"
#include "tacit/fft/transform.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::fft::transform_test {

/// A value between -1 and 1 at each point of each field.
double value_at(std::size_t field, std::size_t x, std::size_t y, std::size_t z) {
  return 2.0 * base::uniform(9, ((field * 100 + z) * 100 + y) * 100 + x, 0) - 1.0;
}

/// A mode from its definition.
std::complex<double> slow_mode(const Shape& n, std::size_t field, const std::array<std::int64_t, 3>& k) {
  std::array<std::vector<std::complex<double>>, 3> phase;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (std::size_t i = 0; i < n[axis]; ++i) {
      const double turns = static_cast<double>(k[axis]) * static_cast<double>(i) / static_cast<double>(n[axis]);
      phase[axis].push_back(std::polar(1.0, -2.0 * std::numbers::pi * turns));
    }
  }
  std::complex<double> sum;
  for (std::size_t z = 0; z < n[2]; ++z) {
    for (std::size_t y = 0; y < n[1]; ++y) {
      for (std::size_t x = 0; x < n[0]; ++x) sum += value_at(field, x, y, z) * phase[0][x] * phase[1][y] * phase[2][z];
    }
  }
  return sum / static_cast<double>(n[0] * n[1] * n[2]);
}

template <class Real>
void fill(Transform<Real>& transform) {
  const Pencils& pencils = transform.pencils();
  for (std::size_t field = 0; field < transform.fields(); ++field) {
    std::size_t at = 0;
    for (std::size_t z = pencils.z().begin; z < pencils.z().end; ++z) {
      for (std::size_t y = pencils.y().begin; y < pencils.y().end; ++y) {
        for (std::size_t x = 0; x < pencils.modes().points()[0]; ++x) {
          transform.points(field)[at++] = static_cast<Real>(value_at(field, x, y, z));
        }
      }
    }
  }
}

/// The largest error of some modes of this rank.
template <class Real>
double error_of_modes(const Transform<Real>& transform) {
  const Pencils& pencils = transform.pencils();
  const Modes& modes = pencils.modes();
  double worst = 0.0;
  std::size_t i = 0;
  for (std::size_t kx = pencils.kx().begin; kx < pencils.kx().end; ++kx) {
    for (std::size_t ky = pencils.ky().begin; ky < pencils.ky().end; ++ky) {
      for (std::size_t kz = 0; kz < modes.count(2); ++kz) {
        if (++i % 7 != 0) continue;
        const std::array<std::int64_t, 3> k{modes.wave_number(0, kx), modes.wave_number(1, ky),
                                            modes.wave_number(2, kz)};
        for (std::size_t field = 0; field < transform.fields(); ++field) {
          const std::complex<double> found(transform.modes(field)[pencils.spectral_place(kx, ky, kz)]);
          worst = std::max(worst, std::abs(found - slow_mode(modes.points(), field, k)));
        }
      }
    }
  }
  return worst;
}

/// Modes as they should be; and, where all are kept, back to points as they were.
template <class Real>
void check(comm::Communicator& world, const Shape& shape, const TransformOptions& options, std::size_t workers) {
  trace::Recorder recorder(workers);
  tasks::Scheduler scheduler(workers, recorder);
  Transform<Real> transform(shape, scheduler, options, world);
  fill(transform);
  transform.to_modes();
  // Numbers below 1 and at most 3 * log2(15) < 12 additions deep, twice for there and back; some digits of either way.
  const double tolerance = 24.0 * static_cast<double>(std::numeric_limits<Real>::epsilon());
  EXPECT_LT(error_of_modes(transform), tolerance) << shape[0] << " " << shape[1] << " " << shape[2];
  if (options.truncation != Truncation::none) return;
  for (std::size_t field = 0; field < transform.fields(); ++field) {
    for (Real& point : transform.points(field)) point = 0;
  }
  transform.to_points();
  const Pencils& pencils = transform.pencils();
  double worst = 0.0;
  for (std::size_t field = 0; field < transform.fields(); ++field) {
    std::size_t at = 0;
    for (std::size_t z = pencils.z().begin; z < pencils.z().end; ++z) {
      for (std::size_t y = pencils.y().begin; y < pencils.y().end; ++y) {
        for (std::size_t x = 0; x < shape[0]; ++x) {
          const double there = value_at(field, x, y, z);
          worst = std::max(worst, std::abs(static_cast<double>(transform.points(field)[at++]) - there));
        }
      }
    }
  }
  EXPECT_LT(worst, tolerance);
}

template <class Real>
void check_alone(const Shape& shape, const TransformOptions& options, std::size_t workers) {
  comm::Communicator world(comm::bootstrap_alone());
  check<Real>(world, shape, options, workers);
}

TEST(Transform, IsTheSumThatDefinesIt) {
  for (const Shape& shape :
       {Shape{8, 6, 10}, Shape{9, 15, 7}, Shape{2, 3, 5}, Shape{12, 1 + 10, 2}, Shape{16, 17, 6}}) {
    for (const Truncation truncation : {Truncation::none, Truncation::two_thirds, Truncation::spherical}) {
      const TransformOptions options{.fields = 2, .truncation = truncation, .rigor = Rigor::estimate};
      check_alone<double>(shape, options, 1);
      check_alone<float>(shape, options, 2);
    }
  }
}

TEST(Transform, IsTheSameAcrossRanks) {
  for (const ProcessGrid& grid : {ProcessGrid{0, 0}, ProcessGrid{1, 2}, ProcessGrid{2, 1}, ProcessGrid{2, 2}}) {
    const std::size_t ranks = grid.ranks() == 0 ? 3 : grid.ranks();
    comm::testing::on_ranks(ranks, [&](comm::Communicator& world) {
      const TransformOptions options{.fields = 3, .rigor = Rigor::estimate, .grid = grid};
      check<double>(world, {9, 8, 7}, options, 1);
      check<float>(world, {6, 7, 8}, options, 1);
    });
  }
}

TEST(Transform, ModesMayBeItsMemory) {
  for (const Shape& shape : {Shape{9, 15, 7}, Shape{16, 17, 6}}) {
    check_alone<double>(shape, {.fields = 2, .rigor = Rigor::estimate, .keeps_modes = false}, 2);
  }
}

TEST(Transform, LeavesWhatGoesInAsItWas) {
  trace::Recorder recorder(1);
  tasks::Scheduler scheduler(1, recorder);
  comm::Communicator world(comm::bootstrap_alone());
  for (const Shape& shape : {Shape{9, 15, 7}, Shape{16, 17, 6}}) {
    Transform<double> transform(shape, scheduler, {.rigor = Rigor::estimate}, world);
    fill(transform);
    const std::vector<double> points(transform.points(0).begin(), transform.points(0).end());
    transform.to_modes();
    EXPECT_TRUE(std::equal(points.begin(), points.end(), transform.points(0).begin()));
    const std::vector<std::complex<double>> modes(transform.modes(0).begin(), transform.modes(0).end());
    transform.to_points();
    EXPECT_TRUE(std::equal(modes.begin(), modes.end(), transform.modes(0).begin()));
  }
}

TEST(Transform, MeasuredPlansAreAsExact) { check_alone<double>({12, 9, 8}, {.fields = 1}, 1); }

}  // namespace tacit::fft::transform_test
