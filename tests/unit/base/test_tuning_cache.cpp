// Tuning files: what is read and written, and what is said of damaged ones.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>

#include "support/temporary_folder.hpp"
#include "tacit/base/error.hpp"
#include "tacit/base/tuning_cache.hpp"

namespace tacit::base::tuning_cache_test {

constexpr TuningFormat places{.first_line = "# places 1",
                              .name = "a file of places",
                              .remedy = "; remove it",
                              .wrong_line = "is no place",
                              .cannot_read = "cannot read the places",
                              .cannot_write = "cannot write the places",
                              .takes_answer = [](std::istream& words) {
                                unsigned x = 0;
                                unsigned y = 0;
                                return bool(words >> x >> y);
                              }};

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const base::Error& error) {
    return error.what();
  }
  return {};
}

TEST(TuningCache, LinesAreAnswersAndWhatTheyAreFor) {
  const Tunings tunings{{"a long key", "1 2"}, {"other", "3 4"}};
  EXPECT_EQ(parse_tunings(places, "# places 1\n3 4 other\n1 2  a long key", "file"), tunings);
  EXPECT_EQ(tunings_text(places, tunings), "# places 1\n1 2 a long key\n3 4 other\n");
  EXPECT_EQ(parse_tunings(places, tunings_text(places, {}), "file"), Tunings{});
}

TEST(TuningCache, WhatIsWrongIsNamedWithItsLine) {
  const auto error = [](const std::string& text) {
    return error_of([&] { static_cast<void>(parse_tunings(places, text, "file")); });
  };
  EXPECT_EQ(error("other\n"), "file:1: 'other' stands where a file of places begins with '# places 1'; remove it");
  EXPECT_EQ(error(""), "file:1: '' stands where a file of places begins with '# places 1'; remove it");
  for (const std::string line : {"bad", "", "1 2", "1 2 ", "1 two key", "-1 2 key", "1 -2 key"}) {
    EXPECT_EQ(error("# places 1\n1 2 good\n" + line + "\n"), "file:3: '" + line + "' is no place");
  }
}

TEST(TuningCache, AFileServesOtherRuns) {
  const test::TemporaryFolder folder;
  const auto file = folder / "places";
  TuningCache first(file);
  TuningCache second(file);
  EXPECT_EQ(first.find(places, "a"), "");
  EXPECT_EQ(second.find(places, "a"), "");
  first.keep("a", "1 2");
  first.write(places);
  EXPECT_EQ(second.find(places, "a"), "") << "the file is read once";
  second.keep("b", "3 4");
  second.write(places);
  EXPECT_EQ(TuningCache(file).find(places, "a"), "1 2") << "what others have written stays";
  EXPECT_EQ(TuningCache(file).find(places, "b"), "3 4");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);  // nothing is left beside it
}

TEST(TuningCache, WithoutAFileAnswersAreInMemory) {
  TuningCache cache;
  cache.keep("a", "1 2");
  cache.write(places);
  EXPECT_EQ(cache.find(places, "a"), "1 2");
}

TEST(TuningCache, AFolderInPlaceOfAFileIsNamed) {
  const test::TemporaryFolder folder;
  TuningCache cache(folder.path());
  EXPECT_EQ(error_of([&] { static_cast<void>(cache.find(places, "a")); }),
            folder.path().string() + ": cannot read the places (Is a directory)");
}

TEST(TuningCache, AFolderThatIsNotThereIsNamed) {
  const test::TemporaryFolder folder;
  const auto file = folder / "none" / "places";
  const std::string error = error_of([&] { TuningCache(file).write(places); });
  EXPECT_EQ(error.find(file.string() + ": cannot write the places"), 0U) << error;
}

}  // namespace tacit::base::tuning_cache_test
