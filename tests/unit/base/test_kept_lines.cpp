// Files of lines: what is read and written, and what is said of damaged ones.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "support/temporary_folder.hpp"
#include "tacit/base/error.hpp"
#include "tacit/base/kept_lines.hpp"

namespace tacit::base::kept_lines_test {

constexpr KeptLines places{.first_line = "# places 1",
                           .name = "a file of places",
                           .remedy = "; remove it",
                           .wrong_line = "is no place",
                           .cannot_read = "cannot read the places",
                           .cannot_write = "cannot write the places"};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  parse_kept(places, text, "file", [&](const std::string& line) {
    lines.push_back(line);
    return line != "bad";
  });
  return lines;
}

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const base::Error& error) {
    return error.what();
  }
  return {};
}

TEST(KeptLines, LinesBelowTheFirstAreTaken) {
  EXPECT_EQ(lines_of("# places 1\n"), std::vector<std::string>{});
  EXPECT_EQ(lines_of("# places 1\na b\n\nc"), (std::vector<std::string>{"a b", "", "c"}));
}

TEST(KeptLines, WhatIsWrongIsNamedWithItsLine) {
  const auto error = [](const std::string& text) { return error_of([&] { lines_of(text); }); };
  EXPECT_EQ(error("other\n"), "file:1: 'other' stands where a file of places begins with '# places 1'; remove it");
  EXPECT_EQ(error(""), "file:1: '' stands where a file of places begins with '# places 1'; remove it");
  EXPECT_EQ(error("# places 1\ngood\nbad\n"), "file:3: 'bad' is no place");
}

TEST(KeptLines, AFileIsReplacedWhole) {
  const test::TemporaryFolder folder;
  const auto file = folder / "places";
  EXPECT_FALSE(read_kept(places, file).has_value());
  for (const char* text : {"first\n", "second\n"}) {
    write_kept(places, file, text);
    EXPECT_EQ(read_kept(places, file), text);
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);  // nothing is left beside it
}

TEST(KeptLines, AFolderInPlaceOfAFileIsNamed) {
  const test::TemporaryFolder folder;
  const std::string error = error_of([&] { static_cast<void>(read_kept(places, folder.path())); });
  EXPECT_EQ(error, folder.path().string() + ": cannot read the places (Is a directory)");
}

TEST(KeptLines, AFolderThatIsNotThereIsNamed) {
  const test::TemporaryFolder folder;
  const auto file = folder / "none" / "places";
  const std::string error = error_of([&] { write_kept(places, file, "text\n"); });
  EXPECT_EQ(error.find(file.string() + ": cannot write the places"), 0U) << error;
}

}  // namespace tacit::base::kept_lines_test
