// Files of expanding boxes: written and read back, with the factors of GADGET and of SWIFT, and what is refused.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "../../../io/scratch.hpp"
#include "../samples.hpp"
#include "tacit/base/error.hpp"
#include "tacit/solvers/sph/formats/gadget.hpp"

namespace tacit::sph::cosmological_files_test {
namespace {

using testing::SmallRun;
using Numbers = std::vector<double>;

constexpr Cosmology universe{.H0 = 2.0, .h = 0.5, .omega_m = 0.25, .omega_lambda = 0.75};

GadgetOptions options_of(double begin = 0.0) { return {.has_gravity = true, .cosmology = universe, .begin = begin}; }

/// Two bodies of type 1 in a box of 8, at a = 1/4.
struct Example {
  std::map<std::string, Numbers> header{{"BoxSize", {8}},
                                        {"NumPart_ThisFile", {0, 2, 0, 0, 0, 0}},
                                        {"NumPart_Total", {0, 2, 0, 0, 0, 0}},
                                        {"NumFilesPerSnapshot", {1}},
                                        {"MassTable", {0, 4, 0, 0, 0, 0}},
                                        {"Time", {0.25}},
                                        {"Redshift", {3}},
                                        {"Omega0", {0.25}},
                                        {"OmegaLambda", {0.75}},
                                        {"HubbleParam", {0.5}}};
  std::map<std::string, Numbers> cosmology;      // a group
  std::map<std::string, Numbers> of_velocities;  // attributes

  [[nodiscard]] InitialConditions read(const GadgetOptions& options) const {
    const test::Scratch scratch;
    const std::filesystem::path path = scratch / "ics.hdf5";
    io::FileWriter file(path);
    file.group("Header");
    for (const auto& [name, values] : header) file.attribute("Header", name, std::span<const double>(values));
    if (!cosmology.empty()) file.group("Cosmology");
    for (const auto& [name, values] : cosmology) file.attribute("Cosmology", name, std::span<const double>(values));
    file.group("PartType1");
    const Numbers x{1, 2, 3, 4, 5, 6};
    const std::array<std::uint64_t, 2> shape{2, 3};
    file.array("PartType1/Coordinates", std::span<const double>(x), shape, io::Number::float64);
    file.array("PartType1/Velocities", std::span<const double>(x), shape, io::Number::float64);
    for (const auto& [name, values] : of_velocities) {
      file.attribute("PartType1/Velocities", name, std::span<const double>(values));
    }
    file.commit();
    return read_gadget(path, options);
  }
  [[nodiscard]] std::string refusal(const GadgetOptions& options) const {
    try {
      static_cast<void>(read(options));
    } catch (const base::FormatError& error) {
      const std::string text = error.what();
      return text.substr(text.find("hdf5: ") + 6);
    }
    return "";
  }
};

}  // namespace

TEST(CosmologicalFiles, GadgetsVelocitiesAndFactorsOfH) {
  GadgetOptions options = options_of();
  const InitialConditions plain = Example().read(options);
  EXPECT_EQ(plain.time, 0.25);
  EXPECT_EQ(plain.x, (Numbers{1, 4}));
  EXPECT_EQ(plain.m, (Numbers{4, 4}));
  EXPECT_EQ(plain.vx, (Numbers{0.125, 0.5}));  // sqrt(a) dx/dt times a^(3/2)
  options.h_factors = true;
  const InitialConditions per_h = Example().read(options);
  EXPECT_EQ(per_h.time, 0.25);
  EXPECT_EQ(per_h.box, (base::Vec3{16, 16, 16}));
  EXPECT_EQ(per_h.x, (Numbers{2, 8}));
  EXPECT_EQ(per_h.m, (Numbers{8, 8}));
  EXPECT_EQ(per_h.vx, (Numbers{0.125, 0.5}));
  options.velocities = FileVelocities::peculiar;
  EXPECT_EQ(Example().read(options).vx, (Numbers{0.25, 1.0}));  // a dx/dt times a
}

TEST(CosmologicalFiles, WhatTheFileSaysOfItself) {
  Example swift;
  swift.header["Scale-factor"] = {0.25};
  swift.header["Time"] = {0.7};  // of the clock
  swift.cosmology = {{"Cosmological run", {1}}, {"Omega_m", {0.25}}, {"h", {0.5}}};
  EXPECT_EQ(swift.read(options_of()).time, 0.25);
  EXPECT_EQ(swift.read(options_of()).vx, (Numbers{0.25, 1.0}));
  swift.of_velocities = {{"a-scale exponent", {1}}};  // numbers times a are peculiar velocities
  EXPECT_EQ(swift.read(options_of()).vx, (Numbers{0.0625, 0.25}));

  Example silent;  // its run says when
  silent.header.erase("Redshift");
  silent.header["Time"] = {0};
  EXPECT_EQ(silent.read(options_of(0.25)).time, 0.25);
  EXPECT_EQ(silent.refusal(options_of()),
            "says no scale factor: its Header has no Scale-factor, Time or Redshift; set time.begin");
}

TEST(CosmologicalFiles, Contradictions) {
  EXPECT_EQ(Example().refusal(options_of(0.25)), "");
  EXPECT_EQ(Example().refusal(options_of(0.5)),
            "Header: 'Time' is the scale factor 0.25, and time.begin is 0.5; leave time.begin out");
  const auto after = [](const std::string& name, double value) {
    Example example;
    example.header[name] = {value};
    return example.refusal(options_of());
  };
  EXPECT_EQ(after("Redshift", 4.0),
            "contradicts itself: Header: 'Time' is the scale factor 0.25, and Header: 'Redshift' is 0.2; remove the "
            "wrong one");
  EXPECT_EQ(after("Omega0", 0.3),
            "Header: 'Omega0' is 0.3, and cosmology.omega_m of the run is 0.25: they are of different universes; "
            "change the key, or take another file");
  EXPECT_EQ(after("OmegaLambda", 0.7),
            "Header: 'OmegaLambda' is 0.7, and cosmology.omega_lambda of the run is 0.75: they are of different "
            "universes; change the key, or take another file");
  EXPECT_EQ(after("HubbleParam", 0.7),
            "Header: 'HubbleParam' is 0.7, and cosmology.h of the run is 0.5: they are of different universes; change "
            "the key, or take another file");
  EXPECT_EQ(after("OmegaLambda", 0.0), "");  // not filled in
  EXPECT_EQ(after("ComovingIntegrationOn", 0.0),
            "comes from a run without expansion (Header: 'ComovingIntegrationOn' is 0), and cosmology.expanding is "
            "true");
}

TEST(CosmologicalFiles, ASnapshotIsReadBackAsItWas) {
  const Pancake wave{.resolution = 6, .begin = 0.05, .cosmology = universe, .G = 3.0};
  SphParameters parameters = testing::plain_parameters();
  parameters.gravity = {.is_present = true, .G = 3.0, .softening = 0.01};
  parameters.cosmology = universe;
  for (const bool is_individual : {false, true}) {
    parameters.has_individual_steps = is_individual;
    SmallRun run(parameters, make(wave));
    run.advance(5);
    const test::Scratch scratch;
    const std::filesystem::path path = scratch / "snapshot.hdf5";
    engine::FileContext context;
    context.coordinate = run.time;
    context.double_precision = true;
    run.solver.write_snapshot(path, context);
    const io::FileReader file(path);
    EXPECT_DOUBLE_EQ(file.attribute("Header", "Scale-factor").front(), run.time);
    EXPECT_NEAR(file.attribute("Header", "Redshift").front(), 1.0 / run.time - 1.0, 1e-12 / run.time);
    EXPECT_DOUBLE_EQ(file.attribute("Header", "Time").front(), universe.age(run.time));
    EXPECT_EQ(file.attribute("Cosmology", "Cosmological run").front(), 1.0);
    EXPECT_EQ(file.attribute("PartType1/Coordinates", "a-scale exponent").front(), 1.0);
    EXPECT_EQ(file.attribute("PartType1/Velocities", "a-scale exponent").front(), 0.0);
    EXPECT_EQ(file.attribute("PartType1/Potentials", "a-scale exponent").front(), -1.0);
    const InitialConditions back = read_gadget(path, options_of());
    EXPECT_DOUBLE_EQ(back.time, run.time);
    // The run that begins with it is where this one is; its first forces are found by the angle.
    SmallRun again(parameters, back);
    const engine::MechanicalSums before = run.solver.sums();
    const engine::MechanicalSums after = again.solver.sums();
    EXPECT_NEAR(after.kinetic_energy, before.kinetic_energy, (is_individual ? 1e-3 : 1e-12) * before.kinetic_energy);
    EXPECT_NEAR(*after.potential_energy, *before.potential_energy, 1e-2 * std::abs(*before.potential_energy));
  }
}

}  // namespace tacit::sph::cosmological_files_test
