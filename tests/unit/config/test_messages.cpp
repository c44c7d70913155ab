// Golden texts: every kind of mistake in a parameter file, and exactly what the user reads.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "sample_keys.hpp"

namespace config_test {
namespace {

/// Lines that follow `minimal`, so the first of them is line 4, in [time].
struct Golden {
  std::string_view lines;
  std::string_view message;
};

void expect_golden(std::span<const Golden> cases) {
  const Folder folder;
  EXPECT_EQ(message_of(minimal), "read");
  for (const auto& [lines, message] : cases) EXPECT_EQ(message_after_minimal(lines), message) << lines;
}

TEST(Messages, ChoiceOutsideTheList) {
  const Folder folder;
  const std::string text = "solver = \"sph\"\n[time]\nend = 1\n\n\n\n\n\n\n\n\n\n[sph]\n    kernel = 'cubik_spline'\n";
  EXPECT_EQ(message_of(text),
            "run.toml:14:14: sph.kernel: 'cubik_spline' is not one of cubic_spline, quartic_spline, quintic_spline\n"
            "  hint: did you mean 'cubic_spline'?");
  EXPECT_EQ(message_after_minimal("[sph]\nkernel = 'wendland'"),
            "run.toml:5:10: sph.kernel: 'wendland' is not one of cubic_spline, quartic_spline, quintic_spline");
}

TEST(Messages, UnknownNames) {
  expect_golden(std::to_array<Golden>({
      {"[sph]\n  kernal = 1",
       "run.toml:5:3: sph.kernal: is not a key of this file\n  hint: did you mean 'sph.kernel'?"},
      {"[sph]\nend = 1", "run.toml:5:1: sph.end: is not a key of this file\n  hint: did you mean 'time.end'?"},
      {"eta = 1.2", "run.toml:4:1: time.eta: is not a key of this file\n  hint: did you mean 'sph.eta'?"},
      {"[sph]\nfoo = 1", "run.toml:5:1: sph.foo: is not a key of this file"},
      {"[sphh]\neta = 1\nx = 2",
       "run.toml:4:2: sphh: is not a table of this file\n  hint: did you mean the table 'sph'?"},
      {"[physics]\nx = 2", "run.toml:4:2: physics: is not a table of this file"},
      {"a.b.c = 1", "run.toml:4:1: time.a: is not a table of this file"},
      {"\"sph.eta\" = 1", "run.toml:4:1: time.\"sph.eta\": is not a key of this file\n  hint: did you mean 'sph.eta'?"},
      {"\"\\u001b[1m\" = 1", "run.toml:4:1: time.\"\\u001B[1m\": is not a key of this file"},
  }));
}

TEST(Messages, TablesAndKeysMixedUp) {
  expect_golden(std::to_array<Golden>({
      {"[sph.eta]\nx = 1", "run.toml:4:1: sph.eta: expected a number, found a table"},
      {"[sph]\nviscosity = 1",
       "run.toml:5:13: sph.viscosity: expected a table, found an integer\n"
       "  hint: write its keys below a line [sph.viscosity]"},
      {"[[sph]]\neta = 1",
       "run.toml:4:1: sph: expected a table, found an array\n  hint: write its keys below a line [sph]"},
  }));
  const Folder folder;
  EXPECT_EQ(message_of("solver = 'sph'\ntime = 3\n"),
            "run.toml:2:8: time: expected a table, found an integer\n  hint: write its keys below a line [time]");
}

TEST(Messages, WrongTypes) {
  expect_golden(std::to_array<Golden>({
      {"[sph]\neta = '1'", "run.toml:5:7: sph.eta: expected a number, found a text\n  hint: remove the quotes"},
      {"[sph]\neta = '1 km'",
       "run.toml:5:7: sph.eta: expected a number, found a text\n  hint: this number has no unit"},
      {"[sph]\neta = 'x'", "run.toml:5:7: sph.eta: expected a number, found a text"},
      {"[sph]\neta = [1]",
       "run.toml:5:7: sph.eta: expected a number, found an array\n  hint: it takes one value, as in   eta = 1"},
      {"steps = 1.5", "run.toml:4:9: time.steps: expected an integer, found a number"},
      {"steps = 1e3", "run.toml:4:9: time.steps: expected an integer, found a number\n  hint: write 1000"},
      {"[gravity]\nenabled = 'true'",
       "run.toml:5:11: gravity.enabled: expected true or false, found a text\n  hint: remove the quotes"},
      {"[gravity]\nenabled = 1", "run.toml:5:11: gravity.enabled: expected true or false, found an integer"},
      {"[sph]\nkernel = true",
       "run.toml:5:10: sph.kernel: expected one of cubic_spline, quartic_spline, quintic_spline, found true\n"
       "  hint: put it in quotes"},
      {"[sph]\nh_max = false", "run.toml:5:9: sph.h_max: expected a quantity (length), found false"},
      {"[initial]\nfile = 2026-01-01",
       "run.toml:5:8: initial.file: expected a path, found a date or time\n  hint: put it in quotes"},
      {"[initial]\nfile = ''", "run.toml:5:8: initial.file: expected a path, found an empty text"},
      {"[initial]\nfile = \"a\\u0000b\"", "run.toml:5:8: initial.file: holds a zero character"},
      {"[domain]\nsize = 1",
       "run.toml:5:8: domain.size: expected three quantities (length), found an integer\n"
       "  hint: write [1.0, 1.0, 1.0]"},
      {"[domain]\nsize = [1, 2]", "run.toml:5:8: domain.size: expected three quantities (length), found 2 elements"},
      {"[domain]\nsize = [1,\n  'x', 3]",
       "run.toml:6:3: domain.size: 'x' does not begin with a number\n"
       "  hint: write a number and a unit, as in '10 Mpc', '1 km/s' or '0.5 g cm^-3'"},
  }));
}

TEST(Messages, NumbersOutOfRange) {
  expect_golden(std::to_array<Golden>({
      {"[sph]\neta = -3", "run.toml:5:7: sph.eta: must be > 0 and <= 3 (got -3)"},
      {"[sph]\neta = 0.0", "run.toml:5:7: sph.eta: must be > 0 and <= 3 (got 0)"},
      {"[sph]\neta = 3", "read"},
      {"[sph]\neta = 3.0000001", "run.toml:5:7: sph.eta: must be > 0 and <= 3 (got 3.0000001)"},
      {"[sph.viscosity]\nalpha = -0.1", "run.toml:5:9: sph.viscosity.alpha: must be >= 0 (got -0.1)"},
      {"[sph.viscosity]\nalpha = 0", "read"},
      {"steps = 0", "run.toml:4:9: time.steps: must be >= 1 and <= 1000000 (got 0)"},
      {"steps = 1000001", "run.toml:4:9: time.steps: must be >= 1 and <= 1000000 (got 1000001)"},
      {"[sph]\neta = nan", "run.toml:5:7: sph.eta: nan is not a finite number"},
      {"[sph]\nh_max = -inf", "run.toml:5:9: sph.h_max: -inf is not a finite number"},
      {"[domain]\nsize = [1, 0, 1]", "run.toml:5:12: domain.size: must be > 0 (got 0)"},
      {"[units]\nlength = 0", "run.toml:5:10: units.length: must be > 0 (got 0)"},
      {"[units]\nmass = '-1 g'", "run.toml:5:8: units.mass: must be > 0 (got '-1 g')"},
      {"[units]\nlength = '1 km'\n[sph]\nh_max = '20 km'",
       "run.toml:7:9: sph.h_max: must be > 0 and <= 10 (got '20 km', 20 in code units)"},
  }));
}

TEST(Messages, Units) {
  expect_golden(std::to_array<Golden>({
      {"[sph]\nh_max = '10 s'",
       "run.toml:5:9: sph.h_max: '10 s' is a time, expected a length\n  hint: write a length, as in \"1.0 cm\""},
      {"[sph]\nh_max = '10 cm^4 s^-1'",
       "run.toml:5:9: sph.h_max: '10 cm^4 s^-1' is length^4 time^-1, expected a length\n"
       "  hint: write a length, as in \"1.0 cm\""},
      {"[sph]\nh_max = '10 Mpx'",
       "run.toml:5:9: sph.h_max: '10 Mpx': 'Mpx' is not a unit\n  hint: did you mean 'Mpc'?"},
      {"[sph]\nh_max = '10'",
       "run.toml:5:9: sph.h_max: '10' has no unit, expected a length\n"
       "  hint: without quotes it is in code units; with a unit it is \"10 cm\""},
      {"[sph]\nh_max = '1 mm/h'",
       "run.toml:5:9: sph.h_max: '1 mm/h' is a velocity, expected a length\n"
       "  hint: h is the hour; for Hubble units divide the number by h yourself"},
      {"[units]\nlength = '1 s'\n[sph]\nh_max = '1 km'",
       "run.toml:5:10: units.length: '1 s' is a time, expected a length\n  hint: write a length, as in \"1.0 cm\""},
      {"[units]\nlength = 1e300\nvelocity = 1e-300",
       "run.toml:6:12: units.velocity: the unit of time, length/velocity, is too large or too small a number\n"
       "  hint: choose other [units]"},
      {"[units]\nlength = 1e-290\nvelocity = 1e-290\n[sph]\nh_max = '1e30 cm'",
       "run.toml:8:9: sph.h_max: '1e30 cm' is too large or too small a number in code units\n"
       "  hint: choose other [units]"},
  }));
}

TEST(Messages, MissingKeys) {
  const Folder folder;
  EXPECT_EQ(message_of(""),
            "run.toml: solver: is missing; expected one of sph\n"
            "  hint: write 'solver = \"sph\"' at the top of the file\n"
            "run.toml: time.end: is missing; expected a quantity (time)\n"
            "  hint: write 'end = 1.0' in [time] (code units), or with a unit: \"1.0 s\"");
}

TEST(Messages, ExamplesForMissingKeysAreThemselvesRight) {
  const auto missing = std::to_array<Key>({
      {.name = "a.flag", .type = Type::flag, .need = Need::required},
      {.name = "a.count", .type = Type::integer, .need = Need::required, .range = {.lower = 2.5, .upper = 10.0}},
      {.name = "a.share", .type = Type::real, .need = Need::required, .range = {0.0, 0.5, true, true}},
      {.name = "a.cold", .type = Type::real, .need = Need::required, .range = {.upper = -1.0, .upper_open = true}},
      {.name = "a.ratio", .type = Type::quantity, .need = Need::required},
      {.name = "a.name", .type = Type::text, .need = Need::required},
      {.name = "a.points", .type = Type::integer, .need = Need::required, .range = {.lower = 4.0}, .example = "128"},
      {.name = "a.title", .type = Type::text, .need = Need::required, .example = "blast"},
      {.name = "a.kernel", .type = Type::choice, .need = Need::required, .choices = ChoiceTexts(kernels)},
      {.name = "a.file", .type = Type::path, .need = Need::required},
      {.name = "a.size", .type = Type::vector, .need = Need::required, .range = {.lower = 7.0}},
      {.name = "a.numbers", .type = Type::numbers, .need = Need::required, .range = {.lower = 7.0}},
      {.name = "a.sizes", .type = Type::quantities, .need = Need::required, .range = {.lower = 7.0}},
      {.name = "a.kernels", .type = Type::choices, .need = Need::required, .choices = ChoiceTexts(kernels)},
  });
  const auto both = std::to_array<KeyTable>({{"Units", unit_keys}, {"A", missing}});
  const Folder folder;
  std::string lines;
  for (int pass = 0; pass < 2; ++pass) {
    write_file("[a]\n" + lines);
    const Document document("run.toml", {});
    if (pass == 1) {
      EXPECT_NO_THROW((void)document.read(both)) << lines;
      continue;
    }
    try {
      (void)document.read(both);
      FAIL() << "nothing missing";
    } catch (const Error& error) {
      EXPECT_EQ(error.problems().size(), missing.size());
      for (const auto& problem : error.problems()) {
        const auto first = problem.hint.find('\'') + 1;
        lines += problem.hint.substr(first, problem.hint.rfind('\'') - first) + '\n';
      }
    }
  }
}

TEST(Messages, Syntax) {
  const std::string quotes = "\n  hint: a text begins and ends with '\"' on the same line; write a backslash as '\\\\'";
  expect_golden(std::to_array<Golden>({
      {"steps = 1\nsteps = 2",
       "run.toml:5:9: Error while parsing key-value pair: cannot redefine existing integer 'steps'\n"
       "  hint: give each key and each [table] once; a second place is not merged with the first"},
      {"[time]\nsteps = 2",
       "run.toml:4:1: Error while parsing table header: cannot redefine existing table 'time'\n"
       "  hint: give each key and each [table] once; a second place is not merged with the first"},
      {"[sph]\nh_max = 10 km",
       "run.toml:5:12: Error while parsing key-value pair: expected a comment or whitespace, saw 'k'\n"
       "  hint: one key = value per line; a value with a unit needs quotes: \"10 Mpc\""},
      {"[gravity]\nenabled = True",
       "run.toml:5:11: Error while parsing boolean: expected 'true', saw 'T'\n"
       "  hint: true and false are written in small letters; any other word needs quotes: \"word\""},
      {"steps = 99999999999999999999",
       "run.toml:4:29: Error while parsing decimal integer: '99999999999999999999' is not representable in 64 bits\n"
       "  hint: write a number of this size with a point or an exponent: 1e20"},
      {"steps", "run.toml:4:6: Error while parsing key-value pair: encountered end-of-file\n  hint: write key = value"},
      {"steps 5", "run.toml:4:7: Error while parsing key-value pair: expected '=', saw '5'\n  hint: write key = value"},
      {"steps = 05",
       "run.toml:4:11: Error while parsing decimal integer: leading zeroes are prohibited\n"
       "  hint: write the number without zeroes in front"},
      {"[sph",
       "run.toml:4:5: Error while parsing table header: encountered end-of-file\n"
       "  hint: a table begins with its name in brackets on a line of its own: [sph]"},
      {"a = [1,",
       "run.toml:4:8: Error while parsing array: encountered end-of-file\n"
       "  hint: separate the elements by commas and end the list with ']'"},
      {"= 1",
       "run.toml:4:1: Error while parsing root table: expected keys, tables, whitespace or comments, saw '='\n"
       "  hint: write key = value, or [table] on a line of its own"},
      {"[sph]\neta = 1e999",
       "run.toml:5:12: Error while parsing floating-point: '1e999' could not be interpreted as "
       "a value\n  hint: the largest number is about 1.8e308"},
      {"a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r = 1",
       "run.toml:4:32: a key has more than 16 parts\n  hint: keys have two or three parts: sph.kernel"},
  }));
  const Folder folder;
  EXPECT_EQ(
      message_of("label = \"x\n"),
      "run.toml:1:11: Error while parsing string: unescaped control characters other than TAB (U+0009) are explicitly "
      "prohibited" +
          quotes);
  EXPECT_EQ(message_of("label = 'x"), "run.toml:1:11: Error while parsing string: encountered end-of-file" + quotes);
  EXPECT_EQ(message_of("label = '\xff'"),
            "run.toml:1:9: Encountered invalid utf-8 sequence\n  hint: save the file as UTF-8 text");
}

TEST(Messages, EverythingWrongIsReportedTogetherInTheOrderOfTheFile) {
  const Folder folder;
  EXPECT_EQ(message_of("[sph]\neta = 7\nkernal = 'x'\nh_max = '1 s'\n[gravity]\nenabled = 0\n", {"sph.kernel=m4"}),
            "run.toml:2:7: sph.eta: must be > 0 and <= 3 (got 7)\n"
            "run.toml:3:1: sph.kernal: is not a key of this file\n"
            "  hint: did you mean 'sph.kernel'?\n"
            "run.toml:4:9: sph.h_max: '1 s' is a time, expected a length\n"
            "  hint: write a length, as in \"1.0 cm\"\n"
            "run.toml:6:11: gravity.enabled: expected true or false, found an integer\n"
            "run.toml: solver: is missing; expected one of sph\n"
            "  hint: write 'solver = \"sph\"' at the top of the file\n"
            "run.toml: time.end: is missing; expected a quantity (time)\n"
            "  hint: write 'end = 1.0' in [time] (code units), or with a unit: \"1.0 s\"\n"
            "--set: sph.kernel: 'm4' is not one of cubic_spline, quartic_spline, quintic_spline");
}

TEST(Messages, OfManyProblemsTwentyArePrintedAndAllAreKept) {
  const Folder folder;
  std::string lines(minimal);
  for (int i = 0; i < 50; ++i) lines.append("wrong_").append(std::to_string(i)).append(" = 1\n");
  write_file(lines);
  try {
    (void)Document("run.toml", {}).read(tables);
    FAIL() << "read";
  } catch (const Error& error) {
    EXPECT_EQ(error.problems().size(), 50U);
    EXPECT_EQ(error.problems()[49].where.line, 53);
    EXPECT_TRUE(std::string(error.what()).ends_with("\n... and 30 more")) << error.what();
  }
}

TEST(Messages, SolverChoiceIsReadBeforeTheRest) {
  const Folder folder;
  const auto solver_of = [](std::string_view text, const std::vector<std::string>& overrides = {}) -> std::string {
    write_file(text);
    try {
      return Document("run.toml", set(overrides)).choice(run_keys[0]);
    } catch (const Error& error) {
      return error.what();
    }
  };
  EXPECT_EQ(solver_of("nonsense = 1\nsolver = 'sph'"), "sph");
  EXPECT_EQ(solver_of("solver = 'md'", {"solver=sph"}), "sph");
  EXPECT_EQ(solver_of("solver = 'sphh'"),
            "run.toml:1:10: solver: 'sphh' is not one of sph\n  hint: did you mean 'sph'?");
  EXPECT_EQ(solver_of("solver = 1"),
            "run.toml:1:10: solver: expected one of sph, found an integer\n  hint: put it in quotes");
  EXPECT_EQ(solver_of("[solver]"), "run.toml:1:1: solver: expected one of sph, found a table");
  EXPECT_EQ(solver_of(""),
            "run.toml: solver: is missing; expected one of sph\n"
            "  hint: write 'solver = \"sph\"' at the top of the file");
  write_file("");
  EXPECT_EQ(Document("run.toml", {}).choice(sph_keys[2]), "cubic_spline");
}

TEST(Messages, ErrorOfASolverLooksTheSame) {
  const Error error({"run.toml", 3, 9}, "initial.file", "holds no gas", "give a file with PartType0");
  EXPECT_STREQ(error.what(), "run.toml:3:9: initial.file: holds no gas\n  hint: give a file with PartType0");
  EXPECT_EQ(error.problems().size(), 1U);
  EXPECT_STREQ(Error({"run.toml", 0, 0}, "", "is empty").what(), "run.toml: is empty");
}

}  // namespace
}  // namespace config_test
