// What of a parameter file has changed since an earlier run: Parameters::changes_since.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "sample_keys.hpp"

namespace config_test {
namespace {

constexpr std::array changing_keys{
    Key::positive("a.size", dimension::length, "Size.", "2"),
    Key::quantity("a.shift", dimension::length, "Shift."),
    Key::integer("a.cells", {1, 100}, "Cells.", "8").formerly("a.points"),
    Key::flag("a.open", false, "Open."),
    Key::choice_list("a.walls", kernels, "Walls."),
    Key::numbers("a.waves", "Waves."),
    Key::real("a.cfl", any, "Courant number.", "0.5").excludes("a.dt").changeable(),
    Key::real("a.dt", any, "Step.").changeable(),
    Key::real("a.old", any, "Replaced by a.new.", "1").excludes("a.new"),
    Key::real("a.new", any, "New."),
};
constexpr std::array<KeyTable, 3> changing_tables{
    {{"Run", run_keys, OnRestart::may_change}, {"Code units", unit_keys}, {"A", changing_keys}}};

Parameters read_a(std::string_view text) {
  write_file(std::string("solver = \"sph\"\n[a]\n").append(text), "run.toml");
  return Document("run.toml", {}).read(changing_tables);
}

/// "a.size: 2.0 -> 3.0"
std::vector<std::string> changes(std::string_view before, std::string_view after) {
  std::vector<std::string> lines;
  for (const auto& [key, then, now] : read_a(after).changes_since(read_a(before).as_used(), "restart.hdf5")) {
    lines.push_back(key + ": " + then + " -> " + now);
  }
  return lines;
}

using Lines = std::vector<std::string>;

TEST(Changes, NoneInTheSameFile) {
  const Folder folder;
  const char* const text = "size = '3 m'\ncells = 7\nopen = true\nwalls = ['cubic_spline']\nwaves = [0.1, 2]\n";
  EXPECT_EQ(changes(text, text), Lines());
  EXPECT_EQ(changes("", ""), Lines());
  EXPECT_EQ(changes("size = '3 m'", "size = 300"), Lines());  // the same in code units
  EXPECT_EQ(changes("", "size = 2.0"), Lines());              // its default
  EXPECT_EQ(changes("points = 7", "cells = 7"), Lines());     // a new name
}

TEST(Changes, OfEveryType) {
  const Folder folder;
  EXPECT_EQ(changes("", "size = 3"), (Lines{"a.size: 2.0 -> 3.0"}));
  EXPECT_EQ(changes("cells = 7", "cells = 9"), (Lines{"a.cells: 7 -> 9"}));
  EXPECT_EQ(changes("open = true", ""), (Lines{"a.open: true -> false"}));
  EXPECT_EQ(changes("shift = 1", ""), (Lines{"a.shift: 1.0 -> "}));
  EXPECT_EQ(changes("", "shift = 1"), (Lines{"a.shift:  -> 1.0"}));
  EXPECT_EQ(changes("walls = ['cubic_spline']", "walls = ['cubic_spline', 'quartic_spline']"),
            (Lines{"a.walls: [\"cubic_spline\"] -> [\"cubic_spline\", \"quartic_spline\"]"}));
  EXPECT_EQ(changes("waves = [1, 2]", "waves = [2, 1]"), (Lines{"a.waves: [1.0, 2.0] -> [2.0, 1.0]"}));
  EXPECT_EQ(changes("size = 3\ncells = 7", "size = 4\ncells = 9"), (Lines{"a.size: 3.0 -> 4.0", "a.cells: 7 -> 9"}));
}

TEST(Changes, AreFreeWhereATableSaysSo) {
  const Folder folder;
  EXPECT_EQ(changes("cfl = 0.5", "dt = 0.1"), Lines());
  const Parameters now = read_a("");
  EXPECT_TRUE(now.changes_since("label = \"another\"\ndeterministic = true\n", "restart.hdf5").empty());
}

TEST(Changes, OfAKeyThatReplacesAnotherNameItAlone) {
  const Folder folder;
  EXPECT_EQ(changes("", "new = 2"), (Lines{"a.new:  -> 2.0"}));
}

TEST(Changes, KnowNothingOfKeysThatAnEarlierVersionLacked) {
  const Folder folder;
  EXPECT_TRUE(read_a("").changes_since("[a]\nlong_gone = 3\n", "restart.hdf5").empty());
  const auto found = read_a("cells = 9").changes_since("", "restart.hdf5");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].key, "a.cells");
  EXPECT_EQ(found[0].then, "");
}

TEST(Changes, RefuseWhatIsNoToml) {
  const Folder folder;
  EXPECT_THROW(static_cast<void>(read_a("").changes_since("size = ", "restart.hdf5")), Error);
}

}  // namespace
}  // namespace config_test
