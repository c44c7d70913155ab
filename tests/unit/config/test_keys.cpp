// Typed choices, rules between keys, former names.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "sample_keys.hpp"

namespace config_test {
namespace {

enum class Form : std::uint8_t { flat, steep, tabulated };

constexpr std::array forms{Choice{"flat", Form::flat, "the same everywhere"}, Choice{"steep", Form::steep, ""},
                           Choice{"file", Form::tabulated, "a table"}};
constexpr std::array rule_keys{
    Key::choice("a.form", forms, Form::flat, "Form."),
    Key::choice_list("a.forms", forms, "Forms."),
    Key::positive("a.slope", "Slope.").with_example("2.0").belongs_to("a.form", "steep"),
    Key::existing_file("a.table", "Table.").with_example("e.txt").belongs_to("a.form", "file"),
    Key::positive("a.width", "Width.", "1").needs("a.form", "steep", "file"),
    Key::non_negative("a.depth", dimension::length, "Depth.", "0"),
    Key::positive("a.density", "Density.", "1").needs("a.depth"),
    Key::flag("a.scaled", false, "Scaled."),
    Key::positive("a.scale", "Scale.").needs("a.scaled", "true"),
    Key::flag("a.shown", true, "Shown."),
    Key::positive("a.shade", "Shade.").needs("a.shown", "true"),
    Key::positive("b.cfl", "Number.", "0.5").excludes("b.dt"),
    Key::positive("b.dt", dimension::time, "Step."),
    Key::path("c.file", "File.").with_example("ics.hdf5"),
    Key::choice("c.setup", forms, "Set-up.").alternative_to("c.file"),
    Key::integer("b.rows", {1, 8}, "Rows.", "2").formerly("d.lines"),
};
constexpr std::array<KeyTable, 2> rule_tables{{{"Code units", unit_keys}, {"Rules", rule_keys}}};

Parameters read_rules(const std::string& text, const std::vector<std::string>& overrides = {}) {
  write_file("c.file = 'x'\n" + text);
  return Document("run.toml", set(overrides)).read(rule_tables);
}

std::string rule_message(const std::string& text, const std::vector<std::string>& overrides = {}) {
  try {
    (void)read_rules(text, overrides);
    return "read";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(Choices, AreReadAsTheirValues) {
  const Folder folder;
  EXPECT_EQ(read_rules("").choice("a.form", forms), Form::flat);
  const Parameters parameters = read_rules("a.forms = ['file', 'flat']\n", {"a.form=steep", "a.slope=1"});
  EXPECT_EQ(parameters.choice("a.form", forms), Form::steep);
  EXPECT_EQ(parameters.choices("a.forms", forms), (std::vector{Form::tabulated, Form::flat}));
  EXPECT_THROW((void)parameters.choice("a.form", kernels), tacit::base::PreconditionError);
}

TEST(Rules, AKeyBelongsToAChoice) {
  const Folder folder;
  EXPECT_EQ(rule_message("a.form = 'steep'\na.slope = 1\na.width = 3\n"), "read");
  EXPECT_EQ(rule_message("a.form = 'steep'\n"),
            "run.toml:2:10: a.slope: is missing; a.form = \"steep\" needs it\n  hint: write 'slope = 2.0' in [a]");
  EXPECT_EQ(rule_message("a.slope = 1\n"),
            "run.toml:2:11: a.slope: is used with a.form = \"steep\" only\n  hint: set that, or remove this line");
}

TEST(Rules, AKeyNeedsAnother) {
  const Folder folder;
  EXPECT_EQ(rule_message("a.width = 3\na.scale = 2\na.density = 2\n"),
            "run.toml:2:11: a.width: is used with a.form = \"steep\" or \"file\" only\n"
            "  hint: set that, or remove this line\n"
            "run.toml:3:11: a.scale: is used with a.scaled = true only\n"
            "  hint: add that line, or remove this one\n"
            "run.toml:4:13: a.density: is used with a.depth only\n"
            "  hint: add that line, or remove this one");
  EXPECT_EQ(rule_message("a.scale = 2\na.scaled = true\na.density = 2\na.depth = '1 cm'\n"), "read");
  EXPECT_EQ(rule_message("a.shade = 2\n"), "read");
  EXPECT_EQ(rule_message("a.shade = 2\na.shown = false\n"),
            "run.toml:2:11: a.shade: is used with a.shown = true only\n  hint: add that line, or remove this one");
  EXPECT_EQ(rule_message("a.width = 1\na.density = 1.0\n"), "read");  // the defaults: nothing is asked for
}

TEST(Rules, TwoKeysExcludeEachOther) {
  const Folder folder;
  EXPECT_EQ(rule_message("b.dt = 1\n"), "read");
  write_file(read_rules("b.dt = 1\n").as_used(), "used.toml");
  EXPECT_EQ(Document("used.toml", {}).read(rule_tables).real("b.cfl"), 0.5);
  EXPECT_EQ(rule_message("b.dt = 1\nb.cfl = 0.5\n"),
            "run.toml:3:9: b.cfl: stands beside b.dt; only one of them is used\n  hint: remove one of the two lines");
  EXPECT_EQ(rule_message("c.setup = 'flat'\n"),
            "run.toml:2:11: c.setup: stands beside c.file; only one of them is used\n"
            "  hint: remove one of the two lines");
  write_file("");
  try {
    (void)Document("run.toml", {}).read(rule_tables);
    FAIL() << "read";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "run.toml: c.file: is missing, and so is c.setup; one is needed\n"
                 "  hint: add   file = \"ics.hdf5\"   or   setup = \"flat\"   under [c]");
  }
}

TEST(Rules, AFileExists) {
  const Folder folder;
  const std::string text = "a.form = 'file'\na.table = 'e.txt'\n";
  const std::string place = "run.toml:3:11: a.table: 'e.txt' ";
  EXPECT_EQ(rule_message(text), place +
                                    "does not exist\n"
                                    "  hint: a relative path begins in the folder of the parameter file");
  std::filesystem::create_symlink("gone", "e.txt");
  EXPECT_EQ(rule_message(text), place +
                                    "is a link to 'gone', which does not exist\n"
                                    "  hint: is the disk that it leads to mounted?");
  std::filesystem::remove("e.txt");
  std::filesystem::create_directory("e.txt");
  EXPECT_EQ(rule_message(text), place + "is a directory, expected a file\n  hint: name one file in it");
  std::filesystem::remove("e.txt");
  write_file("1 1\n", "e.txt");
  EXPECT_EQ(rule_message(text), "read");
}

TEST(FormerNames, AreReadWithANote) {
  const Folder folder;
  EXPECT_TRUE(read_rules("b.rows = 3\n").notes().empty());
  const Parameters parameters = read_rules("d.lines = 3\n");
  EXPECT_EQ(parameters.integer("b.rows"), 3);
  EXPECT_TRUE(parameters.is_given("b.rows"));
  ASSERT_EQ(parameters.notes().size(), 1U);
  EXPECT_EQ(parameters.notes()[0], "run.toml:2:3: d.lines: is the old name of b.rows; write that");
  EXPECT_NE(parameters.as_used().find("rows = 3\n"), std::string::npos);
  EXPECT_EQ(rule_message("d.lines = 9\n"), "run.toml:2:11: b.rows: must be >= 1 and <= 8 (got 9)");
  EXPECT_NE(keys_help(rule_tables).find("Rows. Formerly d.lines."), std::string::npos);
  EXPECT_NE(keys_help(rule_tables).find("Slope. Only with a.form = \"steep\"."), std::string::npos);
  EXPECT_NE(keys_help(rule_tables).find("Number. Not beside b.dt."), std::string::npos);
  EXPECT_NE(keys_markdown("Keys", rule_tables).find("Rows. Formerly d.lines."), std::string::npos);
}

TEST(FormerNames, BesideTheNewOnesAreErrorsUnlessTheyOverride) {
  const Folder folder;
  EXPECT_EQ(rule_message("b.rows = 3\nd.lines = 3\n"),
            "run.toml:3:3: d.lines: is the old name of b.rows, which is given too\n  hint: remove this line");
  EXPECT_EQ(read_rules("b.rows = 3\n", {"d.lines=4"}).integer("b.rows"), 4);
  EXPECT_EQ(read_rules("d.lines = 3\n", {"b.rows=4"}).integer("b.rows"), 4);
}

}  // namespace
}  // namespace config_test
