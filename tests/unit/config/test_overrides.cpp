// --set on the command line: what it changes, and what it says when it is wrong.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sample_keys.hpp"

namespace config_test {
namespace {

TEST(Overrides, ReplaceAddAndTheLastOneWins) {
  const Folder folder;
  const std::string text = std::string(minimal).append("[sph]\neta = 1.0\n");
  EXPECT_EQ(read(text, {"sph.eta=2"}).real("sph.eta"), 2.0);
  EXPECT_EQ(read(text, {"sph.eta=2", " sph.eta = 2.5 "}).real("sph.eta"), 2.5);
  EXPECT_EQ(read(text, {"time.steps=7"}).integer("time.steps"), 7);
  EXPECT_EQ(read(text, {"gravity.enabled=false"}).flag("gravity.enabled"), false);
  EXPECT_EQ(read(text, {"sph.kernel=quintic_spline"}).text("sph.kernel"), "quintic_spline");
  EXPECT_EQ(read(text, {"sph.kernel='quintic_spline'"}).text("sph.kernel"), "quintic_spline");
  EXPECT_EQ(read(text, {"domain.size=[1, 2, '3 m']"}).vector("domain.size"), (std::vector{1.0, 2.0, 300.0}));
}

TEST(Overrides, ATableReplacesTheWholeTable) {
  const Folder folder;
  const std::string text = std::string(minimal).append("[sph]\neta = 1.0\nviscosity.alpha = 0.1\n");
  const Parameters parameters = read(text, {"sph={h_max=2}"});
  EXPECT_EQ(parameters.real("sph.h_max"), 2.0);
  EXPECT_EQ(parameters.real("sph.eta"), 1.2348);
  EXPECT_FALSE(parameters.is_given("sph.viscosity.alpha"));
  EXPECT_EQ(read(text, {"sph={h_max=2}", "sph.eta=3"}).real("sph.eta"), 3.0);
  EXPECT_EQ(read(text, {"sph=3", "sph={eta=2}"}).real("sph.eta"), 2.0);
}

TEST(Overrides, TextNeedsNoQuotes) {
  const Folder folder;
  for (const std::string text : {"blast wave", "true", "7", "1e3", "2026-01-01", "a=b", "nan", "1 # no comment"}) {
    EXPECT_EQ(read(minimal, {std::string("label=").append(text)}).text("label"), text);
  }
  EXPECT_EQ(read(minimal, {"label=\"\""}).text("label"), "");
  EXPECT_EQ(read(minimal, {"label='7'"}).text("label"), "7");
  EXPECT_EQ(read(minimal, {"sph.h_max=2 mm"}).real("sph.h_max"), 0.2);
}

TEST(Overrides, AreWhereTheValueCameFrom) {
  const Folder folder;
  const Parameters parameters = read(minimal, {"sph.eta=2"});
  EXPECT_TRUE(parameters.is_given("sph.eta"));
  EXPECT_EQ(parameters.where("sph.eta").file, "--set");
  EXPECT_EQ(parameters.where("sph.eta").line, 0);
}

/// As of a program that calls this one: what is wrong is named as if it stood in a file.
TEST(Document, OfATextInMemory) {
  const Folder folder;
  const std::string text = std::string(minimal).append("[initial]\nfile = \"ics.hdf5\"\n");
  const Parameters parameters = Document(text, "parameters", {}).read(tables);
  EXPECT_EQ(parameters.path("initial.file"), "ics.hdf5");
  EXPECT_EQ(Document(text, "/data/parameters", {}).read(tables).path("initial.file"), "/data/ics.hdf5");
  EXPECT_EQ(parameters.where("initial.file").file, "parameters");
  EXPECT_EQ(parameters.as_used(), read(text).as_used());
  EXPECT_THROW(static_cast<void>(Document(text + "file = 3\n", "parameters", {})), Error);
}

TEST(Overrides, OfAnotherOptionNameIt) {
  const Folder folder;
  write_file(minimal);
  const std::vector<Override> overrides{{"time.steps=two", "--steps"}, {"initial.file=ics.hdf5", "--input"}};
  try {
    (void)Document("run.toml", std::span(overrides).first(1)).read(tables);
    FAIL() << "read";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "--steps: time.steps: expected an integer, found a text");
  }
  const Parameters parameters = Document("run.toml", std::span(overrides).subspan(1, 1)).read(tables);
  EXPECT_EQ(parameters.where("initial.file").file, "--input");
  EXPECT_TRUE(is_on_command_line(parameters.where("initial.file")));
  EXPECT_FALSE(is_on_command_line(parameters.where("time.end")));
  EXPECT_EQ(parameters.path("initial.file"), "ics.hdf5");
}

struct OverrideGolden {
  std::string text;
  std::string message;
};

TEST(Overrides, Messages) {
  const Folder folder;
  const std::string form = "\n  hint: write --set sph.eta=1.3";
  const auto cases = std::to_array<OverrideGolden>({
      {"a.b.c=1", "--set: a.b.c: is not a key of this file"},
      {"=1", "--set: '=1' is not of the form key=value" + form},
      {"  = 1", "--set: '  = 1' is not of the form key=value" + form},
      {"", "--set: '' is not of the form key=value" + form},
      {"sph.eta", "--set: 'sph.eta' is not of the form key=value" + form},
      {"sph=3", "--set: sph: expected a table, found an integer\n  hint: write its keys below a line [sph]"},
      {"sph.eta=", "--set: sph.eta: has no value\n  hint: write sph.eta=VALUE; an empty text is '\"\"'"},
      {"x=[",
       "--set: x: '[': Error while parsing array: encountered end-of-file\n"
       "  hint: separate the elements by commas and end the list with ']'"},
      {"sph.eta=7", "--set: sph.eta: must be > 0 and <= 3 (got 7)"},
      {"sph.eta=much", "--set: sph.eta: expected a number, found a text"},
      {"sph.kernal=x", "--set: sph.kernal: is not a key of this file\n  hint: did you mean 'sph.kernel'?"},
      {"sphh.eta=1", "--set: sphh.eta: is not a key of this file\n  hint: did you mean 'sph.eta'?"},
      {"eta=1", "--set: eta: is not a key of this file\n  hint: did you mean 'sph.eta'?"},
      {"time.end={a=1}", "--set: time.end: expected a quantity (time), found a table"},
      {"solver.x=1", "--set: solver.x: is not a key of this file\n  hint: did you mean 'solver'?"},
      {"label=\xff", "--set: label: the value is not one line of UTF-8 text\n  hint: give one value"},
      {"label=1\nsph.eta=2", "--set: label: the value is not one line of UTF-8 text\n  hint: give one value"},
      {"label='x",
       "--set: label: ''x': Error while parsing string: encountered end-of-file\n"
       "  hint: a text begins and ends with '\"' on the same line; write a backslash as '\\\\'"},
      {"domain.size=[1, '2 s', 3]",
       "--set: domain.size: '2 s' is a time, expected a length\n  hint: write a length, as in \"1.0 cm\""},
      {"\x1b[2J=1", "--set: \\x1b[2J: is not a key of this file"},
  });
  for (const auto& [text, message] : cases) EXPECT_EQ(message_of_override(text), message) << text;
  EXPECT_EQ(message_of(minimal, {"sph.eta", "=3"}), "--set: 'sph.eta' is not of the form key=value" + form +
                                                        "\n--set: '=3' is not of the form key=value" + form);
}

}  // namespace
}  // namespace config_test
