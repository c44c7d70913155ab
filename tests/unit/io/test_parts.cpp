// Arrays that several ranks write into one file, and parts that are read back.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <vector>

#include "scratch.hpp"
#include "tacit/io/detail/part_gather.hpp"
#include "tacit/io/file.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::io::parts_test {
namespace {

using Shape = std::vector<std::uint64_t>;

std::uint64_t size_of(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::uint64_t{1}, std::multiplies{});
}

/// A value for each place of the whole, no two alike.
std::vector<double> whole(const Shape& shape) {
  std::vector<double> values(size_of(shape));
  std::iota(values.begin(), values.end(), 0.25);
  return values;
}

/// What a rank has of it, by the definition: one element after the other.
std::vector<double> cut(const Shape& shape, const Part& part) {
  const std::vector<double> all = whole(shape);
  std::vector<double> values;
  Shape at(shape.size(), 0);
  for (std::uint64_t i = 0; i < part.size(); ++i) {
    std::uint64_t rest = i;
    std::uint64_t place = 0;
    for (std::size_t axis = shape.size(); axis-- > 0; rest /= part.count[axis]) at[axis] = rest % part.count[axis];
    for (std::size_t axis = 0; axis < shape.size(); ++axis) place = place * shape[axis] + part.first[axis] + at[axis];
    values.push_back(all[place]);
  }
  return values;
}

/// Index range `which` of `of` along an axis.
void narrow(Part& part, std::size_t axis, std::uint64_t which, std::uint64_t of) {
  const std::uint64_t begin = part.count[axis] * which / of;
  part.count[axis] = part.count[axis] * (which + 1) / of - begin;
  part.first[axis] = begin;
}

/// The array is divided along two axes, `a` by `b`.
Part part_of(const Shape& shape, std::size_t rank, std::array<std::size_t, 2> axes, std::array<std::size_t, 2> grid) {
  Part part{.first = Shape(shape.size(), 0), .count = shape};
  if (axes[0] == axes[1]) {
    narrow(part, axes[0], rank, grid[0] * grid[1]);
  } else {
    narrow(part, axes[0], rank / grid[1], grid[0]);
    narrow(part, axes[1], rank % grid[1], grid[1]);
  }
  return part;
}

std::string written_alone(const std::filesystem::path& path, const Shape& shape, Number type) {
  FileWriter file(path, 4);
  file.array("group/whole", whole(shape), shape, type);
  file.attribute("group", "one", std::array{1.0});
  file.commit();
  return test::content(path);
}

TEST(Parts, OfAllRanksMakeTheFileOfOne) {
  const test::Scratch scratch;
  struct Division {
    Shape shape;
    std::array<std::size_t, 2> axes;
    std::array<std::size_t, 2> grid;
  };
  // The first has several rows to a chunk, the second one row; the last divides 3 rows among 4 ranks.
  for (const auto& [shape, axes, grid] :
       {Division{{13, 6, 5, 2}, {0, 1}, {2, 2}}, Division{{5, 300, 301}, {0, 1}, {1, 4}},
        Division{{5, 300, 301}, {0, 2}, {2, 2}}, Division{{7, 4, 6}, {1, 2}, {2, 2}},
        Division{{3, 8}, {0, 0}, {4, 1}}}) {
    for (const Number type : {Number::float64, Number::float32}) {
      const std::string expected = written_alone(scratch / "alone.hdf5", shape, type);
      const auto path = scratch / "together.hdf5";
      comm::testing::on_ranks(4, [&, &shape = shape, &axes = axes, &grid = grid](comm::Communicator& ranks) {
        const Part mine = part_of(shape, number(ranks.rank()), axes, grid);
        FileWriter file(path, 4, ranks);
        file.part("group/whole", shape, type, mine, cut(shape, mine));
        file.attribute("group", "one", std::array{1.0});
        EXPECT_EQ(file.commit() > 0, ranks.rank() == comm::RankId{0});
      });
      EXPECT_EQ(test::content(path), expected) << shape.size() << " axes";
    }
  }
}

TEST(Parts, AreTheWholeOfARankThatIsAlone) {
  const test::Scratch scratch;
  const Shape shape{9, 4, 2};
  FileWriter file(scratch / "alone.hdf5", 4);
  file.part("group/whole", shape, Number::float64, {.first = {0, 0, 0}, .count = shape}, whole(shape));
  file.attribute("group", "one", std::array{1.0});
  file.commit();
  EXPECT_EQ(test::content(scratch / "alone.hdf5"), written_alone(scratch / "array.hdf5", shape, Number::float64));
}

TEST(Parts, AreReadBackFromAnyPlace) {
  const test::Scratch scratch;
  const Shape shape{7, 5, 3, 2};
  written_alone(scratch / "file.hdf5", shape, Number::float64);
  const FileReader file(scratch / "file.hdf5");
  for (const Part& part : {Part{{0, 0, 0, 0}, shape}, Part{{2, 0, 1, 0}, {3, 5, 2, 2}},
                           Part{{6, 4, 2, 1}, {1, 1, 1, 1}}, Part{{3, 0, 0, 0}, {0, 5, 3, 2}}}) {
    std::vector<double> values(part.size());
    file.read_part("group/whole", part, values);
    EXPECT_EQ(values, cut(shape, part));
  }
}

TEST(Parts, BeyondTheArrayAreRefused) {
  const test::Scratch scratch;
  written_alone(scratch / "file.hdf5", {7, 5}, Number::float64);
  const FileReader file(scratch / "file.hdf5");
  const auto message = [&](const Part& part) {
    std::vector<double> values(part.size());
    return test::message_of<base::FormatError>([&] { file.read_part("group/whole", part, values); });
  };
  const std::string start = (scratch / "file.hdf5").string() + ": group/whole has shape (7, 5), expected ";
  EXPECT_EQ(message({{0, 3}, {7, 3}}), start + "(7, 3) elements from (0, 3) on");
  EXPECT_EQ(message({{8, 0}, {0, 5}}), start + "(0, 5) elements from (8, 0) on");
  EXPECT_EQ(message({{0}, {7}}), start + "(7) elements from (0) on");
}

}  // namespace
}  // namespace tacit::io::parts_test
