// Initial conditions from GADGET / SWIFT files: what is read, and the exact words for what is refused.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <random>

#include "../../io/scratch.hpp"
#include "support/source_folder.hpp"
#include "tacit/base/checksum.hpp"
#include "tacit/base/error.hpp"
#include "tacit/io/file.hpp"
#include "tacit/solvers/sph/formats/gadget.hpp"

namespace tacit::sph::gadget_test {
namespace {

namespace fs = std::filesystem;
using io::Number;
using Numbers = std::vector<double>;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Dataset {
  Numbers values;
  std::uint64_t width = 1;
  Number type = Number::float32;
};

/// Five particles in a box of 1; a test changes what it is about.
struct Example {
  std::map<std::string, Numbers> header{{"BoxSize", {1, 1, 1}},         {"NumPart_ThisFile", {5, 0, 0, 0, 0, 0}},
                                        {"NumPart_Total", {5}},         {"NumFilesPerSnapshot", {1}},
                                        {"MassTable", {0, 0, 0, 0, 0}}, {"Time", {0.25}}};
  std::map<std::string, Dataset> gas{
      {"Coordinates", {{0, 0, 0, .25, .5, .75, .5, .5, .5, .125, .125, .125, .75, .75, .75}, 3, Number::float64}},
      {"Velocities", {Numbers(15, 0.5), 3}},
      {"Masses", {{1, 2, 3, 4, 5}}},
      {"InternalEnergy", {{0, 1, 2, 3, 4}}},
      {"SmoothingLength", {{.5, .5, .5, .5, .5}}}};
  std::vector<std::uint64_t> ids{10, 11, 12, 13, 18};  // left out when empty
  std::map<std::string, Numbers> units;                // group left out when empty
  std::map<std::string, Numbers> parameters;           // as is this
  std::optional<double> cosmological;

  void write(const fs::path& path) const {
    io::FileWriter file(path);
    file.group("Header");
    for (const auto& [name, values] : header) file.attribute("Header", name, std::span<const double>(values));
    if (!gas.empty()) file.group("PartType0");
    for (const auto& [name, data] : gas) {
      std::vector<std::uint64_t> shape{data.values.size() / data.width};
      if (data.width > 1) shape.push_back(data.width);
      file.array("PartType0/" + name, std::span<const double>(data.values), shape, data.type);
    }
    const std::array<std::uint64_t, 1> count{ids.size()};
    if (!ids.empty()) file.array("PartType0/ParticleIDs", std::span<const std::uint64_t>(ids), count);
    if (!units.empty()) file.group("Units");
    for (const auto& [name, values] : units) file.attribute("Units", name, std::span<const double>(values));
    if (!parameters.empty()) file.group("Parameters");
    for (const auto& [name, values] : parameters) {
      file.attribute("Parameters", name, std::span<const double>(values));
    }
    if (cosmological) {
      file.group("Cosmology");
      file.attribute("Cosmology", "Cosmological run", std::array{*cosmological});
    }
    file.commit();
  }
};

InitialConditions read_back(const Example& example, const GadgetOptions& options = {}) {
  const test::Scratch scratch;
  example.write(scratch / "ic.hdf5");
  return read_gadget(scratch / "ic.hdf5", options);
}

/// The message without the path, which changes from run to run.
std::string refusal(const Example& example, const GadgetOptions& options = {}) {
  const test::Scratch scratch;
  const fs::path path = scratch / "ic.hdf5";
  example.write(path);
  const std::string message = test::message_of<base::FormatError>([&] { (void)read_gadget(path, options); });
  const std::string start = path.string() + ": ";
  return message.starts_with(start) ? message.substr(start.size()) : message;
}

template <class Change>
std::string refusal_after(const Change& change) {
  Example example;
  change(example);
  return refusal(example);
}

}  // namespace

TEST(ReadGadget, ReadsEverything) {
  const test::Scratch scratch;
  const fs::path path = scratch / "ic.hdf5";
  Example().write(path);
  const InitialConditions gas = read_gadget(path, {});
  EXPECT_EQ(gas.size(), 5U);
  EXPECT_EQ(gas.box, (base::Vec3{1, 1, 1}));
  EXPECT_EQ(gas.time, 0.25);
  EXPECT_EQ(gas.id, (std::vector<std::uint64_t>{10, 11, 12, 13, 18}));
  EXPECT_EQ(gas.x, (Numbers{0, .25, .5, .125, .75}));
  EXPECT_EQ(gas.y, (Numbers{0, .5, .5, .125, .75}));
  EXPECT_EQ(gas.z, (Numbers{0, .75, .5, .125, .75}));
  for (const Numbers* v : {&gas.vx, &gas.vy, &gas.vz}) EXPECT_EQ(*v, Numbers(5, 0.5));
  EXPECT_EQ(gas.m, (Numbers{1, 2, 3, 4, 5}));
  EXPECT_EQ(gas.u, (Numbers{0, 1, 2, 3, 4}));
  EXPECT_EQ(gas.h, Numbers(5, 0.5));
  EXPECT_EQ(gas.source, path.string());
  EXPECT_EQ(gas.checksum, base::file_checksum(path));
}

TEST(ReadGadget, ReadsTheNamesOfSnapshotsAndDoublePrecision) {
  Example example;
  example.gas["InternalEnergies"] = {{0, 0.1, 0.2, 0.3, 0.4}, 1, Number::float64};
  example.gas.erase("InternalEnergy");
  example.gas["SmoothingLengths"] = {Numbers(5, 0.1), 1, Number::float64};
  example.gas.erase("SmoothingLength");
  const InitialConditions gas = read_back(example);
  EXPECT_EQ(gas.u, (Numbers{0, 0.1, 0.2, 0.3, 0.4}));
  EXPECT_EQ(gas.h, Numbers(5, 0.1));
}

TEST(ReadGadget, FillsInWhatMayBeMissing) {
  Example example;
  example.ids.clear();
  for (const char* name : {"SmoothingLength", "Masses"}) example.gas.erase(name);
  for (const char* name : {"Time", "NumPart_Total", "NumFilesPerSnapshot"}) example.header.erase(name);
  example.header["BoxSize"] = {1};
  example.header["MassTable"] = {0.125, 0, 0, 0, 0, 0};
  const InitialConditions gas = read_back(example);
  EXPECT_EQ(gas.id, (std::vector<std::uint64_t>{1, 2, 3, 4, 5}));
  EXPECT_TRUE(gas.h.empty());
  EXPECT_EQ(gas.m, Numbers(5, 0.125));
  EXPECT_EQ(gas.time, 0.0);
  EXPECT_EQ(gas.box, (base::Vec3{1, 1, 1}));
}

TEST(ReadGadget, WrapsTheUpperEdge) {
  Example example;
  example.header["BoxSize"] = {0.1, 1, 1};
  example.gas["Coordinates"] = {{0.1, 1, 1, 0, 1, 0.5, 0, 0, 0, 0.05, 0, 0, 0.01, 0, 0}, 3, Number::float64};
  EXPECT_EQ(read_back(example).x[0], 0.0);
  EXPECT_EQ(read_back(example).y, Numbers(5, 0.0));
  example.gas["Coordinates"].type = Number::float32;  // 0.1f is above 0.1: rounding, not a particle outside
  EXPECT_EQ(read_back(example).x[0], 0.0);
  const InitialConditions open = read_back(example, {.units = {}, .boundary = Boundary::open});
  EXPECT_EQ(open.x[0], static_cast<double>(0.1F));
}

TEST(ReadGadget, AnOpenDomainTakesAnyFinitePosition) {
  Example example;
  example.gas["Coordinates"].values[4] = -7.0;
  EXPECT_EQ(read_back(example, {.units = {}, .boundary = Boundary::open}).y[1], -7.0);
  EXPECT_EQ(refusal(example),
            "PartType0/Coordinates: particle 1 (ID 11) is at (0.25, -7, 0.75), more than a box length outside the "
            "periodic box (1, 1, 1)");
  EXPECT_EQ(refusal(example, {.units = {}, .boundary = Boundary::reflecting}),
            "PartType0/Coordinates: particle 1 (ID 11) is at (0.25, -7, 0.75), outside the reflecting box (1, 1, 1)");
}

// A periodic box repeats itself, so a file whose box is centred on the origin, say, holds the same gas.
TEST(ReadGadget, WrapsWhatLiesWithinABoxLengthOfAPeriodicBox) {
  Example example;
  example.gas["Coordinates"].values[4] = -0.25;
  EXPECT_EQ(read_back(example).y[1], 0.75);
  example.gas["Coordinates"].values[4] = -1.0;
  EXPECT_EQ(read_back(example).y[1], 0.0);
  example.gas["Coordinates"].values[4] = 1.75;
  EXPECT_EQ(read_back(example).y[1], 0.75);
  example.gas["Coordinates"].values[4] = 2.0;
  EXPECT_NE(refusal(example), "nothing");
}

TEST(ReadGadget, TakesFactorsOfTheHubbleParameterAway) {
  Example example;
  GadgetOptions options{.h_factors = true};
  EXPECT_EQ(refusal(example, options),
            "has no HubbleParam in its Header, which initial.h_factors needs; set initial.hubble_parameter, for "
            "example 0.7");
  example.header["HubbleParam"] = {0.5};  // a power of two: exact
  const InitialConditions gas = read_back(example, options);
  EXPECT_EQ(gas.box, (base::Vec3{2, 2, 2}));
  EXPECT_EQ(gas.time, 0.5);
  EXPECT_EQ(gas.x[1], 0.5);
  EXPECT_EQ(gas.m[1], 4.0);
  EXPECT_EQ(gas.h[1], 1.0);
  EXPECT_EQ(gas.vx[1], 0.5);  // km/s have no h
  EXPECT_EQ(gas.u[1], 1.0);
  options.hubble_parameter = 0.25;
  EXPECT_EQ(read_back(example, options).m[1], 8.0);
  example.header["HubbleParam"] = {0};
  options.hubble_parameter.reset();
  EXPECT_EQ(refusal(example, options), "Header: attribute 'HubbleParam' is 0, expected a number > 0, such as 0.7");
  EXPECT_EQ(read_back(example).m[1], 2.0) << "not asked for: as they are";
}

TEST(ReadGadget, ConvertsUnits) {
  Example example;
  // The file: 8 cm, 4 g, 2 s; the run: 2 cm, 2 g, 1 s: powers of two, so every conversion is exact.
  example.units = {{"Unit length in cgs (U_L)", {8}}, {"Unit mass in cgs (U_M)", {4}}, {"Unit time in cgs (U_t)", {2}}};
  GadgetOptions options;
  options.units.length_in_cgs = 2.0;
  options.units.mass_in_cgs = 2.0;
  const InitialConditions gas = read_back(example, options);
  EXPECT_EQ(gas.box.x, 4.0);
  EXPECT_EQ(gas.time, 0.5);
  EXPECT_EQ(gas.x[1], 1.0);
  EXPECT_EQ(gas.vx[1], 1.0);  // 0.5 * (8 cm / 2 s) / (2 cm / 1 s)
  EXPECT_EQ(gas.m[1], 4.0);
  EXPECT_EQ(gas.u[1], 4.0);  // 1 * (8 cm / 2 s)^2 / (2 cm / 1 s)^2
  EXPECT_EQ(gas.h[1], 2.0);
  example.units["Unit mass in cgs (U_M)"] = {1e-320};
  EXPECT_EQ(refusal(example, options),
            "1 in the file's units cannot be expressed as a mass in the run's (factor 5e-321): check group Units and "
            "the units of the run");
}

// u = A rho^(gamma - 1) / (gamma - 1); for gamma = 2 that is A rho.
TEST(ReadGadget, TurnsEntropiesIntoEnergies) {
  Example example;
  example.gas.erase("InternalEnergy");
  example.gas["Entropies"] = {{1, 2, 3, 4, 5}};
  example.gas["Densities"] = {Numbers(5, 2.0)};
  GadgetOptions options;
  options.gamma = 2.0;
  EXPECT_EQ(read_back(example, options).u, (Numbers{2, 4, 6, 8, 10}));
}

TEST(ReadGadget, NamesTheParticleThatIsWrong) {
  const auto with = [](const char* name, std::size_t i, double value) {
    return refusal_after([&](Example& example) { example.gas[name].values.at(i) = value; });
  };
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_EQ(with("Masses", 4, -0.5),
            "PartType0/Masses: particle 4 (ID 18) has mass -0.5; expected a mass > 0, at most 1e60");
  EXPECT_EQ(with("Masses", 0, 0.0),
            "PartType0/Masses: particle 0 (ID 10) has mass 0; expected a mass > 0, at most 1e60");
  EXPECT_EQ(with("Masses", 1, nan),
            "PartType0/Masses: particle 1 (ID 11) has mass nan; expected a mass > 0, at most 1e60");
  EXPECT_EQ(with("Masses", 1, infinite),
            "PartType0/Masses: particle 1 (ID 11) has mass inf; expected a mass > 0, at most 1e60");
  EXPECT_EQ(with("Coordinates", 7, nan),
            "PartType0/Coordinates: particle 2 (ID 12) has y position nan; expected a finite number, at most 1e50");
  EXPECT_EQ(with("Velocities", 3, infinite),
            "PartType0/Velocities: particle 1 (ID 11) has x velocity inf; expected a finite number, at most 1e30");
  EXPECT_EQ(with("InternalEnergy", 2, -1.0),
            "PartType0/InternalEnergy: particle 2 (ID 12) has internal energy -1; expected a finite energy >= 0, at "
            "most 1e60");
  EXPECT_EQ(with("Coordinates", 6, -1e150),  // finite, but its square is not
            "PartType0/Coordinates: particle 2 (ID 12) has x position -1e+150; expected a finite number, at most 1e50");
  EXPECT_EQ(with("SmoothingLength", 3, 0.0),
            "PartType0/SmoothingLength: particle 3 (ID 13) has smoothing length 0; expected a length > 0");
  EXPECT_EQ(with("SmoothingLength", 3, nan),
            "PartType0/SmoothingLength: particle 3 (ID 13) has smoothing length nan; expected a length > 0");
  EXPECT_EQ(refusal_after([](Example& example) {
              example.ids.clear();
              example.gas["Masses"].values[4] = -1;
            }),
            "PartType0/Masses: particle 4 has mass -1; expected a mass > 0, at most 1e60");
}

TEST(ReadGadget, RefusesTheSameIdTwice) {
  EXPECT_EQ(refusal_after([](Example& example) {
              example.ids = {7, 3, 9, 0, 3};
            }),
            "PartType0/ParticleIDs: particles 1 and 4 have the same ID 3; expected unique IDs");
  EXPECT_EQ(refusal_after([](Example& example) { example.ids = {7, 3, 9, 0, UINT64_MAX}; }), "nothing");
}

TEST(ReadGadget, NamesWhatIsMissing) {
  const auto without = [](const char* name) {
    return refusal_after([name](Example& example) {
      example.gas.erase(name);
      example.header.erase(name);
    });
  };
  EXPECT_EQ(without("BoxSize"), "Header: attribute 'BoxSize' is missing");
  EXPECT_EQ(without("NumPart_ThisFile"), "Header: attribute 'NumPart_ThisFile' is missing");
  EXPECT_EQ(without("Coordinates"), "PartType0/Coordinates is missing");
  EXPECT_EQ(without("Velocities"), "PartType0/Velocities is missing");
  EXPECT_EQ(without("InternalEnergy"), "PartType0/InternalEnergy (in snapshots InternalEnergies) is missing");
  EXPECT_EQ(
      without("Masses"),
      "PartType0/Masses is missing and Header: 'MassTable' gives the gas mass 0; expected a mass > 0, at most 1e60");
  EXPECT_EQ(refusal_after([](Example& example) {
              example.gas.clear();
              example.ids.clear();
            }),
            "group PartType0 is missing, but Header says that it holds 5 gas particles");
  EXPECT_EQ(refusal_after([](Example& example) {
              example.gas.erase("Masses");
              example.header.erase("MassTable");
            }),
            "PartType0/Masses and Header: 'MassTable' are both missing");
  const test::Scratch scratch;
  io::FileWriter(scratch / "a.hdf5").commit();
  EXPECT_EQ(test::message_of<base::FormatError>([&] { (void)read_gadget(scratch / "a.hdf5", {}); }),
            (scratch / "a.hdf5").string() + ": group Header is missing: not a GADGET or SWIFT file");
}

TEST(ReadGadget, ComparesSizesWithTheHeader) {
  EXPECT_EQ(refusal_after([](Example& example) { example.gas["Masses"].values.pop_back(); }),
            "PartType0/Masses has shape (4), expected (5): Header says 5 gas particles");
  EXPECT_EQ(refusal_after([](Example& example) { example.gas["Coordinates"].width = 5; }),
            "PartType0/Coordinates has shape (3, 5), expected (5, 3): Header says 5 gas particles");
  EXPECT_EQ(refusal_after([](Example& example) { example.gas["Velocities"].width = 1; }),
            "PartType0/Velocities has shape (15), expected (5, 3): Header says 5 gas particles");
  EXPECT_EQ(refusal_after([](Example& example) { example.ids.push_back(99); }),
            "PartType0/ParticleIDs has shape (6), expected (5): Header says 5 gas particles");
  EXPECT_EQ(refusal_after([](Example& example) {
              example.header["NumPart_ThisFile"] = {1e15};
              example.header["NumPart_Total"] = {1e15};
              example.header.erase("NumPart_Total_HighWord");
              example.ids.clear();
            }),
            "PartType0/Coordinates has shape (5, 3), expected (1000000000000000, 3): Header says 1000000000000000 gas "
            "particles");
}

TEST(ReadGadget, TakesTheDimensionFromTheFileUnlessTheRunInsists) {
  const test::Scratch scratch;
  Example line;
  line.header["Dimension"] = {1};
  line.header["BoxSize"] = {2, 0, 0};  // the unused sides may be anything
  for (std::size_t i = 0; i < 15; ++i) {
    if (i % 3 != 0) line.gas["Coordinates"].values[i] = line.gas["Velocities"].values[i] = 0.0;
  }
  line.write(scratch / "line.hdf5");
  const InitialConditions gas = read_gadget(scratch / "line.hdf5", {});
  EXPECT_EQ(gas.dimension, 1);
  EXPECT_EQ(gas.box, (base::Vec3{2.0, 2.0, 2.0}));
  EXPECT_EQ(gas.x[3], 0.125);
  EXPECT_EQ(test::message_of<base::FormatError>(
                [&] { static_cast<void>(read_gadget(scratch / "line.hdf5", {.dimension = 2})); }),
            (scratch / "line.hdf5").string() +
                ": Header: attribute 'Dimension' is 1, but sph.dimension is 2; remove the key to take the file's");
  line.header.erase("Dimension");
  line.write(scratch / "silent.hdf5");
  EXPECT_EQ(read_gadget(scratch / "silent.hdf5", {.dimension = 1}).dimension, 1);
}

TEST(ReadGadget, RefusesParticlesOffTheLineOrPlane) {
  EXPECT_EQ(refusal_after([](Example& example) { example.header["Dimension"] = {2}; }),
            "PartType0/Coordinates: particle 1 (ID 11) has z position 0.75; expected 0 in 2 dimensions");
  EXPECT_EQ(refusal_after([](Example& example) {
              example.header["Dimension"] = {1};
              for (std::size_t i = 0; i < 15; ++i) {
                if (i % 3 != 0) example.gas["Coordinates"].values[i] = 0.0;
              }
            }),
            "PartType0/Velocities: particle 0 (ID 10) has y velocity 0.5; expected 0 in 1 dimension");
}

TEST(ReadGadget, AnOpenBoxMaySayNothing) {
  Example example;
  for (const Numbers& size : {Numbers{0}, Numbers{0, 0, 0}, Numbers{1, 1, 0}}) {
    example.header["BoxSize"] = size;
    EXPECT_EQ(read_back(example, {.units = {}, .boundary = Boundary::open}).box, base::Vec3{});
  }
  example.header["BoxSize"] = {-1};
  EXPECT_EQ(refusal(example, {.units = {}, .boundary = Boundary::open}),
            "Header: attribute 'BoxSize' is -1, expected one or three lengths >= 0");
}

TEST(ReadGadget, RefusesHeadersThatMakeNoSense) {
  const auto with = [](const char* name, const Numbers& values) {
    return refusal_after([&](Example& example) { example.header[name] = values; });
  };
  EXPECT_EQ(with("BoxSize", {0}), "Header: attribute 'BoxSize' is 0, expected one or three lengths > 0");
  EXPECT_EQ(with("BoxSize", {1, nan, 1}),
            "Header: attribute 'BoxSize' is 1, nan, 1, expected one or three lengths > 0");
  EXPECT_EQ(with("BoxSize", {1, 2}), "Header: attribute 'BoxSize' is 1, 2, expected one or three lengths > 0");
  EXPECT_EQ(with("BoxSize", {1e200}),
            "Header: attribute 'BoxSize' is 1e+200 in the units of the run, expected 1e-50 to 1e+50; choose other "
            "units");
  EXPECT_EQ(with("NumPart_ThisFile", {-5, 0}),
            "Header: attribute 'NumPart_ThisFile' holds -5, expected numbers of particles");
  EXPECT_EQ(with("NumPart_ThisFile", {5, 0.5}),
            "Header: attribute 'NumPart_ThisFile' holds 0.5, expected numbers of particles");
  EXPECT_EQ(with("Time", {nan}), "Header: attribute 'Time' is nan, expected a finite number");
  EXPECT_EQ(with("Dimension", {4}), "Header: attribute 'Dimension' is 4, expected 1, 2 or 3");
  EXPECT_EQ(refusal_after([](Example& example) {
              example.units = {{"Unit length in cgs (U_L)", {-1}}};
            }),
            "Units: attribute 'Unit length in cgs (U_L)' is -1, expected one number > 0");
  EXPECT_EQ(refusal_after([](Example& example) {
              example.units = {{"UnitLength_in_cm", {1}}};
            }),
            "Units: attribute 'Unit length in cgs (U_L)' is missing");
}

TEST(ReadGadget, RefusesFilesThatContradictThemselves) {
  EXPECT_EQ(
      refusal_after([](Example& example) { example.header["MassTable"] = {2, 0, 0, 0, 0, 0}; }),
      "contradicts itself: the mass of particle 0 in PartType0/Masses is 1, but entry 0 of Header: 'MassTable' is "
      "2; remove the wrong one");
  EXPECT_EQ(
      refusal_after([](Example& example) {
        example.gas["InternalEnergies"] = {{0, 1, 2, 3, 5}};
      }),
      "contradicts itself: PartType0/InternalEnergy of particle 4 (ID 18) is 4, but PartType0/InternalEnergies is "
      "5; remove the wrong one");
  EXPECT_EQ(refusal_after([](Example& example) { example.gas["SmoothingLengths"] = {Numbers(5, 0.25)}; }),
            "contradicts itself: PartType0/SmoothingLength of particle 0 (ID 10) is 0.5, but "
            "PartType0/SmoothingLengths is 0.25; remove the wrong one");
  EXPECT_EQ(
      refusal_after([](Example& example) {
        example.units = {
            {"Unit length in cgs (U_L)", {1}}, {"Unit mass in cgs (U_M)", {1}}, {"Unit time in cgs (U_t)", {1}}};
        example.parameters = {{"UnitLength_in_cm", {1}}, {"UnitMass_in_g", {10}}, {"UnitVelocity_in_cm_per_s", {1}}};
      }),
      "contradicts itself: the unit of mass by group Units is 1, but that by UnitLength_in_cm, UnitMass_in_g, "
      "UnitVelocity_in_cm_per_s is 10; remove the wrong one");
  EXPECT_EQ(refusal_after([](Example& example) {
              example.parameters = {{"BoxSize", {3}}};
            }),
            "contradicts itself: Header: 'BoxSize' is 1, but Parameters: 'BoxSize' is 3; remove the wrong one");
  EXPECT_EQ(refusal_after([](Example& example) { example.header["TotalNumberOfParticles"] = {6}; }),
            "Header: attribute 'TotalNumberOfParticles' says 6 particles of PartType0 (gas), but 'NumPart_ThisFile' "
            "says 5");
}

TEST(ReadGadget, TakesTheSameThingSaidTwice) {
  Example example;
  example.gas["Masses"] = {Numbers(5, 0.1)};  // as a float
  example.gas["InternalEnergies"] = example.gas["InternalEnergy"];
  example.header["MassTable"] = {0.1, 0, 0, 0, 0, 0};
  example.header["TotalNumberOfParticles"] = {5};
  example.parameters = {{"BoxSize", {1}}};
  EXPECT_EQ(read_back(example).u, (Numbers{0, 1, 2, 3, 4}));
}

TEST(ReadGadget, UsesUnitsUnderOtherNames) {
  GadgetOptions in_cgs;  // the run's units
  const auto read = [&](const std::map<std::string, Numbers>& header,
                        const std::map<std::string, Numbers>& parameters) {
    Example example;
    example.header.insert(header.begin(), header.end());
    example.parameters = parameters;
    return read_back(example, in_cgs);
  };
  // GADGET-4 and AREPO in Parameters, GIZMO in Header; the time is the length over the velocity.
  for (const InitialConditions& gas :
       {read({}, {{"UnitLength_in_cm", {4}}, {"UnitMass_in_g", {8}}, {"UnitVelocity_in_cm_per_s", {2}}}),
        read({{"UnitLength_In_CGS", {4}}, {"UnitMass_In_CGS", {8}}, {"UnitVelocity_In_CGS", {2}}}, {})}) {
    EXPECT_EQ(gas.box, (base::Vec3{4, 4, 4}));
    EXPECT_EQ(gas.m, (Numbers{8, 16, 24, 32, 40}));
    EXPECT_EQ(gas.vx, Numbers(5, 1.0));
    EXPECT_EQ(gas.u, (Numbers{0, 4, 8, 12, 16}));
    EXPECT_EQ(gas.time, 0.5);
  }
  EXPECT_EQ(
      refusal_after([](Example& example) {
        example.parameters = {{"UnitLength_in_cm", {4}}, {"UnitMass_in_g", {8}}};
      }),
      "states units by UnitLength_in_cm and UnitMass_in_g, but not UnitVelocity_in_cm_per_s: expected all three, or "
      "none for a file in the units of the run");
  EXPECT_EQ(refusal_after([](Example& example) { example.header["UnitMass_in_g"] = {-1}; }),
            "Header: attribute 'UnitMass_in_g' is -1, expected one number > 0");
}

TEST(ReadGadget, SaysWhatIsNotSupported) {
  EXPECT_EQ(refusal_after([](Example& example) { example.cosmological = 1.0; }),
            "comes from a cosmological run (Cosmology: 'Cosmological run' is 1); the box expands only with "
            "cosmology.expanding = true");
  EXPECT_EQ(refusal_after([](Example& example) { example.cosmological = 0.0; }), "nothing");
  // Files of redshift 0, by other programs' words.
  EXPECT_EQ(refusal_after([](Example& example) { example.header["ComovingIntegrationOn"] = {1}; }),
            "comes from a cosmological run (Header: 'ComovingIntegrationOn' is 1); the box expands only with "
            "cosmology.expanding = true");
  EXPECT_EQ(refusal_after([](Example& example) { example.parameters["ComovingIntegrationOn"] = {1}; }),
            "comes from a cosmological run (Parameters: 'ComovingIntegrationOn' is 1); the box expands only with "
            "cosmology.expanding = true");
  const auto at_unit_time = [](double omega, std::map<std::string, Numbers> parameters) {
    return refusal_after([&](Example& example) {
      example.header["Time"] = {1};
      example.header["Omega0"] = {omega};
      example.parameters = std::move(parameters);
    });
  };
  EXPECT_EQ(
      at_unit_time(0.3, {}),
      "comes from a cosmological run (Header: 'Omega0' is 0.3, and Header: 'Time' is the scale factor 1; of a file "
      "that is none, set 'ComovingIntegrationOn' to 0); the box expands only with cosmology.expanding = true");
  EXPECT_EQ(at_unit_time(0.3, {{"ComovingIntegrationOn", {0}}}), "nothing");
  EXPECT_EQ(at_unit_time(0.0, {}), "nothing");
  EXPECT_EQ(refusal_after([](Example& example) { example.header["Omega0"] = {0.3}; }), "nothing");  // at time 0.25
  EXPECT_EQ(refusal_after([](Example& example) { example.header["Flag_Entropy_ICs"] = {1}; }),
            "Header: attribute 'Flag_Entropy_ICs' is 1, so InternalEnergy holds entropies, which cannot be converted "
            "without the densities; write internal energies and set the flag to 0");
  EXPECT_EQ(refusal_after([](Example& example) {
              example.header["NumPart_ThisFile"] = example.header["NumPart_Total"] = {0, 32768, 0, 0, 12, 0};
            }),
            "has no gas (PartType0); it has 32768 of PartType1 (dark matter), 12 of PartType4 (stars), which move and "
            "attract with gravity.self = true");
  EXPECT_EQ(refusal_after(
                [](Example& example) { example.header["NumPart_ThisFile"] = example.header["NumPart_Total"] = {0}; }),
            "has no gas (PartType0); it has no particles at all");
}

TEST(ReadGadget, DamagedFilesEndInOneError) {
  const test::Scratch scratch;
  Example().write(scratch / "whole.hdf5");
  const std::string whole = test::content(scratch / "whole.hdf5");
  const std::size_t data_bytes = test::data_bytes_of(scratch / "whole.hdf5");  // checksums behind it are not read
  std::mt19937_64 random(7);
  const int trials = std::getenv("TACIT_TEST_FULL") != nullptr ? 1000 : 80;
  for (int trial = 0; trial < trials; ++trial) {
    std::string damaged = whole;
    const std::size_t byte = random() % (trial % 2 == 0 ? data_bytes : whole.size());
    if (trial % 2 == 0) damaged.resize(byte);
    if (trial % 2 == 1) damaged[byte] = static_cast<char>(damaged[byte] ^ (1 << random() % 8));
    test::put(scratch / "damaged.hdf5", damaged);
    const int result = test::in_child([&] {
      const std::string message =
          test::message_of<base::Error>([&] { (void)read_gadget(scratch / "damaged.hdf5", {}); });
      return message == "nothing" ? 1 : 0;
    });
    EXPECT_TRUE(result == 0 || (result == 1 && trial % 2 == 1)) << result << " at byte " << byte;
  }
}

// The reference files have known totals: unit density in a box of 1, and E = 1 plus the background.
TEST(ReadGadget, ReadsTheReferenceFiles) {
  const fs::path sph = fs::path(test::source_folder()) / "tests/data/sph";
  const InitialConditions sedov = read_gadget(sph / "sedov_32.hdf5", {});
  EXPECT_EQ(sedov.size(), 32768U);
  const double mass = std::accumulate(sedov.m.begin(), sedov.m.end(), 0.0);
  EXPECT_NEAR(mass, 1.0, 1e-12);  // 2^-15 each: exact
  // E0 = 1 and 1e-6 / (gamma - 1) of background, in float32 (relative 6e-8)
  EXPECT_NEAR(std::inner_product(sedov.m.begin(), sedov.m.end(), sedov.u.begin(), 0.0), 1.0 + 1.5e-6, 1e-7);
  const InitialConditions sod = read_gadget(sph / "sod_40.hdf5", {});
  EXPECT_EQ(sod.box, (base::Vec3{2, 0.5, 0.5}));
  // rho 1 and 1/8 in volumes of 1/4 each
  EXPECT_NEAR(std::accumulate(sod.m.begin(), sod.m.end(), 0.0), 0.25 * 1.125, 1e-7);
}

}  // namespace tacit::sph::gadget_test
