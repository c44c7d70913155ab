// Files that are no parameter files, or were damaged: one clear message, never a crash.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "damaged.hpp"
#include "sample_keys.hpp"

namespace config_test {
namespace {

TEST(Hostile, WhatIsNoFile) {
  const Folder folder;
  const auto message = [](const std::filesystem::path& file) -> std::string {
    try {
      const Document document(file, {});
      return "read";
    } catch (const tacit::base::Error& error) {
      return error.what();
    }
  };
  EXPECT_EQ(message("none.toml"),
            "none.toml: cannot open the parameter file, check its path (No such file or directory)");
  std::filesystem::create_directories("folder");
  EXPECT_EQ(message("folder"), "folder: is a directory; give the parameter file in it, as in run.toml");
  EXPECT_EQ(message("run.toml/x"),
            "run.toml/x: cannot open the parameter file, check its path (No such file or directory)");
  EXPECT_THROW(Document("none.toml", {}), tacit::base::SystemError);
}

TEST(Hostile, WhatIsNoText) {
  const Folder folder;
  const std::string hint = "\n  hint: give the .toml file of the run";
  EXPECT_EQ(message_of("\x89HDF\r\n\x1a\n"), "run.toml: is an HDF5 file, not a parameter file" + hint);
  EXPECT_EQ(message_of(std::string_view("\x7f"
                                        "ELF\x02\x01\x01\0\0",
                                        9)),
            "run.toml: is not a text file (byte 7 is zero)" + hint);
  EXPECT_EQ(message_of("\xfe\xff"),
            "run.toml:1:1: '\\xfe' cannot stand outside quotes\n  hint: names are ASCII letters, digits, '_' and '-'; "
            "a text needs quotes; the file must be UTF-8");
  EXPECT_EQ(message_of(repeat("[", 10'000'000)), "run.toml: is larger than 1 MB, too large for a parameter file" +
                                                     hint + "; data belong into files that it names");
}

TEST(Hostile, LineEndsAndByteOrderMark) {
  const Folder folder;
  const Parameters parameters = read("\xef\xbb\xbfsolver = \"sph\"\r\n[time]\r\nend = 2.0\r\n");
  EXPECT_EQ(parameters.real("time.end"), 2.0);
  EXPECT_EQ(parameters.where("time.end").line, 3);
  EXPECT_EQ(parameters.where("time.end").column, 7);
  EXPECT_EQ(message_of("\xef\xbb\xbf"), message_of(""));
}

TEST(Hostile, DeepNestingEndsInAMessage) {
  const Folder folder;
  const std::size_t size = 400'000;
  EXPECT_NE(message_of("a = " + repeat("[", size)).find("nested"), std::string::npos);
  EXPECT_NE(message_of("a = " + repeat("{a=", size / 2)).find("nested"), std::string::npos);
  const std::string parts = "a key has more than 16 parts";
  EXPECT_NE(message_of(repeat("a.", size) + "a = 1").find(parts), std::string::npos);
  EXPECT_NE(message_of("[" + repeat("a.", size) + "a]").find(parts), std::string::npos);
  EXPECT_NE(message_of(repeat("'#' . ", size / 4) + "a = 1").find(parts), std::string::npos);
  EXPECT_NE(message_of("x = \"\"\"\"a\"\"\"\"\n" + repeat("\"\\\"\".", size / 8) + "a = 1").find(parts),
            std::string::npos);
  // What the limits let through: 31 levels of values, 16 parts each.
  const std::string level = "{" + repeat("a.", 15) + "a = ";
  EXPECT_NE(message_of("a = " + repeat(level, 31) + "1" + repeat("}", 31)).find("is not a table"), std::string::npos);
}

// The damaged files below found these in the TOML library, version 3.3, with sanitizers: assertions that fail, which
// would abort, and undefined behaviour at letters outside ASCII.
TEST(Hostile, WhatTheLibraryItselfDoesNotTake) {
  const Folder folder;
  const std::string bare = "expected bare key starting character or string delimiter, saw '!'";
  const std::string hint = "\n  hint: a name is made of letters, digits, '_' and '-'";
  EXPECT_EQ(message_of("a.! = 1"), "run.toml:1:3: Error while parsing key: " + bare + hint);
  EXPECT_EQ(message_of("[!]"), "run.toml:1:2: Error while parsing key: " + bare + hint);
  EXPECT_EQ(message_of("# \xc3\xa9\nx\xc3\xa9 = 1"),
            "run.toml:2:2: '\xc3\xa9' cannot stand outside quotes\n  hint: names are ASCII letters, digits, '_' and "
            "'-'; a text needs quotes; the file must be UTF-8");
}

TEST(Hostile, DotsInTextsAndCommentsAreNoParts) {
  const Folder folder;
  const std::string dots = repeat(".", 100);
  EXPECT_EQ(read("# " + dots + "\nlabel = \"" + dots + "\" # " + dots + "\n" + std::string(minimal)).text("label"),
            dots);
  EXPECT_EQ(read("label = '''\n" + dots + "'' \\'''\n" + std::string(minimal)).text("label"), dots + "'' \\");
}

TEST(Hostile, LargeFilesOfNonsenseAreAnsweredSoon) {
  const Folder folder;
  std::string keys;
  for (int i = 0; keys.size() < 900'000; ++i) keys.append("kernal").append(std::to_string(i)).append("=1\n");
  EXPECT_TRUE(message_of(keys).ends_with(" more"));
  EXPECT_NE(message_of(repeat("a", 900'000) + "=1").find("..."), std::string::npos);
  EXPECT_NE(message_of("label='" + repeat("a", 900'000) + "'\n").find("time.end"), std::string::npos);
}

/// What is put into damaged files.
constexpr auto toml_pieces = std::to_array<std::string_view>({"[",
                                                              "]",
                                                              "{",
                                                              "}",
                                                              "\"",
                                                              "'",
                                                              "=",
                                                              ".",
                                                              "\n",
                                                              "#",
                                                              "\\",
                                                              ",",
                                                              "\r",
                                                              "nan",
                                                              "-inf",
                                                              "1e999",
                                                              "\"\"\"",
                                                              "'''",
                                                              "[[",
                                                              "\xff",
                                                              "\xc3",
                                                              "2026-01-01",
                                                              "99999999999999999999",
                                                              "0x",
                                                              "[sph]",
                                                              "\\u0000",
                                                              "\xef\xbb\xbf",
                                                              "-",
                                                              "1 Mpc"});

TEST(Hostile, DamagedFilesReadOrThrow) {
  const std::uint64_t files = std::getenv("TACIT_TEST_FULL") != nullptr ? 20000 : 4000;
  const Folder folder;
  const std::string whole = R"(solver = "sph"  # the solver
label = """a "long" text"""
[units]
length = "1 Mpc"
velocity = 1e5
[time]
end = "1.5 Gyr"
steps = 1_000
[sph]
kernel = 'quintic_spline'
eta = 1.25
h_max = "10 kpc"
viscosity = { alpha = 0.1 }
[domain]
size = ["1 Mpc", 2.0, 3e0]
)";
  std::uint64_t good = 0;
  std::uint64_t wrong = 0;
  for (std::uint64_t seed = 0; seed < files; ++seed) {
    const std::string text = damaged(whole, seed, toml_pieces);
    try {
      const Parameters parameters = read(text);
      write_file(parameters.as_used(), "used.toml");
      EXPECT_EQ(Document("used.toml", {}).read(tables).real("time.end"), parameters.real("time.end")) << text;
      ++good;
    } catch (const Error& error) {
      for (const auto& problem : error.problems()) EXPECT_FALSE(problem.message.empty());
      ++wrong;
    } catch (const tacit::base::Error& error) {
      ADD_FAILURE() << "no config::Error: " << error.what() << "\n" << text;
    }
  }
  EXPECT_GT(good, files / 50);
  EXPECT_GT(wrong, files / 2);
}

TEST(Hostile, DamagedOverridesReadOrThrow) {
  const Folder folder;
  int good = 0;
  for (std::uint64_t seed = 0; seed < 5000; ++seed) {
    const std::string text =
        damaged(seed % 2 == 0 ? "domain.size=[1, '2 m', 3.5]" : "sph.h_max=10 mm", seed, toml_pieces);
    const std::string message = message_of(minimal, {text});
    good += message == "read";
    EXPECT_FALSE(message.empty());
  }
  EXPECT_GT(good, 50);
}

}  // namespace
}  // namespace config_test
