// What is predicted of initial conditions without making or reading them, beside what they are.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "../../io/scratch.hpp"
#include "samples.hpp"
#include "tacit/io/file.hpp"
#include "tacit/solvers/sph/estimate.hpp"

namespace tacit::sph::outlook_test {
namespace {

SphParameters parameters_of(const test::Scratch& scratch, const std::string& setup, int resolution) {
  const bool is_open = setup == "noh";
  const std::string text = "time.end = 1\ninitial.setup = '" + setup + "'\n[sph]\nboundary = '" +
                           (is_open ? "open" : "periodic") + "'\n[" + setup +
                           "]\nresolution = " + std::to_string(resolution);
  return read_parameters(testing::read_text(scratch / "run.toml", text));
}

/// Half as fine again as what the prediction starts from.
TEST(Estimate, OfALargeSetUpIsNearWhatItIs) {
  const test::Scratch scratch;
  for (const std::string setup : {"sedov", "sod", "noh", "gresho", "kelvin_helmholtz", "square"}) {
    const SphParameters parameters = parameters_of(scratch, setup, 96);
    const Estimate truth = estimate(parameters, {}, {.particles = 1e9});
    const Estimate guess = estimate(parameters, {}, {.particles = 1.0});
    ASSERT_FALSE(truth.is_estimate);
    ASSERT_TRUE(guess.is_estimate);
    EXPECT_NEAR(guess.extent.particles / truth.extent.particles, 1.0, 0.03) << setup;
    EXPECT_NEAR(guess.first_time_step / truth.first_time_step, 1.0, 0.05) << setup;
    EXPECT_NEAR(memory_use(parameters, guess.extent) / memory_use(parameters, truth.extent), 1.0, 0.1) << setup;
  }
}

TEST(Estimate, OfAHugeSetUpTakesNoMemory) {
  const test::Scratch scratch;
  const Estimate estimated = estimate(parameters_of(scratch, "sedov", 2048), {});
  EXPECT_TRUE(estimated.is_estimate);
  EXPECT_EQ(estimated.extent.particles, 8590000000.0);
  EXPECT_EQ(estimated.extent.box.x, 1.0);
}

TEST(Estimate, OfAFileThatIsTooLargeComesFromItsHeader) {
  const test::Scratch scratch;
  {
    io::FileWriter file(scratch / "ics.hdf5");
    const std::vector<double> x(24, 0.5);
    const std::array<std::uint64_t, 2> vectors{8, 3};
    const std::array<std::uint64_t, 1> scalars{8};
    const std::array<std::int64_t, 6> counts{8, 0, 0, 0, 0, 0};
    const std::array<double, 1> box{2.0};
    file.group("Header");
    file.attribute("Header", "NumPart_ThisFile", counts);
    file.attribute("Header", "BoxSize", box);
    file.group("PartType0");
    for (const char* name : {"Coordinates", "Velocities"}) {
      file.array(std::string("PartType0/") + name, x, vectors, io::Number::float64);
    }
    for (const char* name : {"Masses", "InternalEnergy"}) {
      file.array(std::string("PartType0/") + name, std::span(x).first(8), scalars, io::Number::float64);
    }
    file.commit();
  }
  const SphParameters parameters =
      read_parameters(testing::read_text(scratch / "run.toml", "time.end = 1\ninitial.file = 'ics.hdf5'\n"));
  const Estimate whole = estimate(parameters, {});
  EXPECT_FALSE(whole.is_estimate);
  EXPECT_GT(whole.first_time_step, 0.0);
  const Estimate header = estimate(parameters, {}, {.bytes = 100.0});
  EXPECT_TRUE(header.is_estimate);
  EXPECT_EQ(header.first_time_step, 0.0);
  EXPECT_EQ(header.extent.particles, whole.extent.particles);
  EXPECT_EQ(header.extent.box.y, whole.extent.box.y);
  EXPECT_EQ(header.extent.dimension, whole.extent.dimension);
}

}  // namespace
}  // namespace tacit::sph::outlook_test
