// Values that come out of a right file: types, units, defaults, paths, and the file written back.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "sample_keys.hpp"
#include "tacit/base/random.hpp"

namespace config_test {
namespace {

using tacit::base::PreconditionError;
using tacit::base::uniform;

constexpr std::string_view full = R"(solver = "sph"
label = "a \"blast\" \\ \t\u00e9\u007f\n"
deterministic = true
[units]
length = "1 Mpc"
mass = 1.989e43
velocity = "1 km/s"
temperature = "2 K"
current = 3
[time]
end = "1 Myr"
steps = 1_000
[sph]
kernel = 'quintic_spline'
eta = 1
h_max = "10 kpc"
viscosity = { alpha = 0.1 }
[domain]
size = ["1 Mpc", 2, "3e3 kpc"]
[gravity]
enabled = false
[initial]
file = "ics/gas.hdf5"
)";

TEST(Parameters, ValuesAndCodeUnits) {
  const Folder folder;
  const Parameters parameters = read(full);
  EXPECT_EQ(parameters.text("solver"), "sph");
  EXPECT_EQ(parameters.text("label"), "a \"blast\" \\ \t\xc3\xa9\x7f\n");
  EXPECT_TRUE(parameters.flag("deterministic"));
  EXPECT_EQ(parameters.integer("time.steps"), 1000);
  EXPECT_EQ(parameters.text("sph.kernel"), "quintic_spline");
  EXPECT_EQ(parameters.real("sph.eta"), 1.0);
  EXPECT_EQ(parameters.real("sph.viscosity.alpha"), 0.1);
  EXPECT_FALSE(parameters.flag("gravity.enabled"));

  const auto& units = parameters.units();
  const double mpc = tacit::base::parse_quantity("1 Mpc").value;
  EXPECT_EQ(units.length_in_cgs, mpc);
  EXPECT_EQ(units.mass_in_cgs, 1.989e43);
  EXPECT_EQ(units.time_in_cgs, mpc / 1e5);
  EXPECT_EQ(units.temperature_in_cgs, 2.0);
  EXPECT_EQ(units.current_in_cgs, 3.0);
  EXPECT_EQ(parameters.real("units.length"), mpc);  // in cgs, as the header says

  EXPECT_EQ(parameters.real("time.end"), 1e6 * 31557600.0 / (mpc / 1e5));
  EXPECT_NEAR(parameters.real("sph.h_max"), 0.01, 1e-17);  // two roundings
  const auto size = parameters.vector("domain.size");
  ASSERT_EQ(size.size(), 3U);
  EXPECT_EQ(size[0], 1.0);
  EXPECT_EQ(size[1], 2.0);
  EXPECT_NEAR(size[2], 3.0, 1e-15);
}

TEST(Parameters, DefaultsAndAbsence) {
  const Folder folder;
  const Parameters parameters = read(minimal);
  EXPECT_EQ(parameters.text("label"), "");
  EXPECT_EQ(parameters.text("sph.kernel"), "cubic_spline");
  EXPECT_EQ(parameters.real("sph.eta"), 1.2348);
  EXPECT_EQ(parameters.vector("domain.size"), (std::vector{1.0, 1.0, 1.0}));
  EXPECT_EQ(parameters.units(), tacit::base::UnitSystem{});
  EXPECT_TRUE(parameters.has("sph.eta"));
  EXPECT_FALSE(parameters.is_given("sph.eta"));
  EXPECT_FALSE(parameters.has("sph.h_max"));
  EXPECT_TRUE(parameters.is_given("time.end"));
  EXPECT_EQ(parameters.file(), "run.toml");
}

TEST(Parameters, PlacesAreThoseOfTheValues) {
  const Folder folder;
  const Parameters parameters = read(minimal);
  EXPECT_EQ(parameters.where("time.end").file, "run.toml");
  EXPECT_EQ(parameters.where("time.end").line, 3);
  EXPECT_EQ(parameters.where("time.end").column, 7);
  EXPECT_EQ(parameters.where("sph.eta").line, 0);
}

TEST(Parameters, WrongUseIsABugOfTheCaller) {
  const Folder folder;
  const Parameters parameters = read(minimal);
  try {
    (void)parameters.real("sph.kernal");
    ADD_FAILURE() << "a key of no table was read";
  } catch (const PreconditionError& error) {
    EXPECT_STREQ(
        error.what(),
        "the key sph.kernal is read but in no table of keys: add its row to the table of the solver that reads "
        "it (its parameters.cpp or *keys*.cpp), where 'tacit keys' shows it then");
  }
  EXPECT_THROW((void)parameters.has("sph.kernal"), PreconditionError);
  EXPECT_THROW((void)parameters.integer("sph.eta"), PreconditionError);
  EXPECT_THROW((void)parameters.real("sph.h_max"), PreconditionError);  // no value
  EXPECT_THROW((void)parameters.text("output.directory"), PreconditionError);
  EXPECT_THROW((void)parameters.path("label"), PreconditionError);
}

TEST(Parameters, ImpossibleTablesOfKeysAreABug) {
  const Folder folder;
  write_file("");
  const Document document("run.toml", {});
  const auto wrong = std::to_array<Key>({{.name = "a.b", .need = Need::has_default, .default_value = "many"}});
  const auto twice = std::to_array<Key>({{.name = "a.b"}, {.name = "a.b"}});
  const auto with_wrong = std::to_array<KeyTable>({{"Units", unit_keys}, {"A", wrong}});
  EXPECT_THROW((void)document.read(with_wrong), PreconditionError);
#if defined(TACIT_CHECKS)
  const auto with_twice = std::to_array<KeyTable>({{"Units", unit_keys}, {"A", twice}});
  EXPECT_THROW((void)document.read(with_twice), PreconditionError);
  EXPECT_THROW((void)document.read({}), PreconditionError);  // no units
#endif
}

TEST(Parameters, PathsAreRelativeToTheFileOrToTheShell) {
  const Folder folder;
  std::filesystem::create_directories("sub");
  const std::string text = std::string(minimal).append("[initial]\nfile = '../ics.hdf5'\n");
  write_file(text, "sub/run.toml");
  const Parameters parameters = Document("sub/run.toml", {}).read(tables);
  EXPECT_EQ(parameters.path("initial.file"), "sub/../ics.hdf5");
  EXPECT_EQ(parameters.path("output.directory"), "sub/output");
  for (const char* key : {"initial.file", "output.directory"}) {
    EXPECT_EQ(std::ranges::count(parameters.paths(), key), 1) << key;
  }
  for (const std::string& key : parameters.paths()) EXPECT_NO_THROW((void)parameters.path(key));
  const std::vector<Override> overrides = {{"initial.file=here.hdf5"}, {"output.directory=/data/out"}};
  const Parameters overridden = Document("sub/run.toml", overrides).read(tables);
  EXPECT_EQ(overridden.path("initial.file"), "here.hdf5");
  EXPECT_EQ(overridden.path("output.directory"), "/data/out");
}

std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

/// Every value of the sample tables agrees, numbers to the last bit.
void expect_same(const Parameters& a, const Parameters& b) {
  EXPECT_EQ(a.units(), b.units());
  for (const auto* key :
       {"units.length", "units.mass", "units.velocity", "time.end", "sph.eta", "sph.viscosity.alpha", "sph.h_max"}) {
    ASSERT_EQ(a.has(key), b.has(key)) << key;
    if (a.has(key)) {
      EXPECT_EQ(bits(a.real(key)), bits(b.real(key))) << key;
    }
  }
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(bits(a.vector("domain.size")[i]), bits(b.vector("domain.size")[i]));
  EXPECT_EQ(a.text("label"), b.text("label"));
  EXPECT_EQ(a.text("sph.kernel"), b.text("sph.kernel"));
  EXPECT_EQ(a.flag("deterministic"), b.flag("deterministic"));
  EXPECT_EQ(a.flag("gravity.enabled"), b.flag("gravity.enabled"));
  EXPECT_EQ(std::filesystem::absolute(a.path("output.directory")), b.path("output.directory"));
}

TEST(AsUsed, GoldenText) {
  const Folder folder;
  const std::string path = std::filesystem::current_path().string();
  EXPECT_EQ(
      read(std::string(minimal).append("[units]\nvelocity = '1 km/s'\n[sph]\nviscosity.alpha = 1e-30\n")).as_used(),
      "# The parameters as used. Numbers are in the code units that [units] defines; those in [units] are in cgs.\n"
      "solver = \"sph\"\n"
      "label = \"\"  # default\n"
      "deterministic = false  # default\n"
      "\n[units]\n"
      "length = 1.0  # cm, default\n"
      "mass = 1.0  # g, default\n"
      "velocity = 100000.0  # cm s^-1\n"
      "temperature = 1.0  # K, default\n"
      "current = 1.0  # A, default\n"
      "\n[time]\n"
      "end = 1.0\n"
      "\n[sph]\n"
      "kernel = \"cubic_spline\"  # default\n"
      "eta = 1.2348  # default\n"
      "\n[sph.viscosity]\n"
      "alpha = 1e-30\n"
      "\n[domain]\n"
      "size = [1.0, 1.0, 1.0]  # default\n"
      "\n[gravity]\n"
      "enabled = true  # default\n"
      "\n[output]\n"
      "directory = \"" +
          path + "/output\"  # default\n");
}

TEST(AsUsed, ReadsBackToTheSameBits) {
  const Folder folder;
  const Parameters first = read(full, {"output.directory=out \"quoted\" \\ #1"});
  const std::string text = first.as_used();
  std::filesystem::create_directories("elsewhere");
  write_file(text, "elsewhere/used.toml");
  const Parameters second = Document("elsewhere/used.toml", {}).read(tables);
  expect_same(first, second);
  write_file(second.as_used(), "elsewhere/again.toml");
  EXPECT_EQ(second.as_used(), Document("elsewhere/again.toml", {}).read(tables).as_used());
}

TEST(AsUsed, RandomNumbersReadBackToTheSameBits) {
  const Folder folder;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const auto number = [i](std::uint64_t draw, int exponents) {
      const int exponent = static_cast<int>((2.0 * uniform(i, draw, 0) - 1.0) * exponents);
      return fmt::format("={}e{}", 1.0 + uniform(i, draw, 1), exponent);
    };
    const Parameters first =
        read(full, {"units.length" + number(1, 30), "units.mass" + number(2, 30), "units.velocity" + number(3, 10),
                    "time.end" + number(4, 300), "sph.viscosity.alpha" + number(5, 300), "sph.h_max=0.1"});
    write_file(first.as_used(), "used.toml");
    expect_same(first, Document("used.toml", {}).read(tables));
  }
}

constexpr std::array waves{Choice{"zero", 0, "nothing"}, Choice{"wave", 1, "one wave"}};
constexpr Key list_keys[] = {
    {.name = "x.a", .type = Type::numbers, .range = positive},
    {.name = "x.b", .type = Type::numbers, .need = Need::has_default, .default_value = "[2, 0.5]"},
    Key::choice_list("x.c", waves, {}),
    Key::quantities("x.d", tacit::base::dimension::length, {}, positive),
};

TEST(Lists, MayBeOneValueSeveralOrNone) {
  const auto both = std::to_array<KeyTable>({{"Units", unit_keys}, {"X", list_keys}});
  const Folder folder;
  write_file("[x]\na = 0.7\nc = [\"wave\", \"zero\", \"wave\"]\nd = [\"1 m\", 250]\n");
  Parameters found = Document("run.toml", {}).read(both);
  for (int pass = 0; pass < 2; ++pass) {
    EXPECT_EQ(found.vector("x.a"), (std::vector{0.7}));
    EXPECT_EQ(found.vector("x.b"), (std::vector{2.0, 0.5}));
    EXPECT_EQ(found.texts("x.c"), (std::vector<std::string>{"wave", "zero", "wave"}));
    EXPECT_EQ(found.vector("x.d"), (std::vector{100.0, 250.0}));
    write_file(found.as_used(), "used.toml");
    found = Document("used.toml", {}).read(both);
  }
  const std::vector<Override> overrides = {{"x.a=[1, 2]"}, {"x.b=[]"}, {"x.c=zero"}};
  const Parameters other = Document("run.toml", overrides).read(both);
  EXPECT_EQ(other.vector("x.a"), (std::vector{1.0, 2.0}));
  EXPECT_TRUE(other.has("x.b") && other.vector("x.b").empty());
  EXPECT_EQ(other.texts("x.c"), std::vector<std::string>{"zero"});
  EXPECT_THROW((void)other.texts("x.a"), PreconditionError);
}

TEST(Lists, SayWhichElementIsWrong) {
  const auto both = std::to_array<KeyTable>({{"Units", unit_keys}, {"X", list_keys}});
  const Folder folder;
  write_file("[x]\na = [1, -2]\nb = \"1, 2\"\nc = [\"wave\", \"wav\"]\nd = [1, \"1 s\"]\n");
  std::string message;
  try {
    (void)Document("run.toml", {}).read(both);
  } catch (const Error& error) {
    message = error.what();
  }
  EXPECT_EQ(message,
            "run.toml:2:9: x.a: must be > 0 (got -2)\n"
            "run.toml:3:5: x.b: expected one number or several, found a text\n  hint: write [1.0, 1.0]\n"
            "run.toml:4:14: x.c: 'wav' is not one of zero, wave\n  hint: did you mean 'wave'?\n"
            "run.toml:5:9: x.d: '1 s' is a time, expected a length\n  hint: write a length, as in \"1.0 cm\"");
}

TEST(AsUsed, ExtremesAndSignsReadBack) {
  const auto keys = std::to_array<Key>({{.name = "x.v", .type = Type::vector}, {.name = "x.n", .type = Type::integer}});
  const auto both = std::to_array<KeyTable>({{"Units", unit_keys}, {"X", keys}});
  const Folder folder;
  write_file("[x]\nv = [-0.0, 5e-324, 1.7976931348623157e308]\nn = -9223372036854775808\n");
  write_file(Document("run.toml", {}).read(both).as_used(), "used.toml");
  const Parameters used = Document("used.toml", {}).read(both);
  EXPECT_EQ(bits(used.vector("x.v")[0]), bits(-0.0));
  EXPECT_EQ(used.vector("x.v")[1], std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(used.vector("x.v")[2], std::numeric_limits<double>::max());
  EXPECT_EQ(used.integer("x.n"), std::numeric_limits<std::int64_t>::min());
}

TEST(Parameters, CopiesOutliveEverything) {
  const Folder folder;
  std::vector<Parameters> copies;
  {
    const std::string name = std::string("a_key_that_is_long_enough.for_the_heap");
    const auto keys = std::to_array<Key>({{.name = name, .need = Need::has_default, .default_value = "3"}});
    const auto both = std::to_array<KeyTable>({{"Units", unit_keys}, {"A", keys}});
    write_file("");
    const Parameters parameters = Document("run.toml", {}).read(both);
    copies.push_back(parameters);
  }
  EXPECT_EQ(copies.front().real("a_key_that_is_long_enough.for_the_heap"), 3.0);
}

}  // namespace
}  // namespace config_test
