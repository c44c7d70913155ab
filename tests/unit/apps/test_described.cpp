// What a program knows of solvers that it was built without is what they say of themselves.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "input.hpp"
#include "support/source_folder.hpp"
#include "tacit/base/error.hpp"
#include "tacit/config/stored.hpp"
#include "tacit/solvers/registry.hpp"

namespace tacit::apps {
namespace {

namespace fs = std::filesystem;

/// The file that describes a solver, whose folder may have another name.
std::string description_of(std::string_view name) {
  for (const auto& folder : fs::directory_iterator(fs::path(test::source_folder()) / "src/tacit/solvers")) {
    std::ifstream file(folder.path() / "described" / (std::string(name) + ".json"));
    if (file) return {std::istreambuf_iterator<char>(file), {}};
  }
  return {};
}

void expect_same(const config::Key& a, const config::Key& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.type, b.type);
  EXPECT_EQ(a.help, b.help);
  EXPECT_EQ(a.need, b.need);
  EXPECT_EQ(a.default_value, b.default_value);
  EXPECT_EQ(a.dimension, b.dimension);
  EXPECT_EQ(a.range.lower, b.range.lower);
  EXPECT_EQ(a.range.upper, b.range.upper);
  EXPECT_EQ(a.range.lower_open, b.range.lower_open);
  EXPECT_EQ(a.range.upper_open, b.range.upper_open);
  EXPECT_EQ(a.example, b.example);
  EXPECT_EQ(a.former_name, b.former_name);
  EXPECT_EQ(a.rule.kind, b.rule.kind);
  EXPECT_EQ(a.rule.other, b.rule.other);
  EXPECT_EQ(a.rule.values, b.rule.values);
  EXPECT_EQ(a.names_a_file, b.names_a_file);
  EXPECT_EQ(a.takes_integer, b.takes_integer);
  EXPECT_EQ(a.on_restart, b.on_restart);
  const auto choices = a.choices.all(), others = b.choices.all();
  ASSERT_EQ(choices.size(), others.size());
  for (std::size_t i = 0; i < choices.size(); ++i) {
    EXPECT_EQ(choices[i].name, others[i].name);
    EXPECT_EQ(choices[i].help, others[i].help);
  }
}

TEST(Described, SolversAreWhatTheySayOfThemselves) {
  for (const engine::SolverEntry* solver : solvers()) {
    SCOPED_TRACE(solver->name);
    const std::string text = description_of(solver->name);
    ASSERT_FALSE(text.empty()) << "make it: tacit keys " << solver->name
                               << " --description > src/tacit/solvers/LAYER/described/" << solver->name << ".json";
    const config::StoredTables stored(text);
    EXPECT_EQ(stored.whose().name, solver->name);
    EXPECT_EQ(stored.whose().help, solver->help);
    EXPECT_EQ(stored.whose().axis, solver->axis.name);
    EXPECT_EQ(stored.whose().symbol, solver->axis.symbol);
    EXPECT_EQ(stored.whose().is_counted, solver->axis.is_counted());
    const auto tables = solver->tables();
    ASSERT_EQ(stored.tables().size(), tables.size());
    for (std::size_t t = 0; t < tables.size(); ++t) {
      SCOPED_TRACE(tables[t].title);
      EXPECT_EQ(stored.tables()[t].title, tables[t].title);
      EXPECT_EQ(stored.tables()[t].on_restart, tables[t].on_restart);
      ASSERT_EQ(stored.tables()[t].keys.size(), tables[t].keys.size());
      for (std::size_t k = 0; k < tables[t].keys.size(); ++k) {
        SCOPED_TRACE(tables[t].keys[k].name);
        expect_same(stored.tables()[t].keys[k], tables[t].keys[k]);
      }
    }
    EXPECT_EQ(config::keys_schema("", stored.tables()), config::keys_schema("", tables));
    EXPECT_EQ(config::store_tables(stored.whose(), stored.tables()), text);
  }
}

TEST(Described, ADamagedTextIsRefused) {
  const std::string text = description_of("heat");
  for (const std::string& damaged :
       {std::string(), text.substr(0, text.size() / 2), std::string("{}"), std::string("[1, 2]"),
        std::string(text).replace(text.find("\"type\": \""), 9, "\"type\": \"x")}) {
    EXPECT_THROW(static_cast<void>(config::StoredTables(damaged)), base::FormatError);
  }
}

TEST(Described, ASolverWithoutItsCodeNamesTheCommandThatBuildsIt) {
  const engine::SolverEntry described{
      .name = "heat", .help = "", .tables = nullptr, .make = nullptr, .predict = nullptr};
  EXPECT_NO_THROW(require_built(*find_solver("heat"), {}));
  try {
    require_built(described, {});
    FAIL();
  } catch (const base::Error& error) {
    EXPECT_NE(std::string(error.what()).find("run './tacit build heat' first"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace tacit::apps
