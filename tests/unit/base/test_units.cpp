// Units against known values, combinations, dimensions, and every way a quantity can be wrong.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <string_view>

#include "tacit/base/random.hpp"
#include "tacit/base/units.hpp"

namespace units_test {
namespace {

using namespace tacit::base;

/// The message of the error that reading `text` gives; "read" if it gives none.
std::string message_of(std::string_view text) {
  try {
    (void)parse_quantity(text);
    return "read";
  } catch (const UnitError& error) {
    return error.what();
  }
}

/// "1 unit"; appended in steps because g++ 12 warns wrongly of `"1 " + string`.
std::string one(std::string_view unit) { return std::string("1 ").append(unit); }

double cgs(std::string_view text) { return parse_quantity(text).value; }

/// Equal to the digits that the reference gives.
void expect_relative(double value, double reference, double tolerance) {
  EXPECT_NEAR(value / reference, 1.0, tolerance) << value << " against " << reference;
}

TEST(Units, PowersOfTenAreExact) {
  EXPECT_EQ(cgs("1 km"), 1e5);
  EXPECT_EQ(cgs("1 km/s"), 1e5);
  EXPECT_EQ(cgs("1 m^3"), 1e6);
  EXPECT_EQ(cgs("1 kg m^-3"), 1e-3);
  EXPECT_EQ(cgs("0.5 g cm^-3"), 0.5);
  EXPECT_EQ(cgs("1 J"), 1e7);
  EXPECT_EQ(cgs("1 N"), 1e5);
  EXPECT_EQ(cgs("1 bar"), 1e6);
  EXPECT_EQ(cgs("3 Pa"), 30.0);
  EXPECT_EQ(cgs("1 atm"), 1013250.0);
  EXPECT_EQ(cgs("2 h"), 7200.0);
  EXPECT_EQ(cgs("1 yr"), 31557600.0);
  EXPECT_EQ(cgs("-2.5e-3 K"), -2.5e-3);
}

TEST(Units, AstronomicalValuesAreThoseOfTheirDefinitions) {
  // Decimal values from the IAU resolutions and from 648000/pi computed with 30 digits; 4 roundings at most.
  expect_relative(cgs("1 AU"), 1.495978707e13, 1e-15);
  expect_relative(cgs("1 pc"), 3.0856775814913672789e18, 1e-15);
  expect_relative(cgs("1 kpc"), 3.0856775814913672789e21, 1e-15);
  expect_relative(cgs("1 Mpc"), 3.0856775814913672789e24, 1e-15);
  expect_relative(cgs("1 Gpc"), 3.0856775814913672789e27, 1e-15);
  expect_relative(cgs("1 ly"), 9.4607304725808e17, 1e-15);
  // GM of the IAU over G of CODATA 2018, the quotient computed with 20 digits.
  expect_relative(cgs("1 Msun"), 1.988409870698051e33, 1e-14);
  expect_relative(cgs("1 Mearth"), 5.972167867791379e27, 1e-14);
  expect_relative(cgs("1 Mjup"), 1.8981245973360505e30, 1e-14);
  EXPECT_EQ(cgs("1 Rsun"), 6.957e10);
  EXPECT_EQ(cgs("1 Lsun"), 3.828e33);
}

TEST(Units, AtomicValuesAgreeWithEachOther) {
  expect_relative(cgs("1 hartree"), 27.211386245988 * cgs("1 eV"), 1e-12);  // CODATA 2018, 14 digits
  expect_relative(cgs("1 Ry"), 13.605693122994 * cgs("1 eV"), 1e-12);
  expect_relative(cgs("1 bohr"), 0.529177210903 * cgs("1 angstrom"), 1e-15);
  expect_relative(cgs("1 g / mol"), 1.66053906660e-24, 1e-9);  // the dalton is 1 g/mol to 3e-10
  expect_relative(cgs("1 kcal/mol"), 0.0433641 * cgs("1 eV"), 1e-6);
}

TEST(Units, CombinationsGiveTheDimension) {
  EXPECT_EQ(parse_quantity("1 km s^-1 / Mpc").dimension, (Dimension{.time = -1}));
  EXPECT_EQ(parse_quantity("1 J / kg").dimension, dimension::specific_energy);
  EXPECT_EQ(parse_quantity("1 N*m").dimension, dimension::energy);
  EXPECT_EQ(parse_quantity("1 dyn cm^-2").dimension, dimension::pressure);
  EXPECT_EQ(parse_quantity("1/s").dimension, (Dimension{.time = -1}));
  EXPECT_EQ(parse_quantity("1 V A").dimension, parse_quantity("1 W").dimension);
  EXPECT_EQ(parse_quantity("1 V A").value, parse_quantity("1 W").value);
  EXPECT_EQ(parse_quantity("1 T A m").dimension, parse_quantity("1 N").dimension);
  EXPECT_EQ(parse_quantity("1 T A m").value, parse_quantity("1 N").value);
  EXPECT_EQ(parse_quantity("1 C/s").dimension, (Dimension{.current = 1}));
  EXPECT_EQ(parse_quantity("3").dimension, dimension::none);
  EXPECT_EQ(parse_quantity("  10Mpc ").value, cgs("10 Mpc"));
  EXPECT_EQ(parse_quantity("5eV").value, cgs("5 eV"));
  EXPECT_EQ(parse_quantity("+.5 * cm").value, 0.5);
}

TEST(Units, HubbleConstantInTwoWays) {
  // 1 km/s/Mpc = 3.2407792894443648e-20 / s: 1e5 cm over the parsec above.
  expect_relative(cgs("1 km/s/Mpc"), 1e5 / 3.0856775814913672789e24, 1e-15);
  EXPECT_EQ(cgs("70 km / s / Mpc"), cgs("70 km s^-1 Mpc^-1"));
}

TEST(Units, MessagesSayWhatAndWhere) {
  EXPECT_EQ(message_of("10 Mpx"), "'10 Mpx': 'Mpx' is not a unit\n  hint: did you mean 'Mpc'?");
  EXPECT_EQ(message_of("1 msun"), "'1 msun': 'msun' is not a unit\n  hint: did you mean 'Msun'?");
  EXPECT_EQ(message_of("1 km/sx"), "'1 km/sx': 'sx' is not a unit\n  hint: did you mean 's'?");
  const std::string how = "\n  hint: write a number and a unit, as in '10 Mpc', '1 km/s' or '0.5 g cm^-3'";
  EXPECT_EQ(message_of("1 parallax"), "'1 parallax': 'parallax' is not a unit" + how);
  EXPECT_EQ(message_of("Mpc"), "'Mpc' does not begin with a number" + how);
  EXPECT_EQ(message_of(""), "'' does not begin with a number" + how);
  EXPECT_EQ(message_of("nan cm"), "'nan cm' does not begin with a number" + how);
  EXPECT_EQ(message_of("-inf"), "'-inf' does not begin with a number" + how);
  EXPECT_EQ(message_of("1e999 cm"), "'1e999 cm' is too large or too small a number");
  EXPECT_EQ(message_of("1e300 Mpc"), "'1e300 Mpc' is too large or too small a number in cgs units");
  EXPECT_EQ(message_of("1e-300 fm"), "'1e-300 fm' is too large or too small a number in cgs units");
  EXPECT_EQ(message_of("1 km /"), "'1 km /' ends where a unit should follow" + how);
  EXPECT_EQ(message_of("1 J/(kg K)"), "'1 J/(kg K)': '(kg K)' cannot stand here" + how);
  EXPECT_EQ(message_of("1 g cm-3"), "'1 g cm-3': an exponent needs '^' before it\n  hint: write cm^-3");
  EXPECT_EQ(message_of("1 cm^0.5"), "'1 cm^0.5': 'cm^' needs an integer between -30 and 30" + how);
  EXPECT_EQ(message_of("1 cm^"), "'1 cm^': 'cm^' needs an integer between -30 and 30" + how);
  EXPECT_EQ(message_of("1 cm^99999999999"), "'1 cm^99999999999': 'cm^' needs an integer between -30 and 30" + how);
  EXPECT_EQ(message_of("1 \xff"), "'1 \\xff': '\\xff' cannot stand here" + how);
  EXPECT_EQ(message_of("0 Mpc"), "read");
}

TEST(Units, RandomTextNeverDoesMoreThanThrow) {
  constexpr std::string_view letters = "0123456789.eE+-*/^ \tMpckmsg\x01\xff";
  int read = 0;
  for (std::uint64_t i = 0; i < 50000; ++i) {
    std::string text;
    for (std::uint64_t j = 0; j < 1 + i % 12; ++j) {
      text += letters[static_cast<std::size_t>(uniform(1, i, j) * static_cast<double>(letters.size()))];
    }
    try {
      EXPECT_TRUE(std::isfinite(parse_quantity(text).value)) << text;
      ++read;
    } catch (const UnitError& error) {
      EXPECT_FALSE(error.message().empty());
    }
  }
  EXPECT_GT(read, 500);
}

TEST(Units, EveryKnownUnitIsReadAndNamedOnce) {
  std::set<std::string_view> names;
  for (const auto name : known_units()) {
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_GT(cgs(one(name)), 0.0) << name;
  }
  EXPECT_GT(names.size(), 90U);
}

TEST(Units, DimensionsAreDescribed) {
  EXPECT_EQ(describe(dimension::length), "a length");
  EXPECT_EQ(describe(dimension::velocity), "a velocity");
  EXPECT_EQ(describe(dimension::energy), "an energy");
  EXPECT_EQ(describe(dimension::none), "a plain number");
  EXPECT_EQ(describe(Dimension{.length = 4, .time = -1}), "length^4 time^-1");
  EXPECT_EQ(describe(Dimension{.mass = 1, .temperature = -1, .current = 2}), "mass temperature^-1 current^2");
}

TEST(Units, CgsSymbolReadsBack) {
  EXPECT_EQ(cgs_symbol(dimension::density), "g cm^-3");
  EXPECT_EQ(cgs_symbol(dimension::none), "");
  for (const auto& dimension : {dimension::energy, dimension::angular_momentum, Dimension{2, -1, 3, -4, 5}}) {
    const Quantity quantity = parse_quantity(one(cgs_symbol(dimension)));
    EXPECT_EQ(quantity.dimension, dimension);
    EXPECT_EQ(quantity.value, 1.0);
  }
}

TEST(Units, CodeUnitsInCgs) {
  const UnitSystem units{.length_in_cgs = 3e24, .mass_in_cgs = 2e43, .time_in_cgs = 3e19, .temperature_in_cgs = 2.0};
  EXPECT_EQ(units.in_cgs(dimension::none), 1.0);
  EXPECT_EQ(units.in_cgs(dimension::velocity), 1e5);
  expect_relative(units.in_cgs(dimension::density), 2e43 / 27e72, 1e-15);
  expect_relative(units.in_cgs(dimension::energy), 2e53, 1e-15);
  EXPECT_EQ(units.in_cgs({.temperature = -2}), 0.25);
}

}  // namespace
}  // namespace units_test
