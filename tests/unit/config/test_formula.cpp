// Formulas and tables of constants: values, messages with places, and what files of used parameters say of them.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <thread>
#include <vector>

#include "sample_keys.hpp"
#include "tacit/config/formula.hpp"

namespace config_test {
namespace {

constexpr std::array formula_keys{
    Key::formula("fields.rho", "Density."),
    Key::formula("fields.p", "Pressure."),
    Key::constants("constants", "Numbers."),
};
constexpr std::array<KeyTable, 3> formula_tables{{{"Run", run_keys}, {"Code units", unit_keys}, {"A", formula_keys}}};

/// Lines behind the third one; overrides as on the command line.
Parameters read_with(const std::string& lines, const std::vector<Override>& overrides = {}) {
  write_file("solver = \"sph\"\n\n" + lines, "run.toml");
  return Document("run.toml", overrides).read(formula_tables);
}
Parameters with_rho(const std::string& formula, const std::string& constants = "") {
  return read_with("[fields]\nrho = \"" + formula + "\"\n[constants]\n" + constants);
}
double value(const std::string& formula, const Formula::Place& x = {0.25, 0.5, 2.0},
             const std::string& constants = "") {
  return Formula(with_rho(formula, constants), "fields.rho", "constants")(x);
}

TEST(Formulas, AreComputedAsTheyAreWritten) {
  const Folder folder;
  EXPECT_EQ(value("1 + 0.1*sin(2*pi*x)"), 1.0 + 0.1 * std::sin(2.0 * std::numbers::pi * 0.25));
  EXPECT_EQ(value("-x^2 + 2^3^2"), -0.0625 + 512.0);
  EXPECT_EQ(value("x < y && z >= y ? a/b : 0", {0.25, 0.5, 2.0}, "a = 3\nb = 1.5"), 2.0);
}

TEST(Formulas, KnowFunctionsAndConstants) {
  const Folder folder;
  EXPECT_EQ(value("x < 0.5 ? a : b_2", {0.25, 0.0, 0.0}, "a = 3\nb_2 = -1.5"), 3.0);
  EXPECT_EQ(value("x < 0.5 ? a : b_2", {0.75, 0.0, 0.0}, "a = 3\nb_2 = -1.5"), -1.5);
  EXPECT_EQ(value("min(x, y, z) + max(3, z)"), 3.25);
  EXPECT_EQ(value("atan2(y, x)"), std::atan2(0.5, 0.25));
  EXPECT_EQ(value("mod(-0.25, 1)"), 0.75);
  EXPECT_EQ(value("log(exp(1)) + log10(100)"), 3.0);
  EXPECT_EQ(value("sign(-2) + abs(-2) + hypot(3, 4) + cbrt(8)"), 8.0);
  EXPECT_TRUE(std::isnan(value("min(sqrt(-1), 0)")));
  EXPECT_TRUE(std::isnan(value("max(0, sqrt(-1))")));
  // With units: in code units.
  write_file("solver = 'sph'\nunits.length = '1 km'\nfields.rho = 'L'\nconstants.L = '2.5 m'\n", "run.toml");
  EXPECT_DOUBLE_EQ(Formula(Document("run.toml", {}).read(formula_tables), "fields.rho", "constants")({}), 2.5e-3);
  EXPECT_EQ(Formula(read_with("fields.rho = 1.5"), "fields.rho", "constants")({}), 1.5);
  EXPECT_EQ(Formula(read_with("fields.rho = 'k*x'", {{"constants.k=3"}}), "fields.rho", "constants")({2.0, 0, 0}), 6.0);
}

std::string message_of_formula(const std::string& lines) {
  try {
    const Parameters parameters = read_with(lines);
    for (const char* key : {"fields.rho", "fields.p"}) {
      if (parameters.has(key)) static_cast<void>(Formula(parameters, key, "constants"));
    }
  } catch (const Error& error) {
    return error.what();
  }
  return "read";
}

TEST(Formulas, SayWhereTheyAreWrong) {
  const Folder folder;
  struct Golden {
    std::string formula;
    std::string place;  ///< column of the file, character of the formula
    std::string message;
  };
  // The formula begins in column 8, behind the quote in column 7.
  for (const auto& [formula, place, message] : std::vector<Golden>{
           {"1 + sin(2*pii*x)", "18 11", "'pii' is unknown\n  hint: did you mean 'pi'?"},
           {"1 + foo(3)", "12 5", "'foo' is unknown"},
           {"sin + 1", "8 1", "the function 'sin' stands without its arguments\n  hint: write sin(...)"},
           {"sin(x, y)", "16 9", "'sin' has too many arguments, expected one"},
           {"1 + atan2(x)", "19 12", "'atan2' has too few arguments, expected two"},
           {"min()", "13 6", "'min' has too few arguments, expected one or more"},
           {"1 + ", "12 5", "the formula ends where a number or a name is expected"},
           {"2*(1 + x", "16 9", "a bracket is not closed\n  hint: add a ')'"},
           {"1 + x)", "13 6", "')' is not expected here"},
           {"2x", "9 2", "'x' is not expected here"},
           {"x = 3", "10 3", "'=' sets nothing in a formula"},
           {"1, 2", "9 2", "there is a ',' outside of the brackets of a function"},
           {"x < 1 ? 2", "17 10", "there is a '?' without its ':'"},
           {"", "8 1", "the formula is empty"},
           {"3 $ 4", "10 3", "'$' is unknown"},
       }) {
    const std::string text = message_of_formula("[fields]\nrho = '" + formula + "'\n");
    const auto space = place.find(' ');
    EXPECT_TRUE(text.starts_with("run.toml:4:" + place.substr(0, space) + ": fields.rho: ")) << formula << '\n' << text;
    EXPECT_NE(text.find("(character " + place.substr(space + 1) + " of \"" + formula + "\")"), std::string::npos)
        << text;
    const auto hint = message.find('\n');
    EXPECT_NE(text.find(message.substr(0, hint)), std::string::npos) << text;
    if (hint == std::string::npos) continue;
    EXPECT_NE(text.find(message.substr(hint)), std::string::npos) << text;
  }
  // Of a text that the file has in other letters there is the place of the text alone.
  EXPECT_TRUE(
      message_of_formula("fields.rho = \"\\u0031 + q\"").starts_with("run.toml:3:14: fields.rho: 'q' is unknown"));
  EXPECT_TRUE(
      message_of_formula("fields.rho = '''1 +\n q'''").starts_with("run.toml:3:14: fields.rho: 'q' is unknown"));
}

TEST(Formulas, SayWhatIsNoConstant) {
  const Folder folder;
  EXPECT_EQ(message_of_formula("fields.rho = 'x'\nconstants.sin = 1"),
            "run.toml:4:1: constants.sin: is a name that formulas have already\n  hint: another name");
  EXPECT_EQ(message_of_formula("[constants]\na = true\n2b = 1\n[constants.c]\nd = 1\n"),
            "run.toml:4:5: constants.a: expected a number, or one with a unit, found true\n"
            "  hint: write 2.5, or \"2.5 km/s\"\n"
            "run.toml:5:1: constants.2b: is not a name of a constant\n"
            "  hint: letters, digits and '_', and no digit first\n"
            "run.toml:6:1: constants.c: expected a number, or one with a unit, found a table\n"
            "  hint: write 2.5, or \"2.5 km/s\"");
  EXPECT_EQ(message_of_formula("constants = 3"),
            "run.toml:3:13: constants: expected a table, found an integer\n"
            "  hint: write 'name = number' below a line [constants]");
  EXPECT_EQ(message_of_formula("fields.rho = true"),
            "run.toml:3:14: fields.rho: expected a formula, found true\n  hint: write \"1 + 0.1*sin(2*pi*x)\"");
}

TEST(Formulas, RefuseValues) {
  const Folder folder;
  const Parameters parameters = with_rho("1/x");
  const Formula formula(parameters, "fields.rho", "constants", positive);
  EXPECT_EQ(formula.value({0.5, 0, 0}, {}), 2.0);
  const auto text_at = [&](double x) -> std::string {
    try {
      static_cast<void>(formula.value({x, 1.0, 2.0}, [] { return "the cell (3, 0, 0)"; }));
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(text_at(0.0),
            "run.toml:4:7: fields.rho: is inf in the cell (3, 0, 0), at x = 0, y = 1, z = 2; expected a number > 0");
  EXPECT_EQ(text_at(-2.0),
            "run.toml:4:7: fields.rho: is -0.5 in the cell (3, 0, 0), at x = -2, y = 1, z = 2; expected a number > 0");
}

TEST(Formulas, AreOfTheParametersAsUsed) {
  const Folder folder;
  const Parameters parameters = with_rho("k*x", "k = 2\nb = 0.1");
  const std::string used = parameters.as_used();
  EXPECT_NE(used.find("constants = {b = 0.1, k = 2.0}\n"), std::string::npos) << used;
  EXPECT_NE(used.find("rho = \"k*x\"\n"), std::string::npos) << used;
  write_file(used, "used.toml");
  const Parameters again = Document("used.toml", {}).read(formula_tables);
  EXPECT_EQ(again.constants("constants"), parameters.constants("constants"));
  EXPECT_TRUE(again.changes_since(used, "used.toml").empty());
  const auto changes = with_rho("k*x", "k = 3\nb = 0.1").changes_since(used, "used.toml");
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].key + ": " + changes[0].then + " -> " + changes[0].now,
            "constants: {b = 0.1, k = 2.0} -> {b = 0.1, k = 3.0}");
}

TEST(Formulas, AreComputedByManyThreads) {
  const Folder folder;
  const Parameters parameters = with_rho("sin(x) + y");
  std::vector<Formula> formulas;  // more than a thread keeps parsers of
  for (int i = 0; i < 40; ++i) formulas.emplace_back(parameters, "fields.rho", "constants");
  std::array<int, 4> wrong{};
  std::vector<std::jthread> threads;
  for (std::size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 2000; ++i) {
        const double x = 0.001 * i + static_cast<double>(t);
        if (formulas[static_cast<std::size_t>(i) % (i < 1000 ? 3 : 40)]({x, 1.0, 0.0}) != std::sin(x) + 1.0) ++wrong[t];
      }
    });
  }
  threads.clear();
  EXPECT_EQ(wrong, (std::array<int, 4>{}));
}

}  // namespace
}  // namespace config_test
