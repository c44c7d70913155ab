// The keys of the sph solver: what they become, and what contradictions say.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "samples.hpp"
#include "tacit/solvers/sph/parameters.hpp"

namespace tacit::sph::parameters_test {
namespace {

constexpr const char* time = "time.end = 1\n";

SphParameters parameters_of(const std::string& text) {
  const test::Scratch scratch;
  return read_parameters(testing::read_text(scratch / "run.toml", time + text));
}

/// What read_parameters or the tables say, without the path.
std::string error_of(const std::string& text) {
  const test::Scratch scratch;
  const auto file = scratch / "run.toml";
  const std::string message = test::message_of<config::Error>(
      [&] { static_cast<void>(read_parameters(testing::read_text(file, time + text))); });
  return message.starts_with(file.string()) ? "run.toml" + message.substr(file.string().size()) : message;
}

}  // namespace

TEST(SphParameters, DefaultsAreThoseOfTheTables) {
  const SphParameters p = parameters_of("initial.setup = \"sedov\"\n");
  EXPECT_EQ(p.kernel, Kernel::cubic_spline);
  EXPECT_EQ(p.kernel_name, "cubic_spline");
  EXPECT_EQ(p.kernel_gamma, kernels::CubicSpline::gamma);
  EXPECT_EQ(p.smoothing.eta, 1.2348);
  EXPECT_EQ(p.smoothing.tolerance, 1e-4);
  EXPECT_EQ(p.smoothing.h_max, 0.0);
  EXPECT_EQ(p.gamma, 5.0 / 3.0);
  EXPECT_EQ(p.cfl, 0.1);
  EXPECT_EQ(p.alpha, SphParameters{}.alpha);
  EXPECT_EQ(p.boundary, Boundary::periodic);
  EXPECT_FALSE(p.file.has_value());
  ASSERT_TRUE(p.setup.has_value());
  // The table's defaults are the struct's.
  const Sedov& sedov = std::get<Sedov>(*p.setup);
  const Sedov expected;
  EXPECT_EQ(sedov.resolution, expected.resolution);
  EXPECT_EQ(sedov.box, expected.box);
  EXPECT_EQ(sedov.rho, expected.rho);
  EXPECT_EQ(sedov.P, expected.P);
  EXPECT_EQ(sedov.energy, expected.energy);
  EXPECT_EQ(sedov.jitter, expected.jitter);
}

TEST(SphParameters, AllValuesArrive) {
  const SphParameters p = parameters_of(
      "[sph]\nkernel = \"quintic_spline\"\neta = 1.5\nh_tolerance = 1e-3\nh_max = 0.25\ngamma = 1.4\ncfl = 0.2\n"
      "alpha = 1.1\nboundary = \"open\"\n[initial]\nsetup = \"sod\"\n"
      "[sod]\nresolution = 16\nlength = 2\nrho_left = 3\nP_left = 4\nP_right = 5\n");
  EXPECT_EQ(p.kernel, Kernel::quintic_spline);
  EXPECT_EQ(p.kernel_gamma, kernels::QuinticSpline::gamma);
  EXPECT_EQ(p.smoothing.eta, 1.5);
  EXPECT_EQ(p.smoothing.tolerance, 1e-3);
  EXPECT_EQ(p.smoothing.h_max, 0.25);
  EXPECT_EQ(p.gamma, 1.4);
  EXPECT_EQ(p.cfl, 0.2);
  EXPECT_EQ(p.alpha, 1.1);
  EXPECT_EQ(p.boundary, Boundary::open);
  const Sod& sod = std::get<Sod>(*p.setup);
  EXPECT_EQ(sod.resolution, 16);
  EXPECT_EQ(sod.length, 2.0);
  EXPECT_EQ(sod.rho_left, 3.0);
  EXPECT_EQ(sod.P_left, 4.0);
  EXPECT_EQ(sod.P_right, 5.0);
  EXPECT_EQ(sod.gamma, 1.4);
  EXPECT_EQ(sod.eta, 1.5);
  EXPECT_EQ(initial_conditions(p, base::UnitSystem{}).size(), particle_count(*p.setup));
}

TEST(SphParameters, EachKernelBringsItsSupport) {
  const SphParameters p = parameters_of("initial.setup = \"sod\"\nsph.kernel = \"quartic_spline\"\n");
  EXPECT_EQ(p.kernel, Kernel::quartic_spline);
  EXPECT_EQ(p.kernel_gamma, kernels::QuarticSpline::gamma);
}

TEST(SphParameters, ContradictionsSayWhereAndWhat) {
  EXPECT_EQ(error_of(""),
            "run.toml: initial.file: is missing, and so is initial.setup; one is needed\n"
            "  hint: add   file = \"ics.hdf5\"   or   setup = \"sedov\"   under [initial]");
  EXPECT_EQ(error_of("[initial]\nfile = \"a.hdf5\"\nsetup = \"sedov\"\n"),
            "run.toml:4:9: initial.setup: stands beside initial.file; only one of them is used\n"
            "  hint: remove one of the two lines");
  EXPECT_EQ(error_of("initial.setup = \"sod\"\n[sod]\nresolution = 42\n"),
            "run.toml:4:14: sod.resolution: 42 is not a multiple of 4\n"
            "  hint: write 44; the sparse side has half as many cells per length, a quarter across");
  EXPECT_EQ(error_of("initial.setup = \"sedov\"\n[sod]\nresolution = 42\n"), "nothing");  // not used
}

TEST(SphParameters, TablesRefuseWhatPhysicsForbids) {
  for (const char* line : {"sph.gamma = 1.0", "sph.cfl = 0", "sph.eta = 0.4", "sph.h_max = 0", "sph.h_tolerance = 0",
                           "sph.alpha = -1", "sedov.density = 0", "sedov.resolution = 3", "sph.kernel = \"cubic\""}) {
    EXPECT_NE(error_of("initial.setup = \"sedov\"\n" + std::string(line) + "\n"), "nothing") << line;
  }
}

}  // namespace tacit::sph::parameters_test
