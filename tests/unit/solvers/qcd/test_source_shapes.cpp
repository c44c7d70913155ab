// Points and walls, smeared: width, covariance, and the same bits on any ranks.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <mutex>
#include <vector>

#include "on_lattice.hpp"
#include "tacit/solvers/qcd/sources/source_shapes.hpp"
#include "unit/comm/polling.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::qcd {
namespace {

using testing::Workers;

SourceShape smeared_point(const GaugeField& field, const Coordinates& position, const SourceSmearing& smearing) {
  Workers on(1);
  SourceShape shape = point_shape(field.extents, position);
  smear_shape(field, field.extents, on.scheduler, smearing, shape);
  return shape;
}

/// Steps of a random walk with the step's variance 6 kappa / (1 + 6 kappa): no site is reached around the lattice.
TEST(QcdSources, SmearingOfFreeLinksIsARandomWalk) {
  const Extents extents{{8, 8, 8, 2}};
  constexpr double kappa = 0.3;
  for (const std::uint64_t steps : {1U, 3U}) {
    const SourceShape shape = smeared_point(GaugeField(extents), {4, 4, 4, 1}, {.weight = kappa, .steps = steps});
    double sum = 0.0;
    double squares = 0.0;
    for (std::size_t k = 0; k < shape.size(); ++k) {
      const Coordinates x = extents.at(k);
      const double value = shape[k](1, 1).real();
      if (x[3] == 0) {
        EXPECT_EQ(value, 0.0);
      }
      EXPECT_EQ(shape[k](0, 1), 0.0);
      sum += value;
      for (std::size_t axis = 0; axis < 3; ++axis) squares += value * (x[axis] - 4.0) * (x[axis] - 4.0);
    }
    EXPECT_NEAR(sum, 1.0, 1e-14);
    EXPECT_NEAR(squares, static_cast<double>(steps) * 6.0 * kappa / (1.0 + 6.0 * kappa), 1e-13);
  }
}

/// b(x) -> g(x) b(x) g(source)^+ where links are transformed.
TEST(QcdSources, SmearingIsCovariant) {
  const Extents extents{{4, 6, 4, 2}};
  const Coordinates position{1, 2, 3, 0};
  const GaugeField field = random_gauge_field(extents, 0.6, 3);
  const std::vector<Matrix3> g = random_gauge_transformation(extents, 8);
  const SourceSmearing smearing{
      .weight = 0.2, .steps = 4, .links = {.kind = SmearingKind::ape, .weight = 0.5, .steps = 2}};
  const SourceShape before = smeared_point(field, position, smearing);
  const SourceShape after = smeared_point(transformed(field, g), position, smearing);
  const Matrix3 end = dagger(g[extents.index(position)]);
  double largest = 0.0;
  for (std::size_t k = 0; k < before.size(); ++k) {
    for (const Complex& element : (after[k] - g[k] * before[k] * end).m) largest = std::max(largest, std::abs(element));
  }
  EXPECT_LT(largest, 1e-14);
  EXPECT_FALSE(before == smeared_point(field, position, {.weight = 0.2, .steps = 4}));  // the links are smeared
}

TEST(QcdSources, AWallIsOneSliceOfTime) {
  const Extents extents{{2, 4, 2, 4}};
  const SourceShape shape = wall_shape(extents, 3);
  for (std::size_t k = 0; k < shape.size(); ++k) {
    EXPECT_EQ(shape[k], extents.at(k)[3] == 3 ? Matrix3::one() : Matrix3{});
  }
}

TEST(QcdSources, SmearingHasTheSameBitsOnAnyRanks) {
  const Extents extents{{4, 4, 4, 8}};
  const auto on = [&](std::size_t count, const RanksPerAxis& along, std::size_t workers, double weight_of_second) {
    SourceShape all(extents.sites());
    std::mutex mutex;
    comm::testing::on_ranks(count, [&](comm::Communicator& world) {
      Workers of(workers);
      const comm::testing::Polling polling(of.scheduler, world);
      const Division division(extents, along, world);
      const GaugeField field = random_gauge_field(division.part(), 0.5, 3);
      SourceShape mine = point_shape(division.part(), {1, 3, 0, 2});
      const double weight = number(world.rank()) == 1 ? weight_of_second : 0.25;
      smear_shape(field, division, of.scheduler,
                  {.weight = weight, .steps = 3, .links = {.kind = SmearingKind::stout, .weight = 0.1, .steps = 1}},
                  mine);
      {
        const std::lock_guard lock(mutex);
        for (std::size_t k = 0; k < mine.size(); ++k) all[extents.index(division.part().at(k))] = mine[k];
      }
      world.synchronise();
    });
    return all;
  };
  const SourceShape one = on(1, {1, 1, 1, 1}, 1, 0.25);
  EXPECT_TRUE(one == on(2, {1, 2, 1, 1}, 2, 0.25));
  EXPECT_TRUE(one == on(4, {2, 1, 1, 2}, 1, 0.25));
  EXPECT_FALSE(one == on(2, {1, 2, 1, 1}, 1, 0.3));  // the comparison sees it where one rank errs
}

}  // namespace
}  // namespace tacit::qcd
