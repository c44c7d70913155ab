// Differences between two files: what is found, what is left out, particles in another order.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "scratch.hpp"
#include "tacit/io/compare.hpp"
#include "tacit/io/detail/match_ids.hpp"
#include "tacit/io/file.hpp"

namespace tacit::io::compare_test {
namespace {

namespace fs = std::filesystem;
using Ids = std::vector<std::uint64_t>;
using Shape = std::vector<std::uint64_t>;

/// What a file of the tests holds; a test changes some of it.
struct Content {
  Ids id = {3, 1, 2, 7};
  std::vector<double> x = {0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5};  // two for each particle
  std::vector<float> mass = {1.0F, 2.0F, 3.0F, 4.0F};
  std::vector<std::int64_t> big = {-5, std::int64_t{1} << 60, 0, 1};
  std::vector<double> grid = {1.0, 2.0, 3.0};
  double time = 0.25;
  std::string host = "one";

  void write(const fs::path& path) const {
    FileWriter file(path);
    file.group("Header");
    file.attribute("Header", "Time", std::array{time});
    file.attribute("Header", "System", std::string_view(host));
    file.group("PartType0");
    file.array("PartType0/ParticleIDs", id, Shape{id.size()});
    file.array("PartType0/Coordinates", x, Shape{id.size(), 2});
    file.array("PartType0/Masses", mass, Shape{mass.size()});
    file.array("PartType0/Big", big, Shape{big.size()});
    file.array("grid", grid, Shape{grid.size()});
    file.commit();
  }
};

class Pair {
 public:
  Content a;
  Content b;

  [[nodiscard]] std::vector<std::string> differences(const CompareOptions& options = {}) const {
    a.write(scratch_ / "a.hdf5");
    b.write(scratch_ / "b.hdf5");
    std::vector<std::string> texts;
    for (const Difference& one : compare_files(scratch_ / "a.hdf5", scratch_ / "b.hdf5", options).differences) {
      texts.push_back(to_text(one));
    }
    return texts;
  }

 private:
  test::Scratch scratch_;
};

using Texts = std::vector<std::string>;

CompareOptions within(Tolerance tolerance) {
  CompareOptions options;
  options.tolerance = [tolerance](const std::string&) { return tolerance; };
  return options;
}

}  // namespace

TEST(Compare, FindsNoneBetweenEqualFiles) {
  const Pair pair;
  EXPECT_EQ(pair.differences(), Texts{});
}

TEST(Compare, CountsWhatItCompared) {
  const test::Scratch scratch;
  Content().write(scratch / "a.hdf5");
  const Comparison found = compare_files(scratch / "a.hdf5", scratch / "a.hdf5");
  EXPECT_EQ(found.arrays, 5U);
  EXPECT_EQ(found.attributes, 3U);  // and that which says that there are checksums
}

TEST(Compare, SaysWhatDiffersAndByHowMuch) {
  Pair pair;
  pair.b.x[5] = 2.25;
  pair.b.x[6] = 4.0;
  pair.b.time = 0.5;
  EXPECT_EQ(pair.differences(),
            (Texts{"Header@Time: 1 of 1 numbers differ, first [0]: 0.25 and 0.5; by at most 0.25, 0.5 of the value",
                   "PartType0/Coordinates: 2 of 8 numbers differ, first [2, 1]: 2.5 and 2.25; by at most 1, 0.25 of "
                   "the value"}));
}

TEST(Compare, CountsEveryBit) {
  Pair pair;
  pair.a.grid = {0.0, std::nan(""), 1.0};
  pair.b.grid = {-0.0, std::nan(""), std::nextafter(1.0, 2.0)};
  EXPECT_EQ(pair.differences().size(), 1U);
  EXPECT_EQ(pair.differences(within({.relative = 1e-15})), Texts{});
}

// Doubles cannot tell these apart.
TEST(Compare, ComparesIntegersExactly) {
  Pair pair;
  pair.b.big[1] += 1;
  pair.b.big[0] = 6;
  const Texts expected{"PartType0/Big: 2 of 4 numbers differ, first [0]: -5 and 6; by at most 11, 1.83 of the value"};
  EXPECT_EQ(pair.differences(), expected);
  EXPECT_EQ(pair.differences(within({.relative = 10.0, .absolute = 100.0})), expected);
  pair.a.big[0] = std::numeric_limits<std::int64_t>::min();
  pair.b.big[0] = std::numeric_limits<std::int64_t>::max();
  EXPECT_NE(pair.differences().at(0).find("by at most 18446744073709551615, "), std::string::npos);
}

TEST(Compare, AllowsWhatItIsTold) {
  Pair pair;
  pair.b.grid = {1.0, 2.0 * (1.0 + 0x1p-20), 3.0 + 0x1p-10};
  EXPECT_EQ(pair.differences(within({.relative = 0x1p-20, .absolute = 0x1p-10})), Texts{});
  EXPECT_EQ(pair.differences(within({.relative = 0x1p-20})).size(), 1U);  // the last one
  EXPECT_EQ(pair.differences(within({.absolute = 0x1p-11})).size(), 1U);
  CompareOptions by_name;
  by_name.tolerance = [](const std::string& name) {
    return name == "grid" ? std::optional(Tolerance{.relative = 0.5}) : std::nullopt;
  };
  EXPECT_EQ(pair.differences(by_name), Texts{});
  pair.b.mass[0] = std::nextafter(1.0F, 2.0F);
  EXPECT_EQ(pair.differences(by_name).size(), 1U);
}

TEST(Compare, TreatsWhatIsNotFiniteAsItself) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Tolerance any{.relative = 1.0, .absolute = 1e300};
  EXPECT_TRUE(any.allows(std::nan(""), -std::nan("")));
  EXPECT_FALSE(any.allows(std::nan(""), 1.0));
  EXPECT_TRUE(any.allows(infinity, infinity));
  EXPECT_FALSE(any.allows(infinity, -infinity));
  EXPECT_FALSE(any.allows(infinity, 1.0));
  Pair pair;
  pair.b.grid[1] = infinity;
  EXPECT_EQ(pair.differences(within(any)),
            (Texts{"grid: 1 of 3 numbers differ, first [1]: 2 and inf; by at most inf, inf of the value"}));
}

TEST(Compare, LeavesOutWhatItIsTold) {
  Pair pair;
  pair.b.host = "two";
  pair.b.grid[0] = 7.0;
  EXPECT_EQ(pair.differences().size(), 2U);
  EXPECT_EQ(pair.differences().at(0), "Header@System holds other text: 'one' and 'two'");
  CompareOptions options;
  options.leaves_out = [](const std::string& name) { return name == "Header@System" || name == "grid"; };
  EXPECT_EQ(pair.differences(options), Texts{});
}

TEST(Compare, NamesWhatIsOnlyInOneOrOfAnotherKind) {
  const test::Scratch scratch;
  const std::vector<double> three{1.0, 2.0, 3.0};
  FileWriter a(scratch / "a.hdf5");
  a.array("lone", three, Shape{3});
  a.array("kind", three, Shape{3});
  a.array("shape", three, Shape{3});
  a.array("type", three, Shape{3});
  a.commit();
  FileWriter b(scratch / "b.hdf5");
  b.group("kind");
  b.group("other");
  b.array("shape", three, Shape{1, 3});
  b.array("type", three, Shape{3}, Number::float32);
  b.commit();
  const auto texts = [&](const CompareOptions& options) {
    Texts found;
    for (const Difference& one : compare_files(scratch / "a.hdf5", scratch / "b.hdf5", options).differences) {
      found.push_back(to_text(one));
    }
    return found;
  };
  const Texts expected{"lone is only in the first", "other is only in the second",
                       "kind is an array in one, a group in the other", "shape has shape (3) and (1, 3)",
                       "type holds float64 and float32"};
  EXPECT_EQ(texts({}), expected);
  EXPECT_EQ(texts(within({.relative = 1e-6})), Texts(expected.begin(), expected.end() - 1));
}

TEST(Compare, MatchesParticlesByTheirIds) {
  Pair pair;
  pair.b.id = {7, 3, 2, 1};
  pair.b.x = {3.0, 3.5, 0.0, 0.5, 2.0, 2.5, 1.0, 1.5};
  pair.b.mass = {4.0F, 1.0F, 3.0F, 2.0F};
  pair.b.big = {1, -5, 0, std::int64_t{1} << 60};
  EXPECT_EQ(pair.differences(), Texts{});
  pair.b.x[7] = 1.75;  // the second one of particle 1, whose row in the first file is 1
  EXPECT_EQ(pair.differences(),
            (Texts{"PartType0/Coordinates: 1 of 8 numbers differ, first [1, 1]: 1.5 and 1.75; by at "
                   "most 0.25, 0.143 of the value"}));
}

TEST(Compare, NamesParticlesThatAreLost) {
  Pair pair;
  pair.b.id = {1, 2, 3, 9};
  pair.b.x = {1.0, 1.5, 2.0, 2.5, 0.0, 0.5, 8.0, 8.0};
  pair.b.mass = {2.0F, 3.0F, 1.0F, 8.0F};
  pair.b.big = {std::int64_t{1} << 60, 0, -5, 8};
  EXPECT_EQ(pair.differences(), (Texts{"PartType0/ParticleIDs 1 are only in the first, 1 only in the second"}));
}

// Several thousand particles in another order, and memory for a few of them: every row finds its partner.
TEST(Compare, NeedsLittleMemory) {
  constexpr std::size_t n = 5000;
  std::mt19937_64 random(5);
  Pair pair;
  pair.a.id.resize(n);
  std::iota(pair.a.id.begin(), pair.a.id.end(), std::uint64_t{1} << 40);
  pair.b.id = pair.a.id;
  std::ranges::shuffle(pair.b.id, random);
  for (Content* content : {&pair.a, &pair.b}) {
    content->x.clear();
    content->mass.clear();
    content->big.clear();
    for (const std::uint64_t id : content->id) {
      content->x.insert(content->x.end(), {std::sin(static_cast<double>(id)), std::cos(static_cast<double>(id))});
      content->mass.push_back(static_cast<float>(id % 1000));
      content->big.push_back(-static_cast<std::int64_t>(id));
    }
  }
  CompareOptions options;
  options.memory = 20'000;  // 625 rows of Coordinates
  EXPECT_EQ(pair.differences(options), Texts{});
  for (const std::size_t place : {std::size_t{0}, n / 2, n - 1}) pair.b.mass[place] += 1.0F;
  const Texts found = pair.differences(options);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].starts_with("PartType0/Masses: 3 of 5000 numbers differ, first [")) << found[0];
}

TEST(MatchIds, GoesByTheOrderOfEqualOnes) {
  const detail::IdMatch match = detail::match_ids(Ids{5, 5, 9, 1}, Ids{1, 5, 4, 5, 5});
  EXPECT_EQ(match.partner, (Ids{1, 3, detail::IdMatch::none, 0}));
  EXPECT_EQ(match.only_first, 1U);
  EXPECT_EQ(match.only_second, 2U);
  EXPECT_FALSE(match.is_identity());
  EXPECT_TRUE(detail::match_ids(Ids{4, 2}, Ids{4, 2}).is_identity());
  EXPECT_TRUE(detail::match_ids({}, {}).is_identity());
  EXPECT_EQ(detail::match_ids({}, Ids{1, 2}).only_second, 2U);
}

}  // namespace tacit::io::compare_test
