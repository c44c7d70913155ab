// What snapshots take of a flow: steps come by the same bits as transforms of their own, and do not change by it.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "running_flow.hpp"

namespace tacit::dns::snapshot_fields_test {

using testing::all_modes;
using testing::begin_with_everything;
using testing::RunningFlow;
using testing::with_everything;

constexpr double dt = 0.01;

/// All fields at points, the velocity with its mean, shape (fields, z, y, x).
struct Taken {
  explicit Taken(const Flow& flow) : n(flow.parameters().points), numbers(flow.fields() * fft::product(n)) {}
  Flow::Look look() {
    return [this](const Flow::PointRow& row) {
      const auto take = [&](std::size_t field, const double* values, double mean) {
        double* const to = numbers.data() + ((field * n[2] + row.z) * n[1] + row.y) * n[0];
        for (std::size_t x = 0; x < n[0]; ++x) to[x] = values[x] + mean;
      };
      for (std::size_t c = 0; c < 3; ++c) take(c, row.velocity[c], row.mean[c]);
      for (std::size_t s = 0; s < row.scalars.size(); ++s) take(3 + s, row.scalars[s], 0.0);
    };
  }
  fft::Shape n;
  std::vector<double> numbers;
};

void add_wind(Flow& flow) {
  for (std::size_t c = 0; c < 3; ++c)
    flow.modes(c)[flow.pencils().spectral_place(0, 0, 0)] += 0.3 + static_cast<double>(c);
}

void check(const FlowParameters& p, std::size_t workers, bool has_wind) {
  RunningFlow run(p, workers);
  RunningFlow plain(p, workers);
  for (RunningFlow* one : {&run, &plain}) {
    begin_with_everything(one->flow, 0.5);
    if (has_wind) add_wind(one->flow);
    one->steps(2, dt);
  }
  Taken now(run.flow);
  run.flow.look_now(now.look(), dt);
  Taken of_step(run.flow);
  Taken of_later_step(run.flow);
  run.flow.look_in_next_step(of_step.look());
  run.steps(1, dt);
  EXPECT_EQ(of_step.numbers, now.numbers);
  run.flow.look_in_next_step(of_later_step.look());
  run.flow.look_in_next_step({});
  run.steps(1, dt);
  EXPECT_EQ(of_later_step.numbers, std::vector<double>(now.numbers.size()));  // taken back
  plain.steps(2, dt);
  EXPECT_EQ(all_modes(run.flow), all_modes(plain.flow));
}

TEST(SnapshotFields, AreThoseWithWhichTheNextStepBegins) {
  for (const auto form : {Form::divergence, Form::rotational}) {
    for (const auto scheme : {Scheme::rk2, Scheme::rk4}) {
      for (const std::size_t workers : {1U, 2U}) {
        for (const bool has_wind : {false, true}) check(with_everything(16, scheme, form), workers, has_wind);
      }
    }
  }
}

TEST(SnapshotFields, ArePointsOfTheFlow) {
  RunningFlow run(with_everything(16, Scheme::rk2, Form::divergence));
  begin_with_everything(run.flow, 0.5);
  add_wind(run.flow);
  Taken now(run.flow);
  run.flow.look_now(now.look(), dt);
  const auto u = testing::at_points(run.flow);
  std::vector<double> scalar(u[0].size());
  run.flow.scalar_at_points(1, [&](std::size_t y, std::size_t z, const double* row) {
    for (std::size_t x = 0; x < 16; ++x) scalar[(z * 16 + y) * 16 + x] = row[x];
  });
  for (std::size_t i = 0; i < scalar.size(); ++i) {
    for (std::size_t c = 0; c < 3; ++c) ASSERT_NEAR(now.numbers[c * scalar.size() + i], u[c][i], 1e-14) << i;
    ASSERT_NEAR(now.numbers[4 * scalar.size() + i], scalar[i], 1e-14) << i;
  }
  // The bits of the step need the mean to be left out as the step does: the other tests would fail without.
  Taken with_mean(run.flow);
  run.flow.look_now(with_mean.look(), 0.0);
  EXPECT_NE(with_mean.numbers, now.numbers);
}

TEST(SnapshotFields, AreNotSeenOnAShiftedGrid) {
  FlowParameters p = with_everything(16, Scheme::rk2, Form::divergence);
  EXPECT_TRUE(RunningFlow(p).flow.steps_show_points());
  p.truncation = fft::Truncation::spherical;
  p.physics.phase_shift = PhaseShift::random;
  EXPECT_FALSE(RunningFlow(p).flow.steps_show_points());
}

}  // namespace tacit::dns::snapshot_fields_test
