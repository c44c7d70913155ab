// Printable text and word distances.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>

#include "tacit/base/random.hpp"
#include "tacit/base/text.hpp"

namespace text_test {
namespace {

using namespace tacit::base;

TEST(Text, PrintableKeepsTextAndShowsBytes) {
  EXPECT_EQ(printable("abc \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"), "abc \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
  EXPECT_EQ(printable("a\n\x1b[1m\x7f"), "a\\x0a\\x1b[1m\\x7f");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(printable("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b");           // a control character of Latin-1
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");           // overlong
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // half of a surrogate pair
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
}

TEST(Text, PrintableCutsBetweenCharacters) {
  EXPECT_EQ(printable("abcdef", 6), "abcdef");
  EXPECT_EQ(printable("abcdefg", 6), "abcdef...");
  EXPECT_EQ(printable("abcde\xc3\xa9", 6), "abcde...");
  EXPECT_EQ(printable("", 0), "");
}

TEST(Text, EditDistanceOfKnownPairs) {
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("kernel", "kernal"), 1U);
  EXPECT_EQ(edit_distance("kenrel", "kernel"), 1U);  // a swap
  EXPECT_EQ(edit_distance("ca", "abc"), 3U);         // 2 if a part could be edited twice
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("abc", ""), 3U);
  EXPECT_EQ(edit_distance("MPC", "mpc"), 0U);
}

TEST(Text, EditDistanceIsSymmetricAndAtMostTheEdits) {
  for (std::uint64_t i = 0; i < 500; ++i) {
    std::string a = "the_quick_brown_fox";
    std::string b = a;
    const std::uint64_t edits = i % 4;
    for (std::uint64_t k = 0; k < edits; ++k) {
      const auto at = static_cast<std::size_t>(uniform(2, i, k) * static_cast<double>(b.size()));
      if (i % 3 == 0) b[at] = '#';
      if (i % 3 == 1) b.erase(at, 1);
      if (i % 3 == 2) b.insert(b.begin() + static_cast<std::ptrdiff_t>(at), '#');
    }
    EXPECT_LE(edit_distance(a, b), edits);
    EXPECT_EQ(edit_distance(a, b), edit_distance(b, a));
  }
}

TEST(Text, ClosestFindsTheLikelyWordOrNothing) {
  constexpr auto kernels = std::to_array<std::string_view>({"cubic_spline", "quartic_spline", "quintic_spline"});
  EXPECT_EQ(closest("cubik_spline", kernels), "cubic_spline");
  EXPECT_EQ(closest("QUINTIC_SPLINE", kernels), "quintic_spline");
  EXPECT_EQ(closest("wendland", kernels), std::nullopt);
  EXPECT_EQ(closest("", kernels), std::nullopt);
  EXPECT_EQ(closest(std::string(1000, 'c'), kernels), std::nullopt);
  constexpr auto units = std::to_array<std::string_view>({"m", "pc", "mpc", "Mpc"});
  EXPECT_EQ(closest("M", units), "m");
  EXPECT_EQ(closest("q", units), std::nullopt);
  EXPECT_EQ(closest("MPc", units), "Mpc");  // the nearest in case, too
  EXPECT_EQ(closest("word", {}), std::nullopt);
}

}  // namespace
}  // namespace text_test
