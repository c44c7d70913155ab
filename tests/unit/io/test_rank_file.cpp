// Plain files of several ranks: whole, in their order or at their places, or absent.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "../comm/ranks.hpp"
#include "scratch.hpp"
#include "tacit/base/error.hpp"
#include "tacit/io/rank_file.hpp"

namespace tacit::io {
namespace {

namespace fs = std::filesystem;
using comm::testing::on_ranks;

/// What rank r says: nothing on rank 1, so that one of several has nothing.
std::string lines_of(std::size_t rank) {
  std::string text;
  for (std::size_t i = 0; i < (rank == 1 ? 0 : 3 + rank); ++i) text += std::to_string(1000 * rank + i) + "\n";
  return text;
}

TEST(RankFile, HasTextInTheOrderOfRanks) {
  const test::Scratch folder;
  for (const std::size_t ranks : {1U, 2U, 4U}) {
    std::string expected = "header\n";
    std::vector<std::uint64_t> begins;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      begins.push_back(expected.size());
      expected += lines_of(rank);
    }
    on_ranks(ranks, [&](comm::Communicator& world) {
      const std::size_t rank = number(world.rank());
      RankFile file(folder / "text", world);
      EXPECT_EQ(file.append(rank == 0 ? "header\n" : ""), rank == 0 ? 0 : 7);
      EXPECT_EQ(file.append(lines_of(rank)), begins[rank]);
      EXPECT_EQ(file.commit(), expected.size());
      EXPECT_EQ(test::content(folder / "text"), expected);
    });
    EXPECT_EQ(test::entries(folder.path()), 1U) << ranks;
  }
}

TEST(RankFile, HasNumbersAtTheirPlaces) {
  const test::Scratch folder;
  constexpr std::size_t rows = 101;
  std::vector<std::uint64_t> all(3 * rows);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i * i;
  const auto bytes = std::as_bytes(std::span(all));
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  for (const std::size_t ranks : {1U, 2U, 4U}) {
    on_ranks(ranks, [&](comm::Communicator& world) {
      const std::size_t rank = number(world.rank());
      RankFile file(folder / "raw", world);
      for (std::size_t row = rank; row < rows; row += ranks) file.write(24 * row, bytes.subspan(24 * row, 24));
      EXPECT_EQ(file.append(std::string_view(rank == 0 ? "end" : "")), text.size() + (rank == 0 ? 0 : 3));
      EXPECT_EQ(file.commit(), text.size() + 3);
    });
    EXPECT_EQ(test::content(folder / "raw"), text + "end");
  }
}

TEST(RankFile, CountsBeyondTwoGiga) {
  const test::Scratch folder;
  constexpr std::uint64_t far = (std::uint64_t{5} << 30) + 1;
  on_ranks(2, [&](comm::Communicator& world) {
    RankFile file(folder / "large", world);  // almost all of it a hole
    const bool is_first = world.rank() == comm::RankId{0};
    if (is_first) file.write(far - 1, std::as_bytes(std::span("x", 1)));
    EXPECT_EQ(file.append("ab"), is_first ? far : far + 2);
    EXPECT_EQ(file.commit(), far + 4);
  });
  EXPECT_EQ(fs::file_size(folder / "large"), far + 4);
  std::ifstream file(folder / "large", std::ios::binary);
  file.seekg(static_cast<std::streamoff>(far - 1));
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "xabab");
}

TEST(RankFile, WithoutCommitNothingIsLeft) {
  const test::Scratch folder;
  test::put(folder / "text", "before");
  on_ranks(2, [&](comm::Communicator& world) {
    {
      RankFile file(folder / "text", world);
      file.append("new");
    }
    world.synchronise();
    EXPECT_EQ(test::content(folder / "text"), "before");
    EXPECT_EQ(test::entries(folder.path()), 1U);
  });
}

TEST(RankFile, AFailureOfOneRankIsSaidByAll) {
  const test::Scratch folder;
  test::put(folder / "text", "before");
  for (const std::size_t ranks : {1U, 4U}) {
    const auto failing = static_cast<std::uint32_t>(ranks - 1);
    std::atomic<int> said = 0;
    on_ranks(ranks, [&](comm::Communicator& world) {
      RankFile file(folder / "text", world);
      file.append("new");
      // Beyond what any file can be.
      if (number(world.rank()) == failing) file.write(std::uint64_t{1} << 62, std::as_bytes(std::span("x", 1)));
      const std::string message = test::message_of<base::SystemError>([&] { file.commit(); });
      const std::string named = ranks == 1 ? "" : "rank " + std::to_string(failing) + ": ";
      EXPECT_TRUE(message.starts_with((folder / "text").string() + ": " + named + "cannot be written")) << message;
      ++said;
    });
    EXPECT_EQ(said, static_cast<int>(ranks));
    EXPECT_EQ(test::content(folder / "text"), "before");
    EXPECT_EQ(test::entries(folder.path()), 1U);
  }
}

TEST(RankFile, PlacesWhereNoFileCanBeAreNamedByAll) {
  const test::Scratch folder;
  fs::create_directory(folder / "folder");
  on_ranks(3, [&](comm::Communicator& world) {
    for (const char* name : {"nowhere/text", "folder"}) {
      RankFile file(folder / name, world);
      file.append("text");
      const std::string message = test::message_of<base::SystemError>([&] { file.commit(); });
      EXPECT_TRUE(message.starts_with((folder / name).string() + ": rank 0: cannot be written")) << message;
    }
  });
  EXPECT_EQ(test::entries(folder.path()), 1U);
}

TEST(RankFile, ARankThatDoesNotSeeTheFolderIsNamed) {
  const test::Scratch folder;
  const test::Scratch other;
  on_ranks(3, [&](comm::Communicator& world) {
    const bool is_elsewhere = number(world.rank()) == 2;  // under the same name, as where a folder is of a node
    RankFile file((is_elsewhere ? other : folder) / "text", world);
    file.append("text");
    const std::string message = test::message_of<base::SystemError>([&] { file.commit(); });
    EXPECT_NE(message.find("/text: rank 2: cannot be written"), std::string::npos) << message;
    EXPECT_NE(message.find("No such file or directory"), std::string::npos) << message;
  });
  EXPECT_EQ(test::entries(folder.path()), 0U);
  EXPECT_EQ(test::entries(other.path()), 0U);
}

}  // namespace
}  // namespace tacit::io
