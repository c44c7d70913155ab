// Layouts, and the memory that ranks share: found again, given back, gone with its process.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "tacit/comm/detail/arena.hpp"
#include "tacit/comm/layout.hpp"

namespace tacit::comm::testing {
namespace {

TEST(CommLayout, BlocksAreGatheredAndScattered) {
  std::array<std::byte, 20> memory{};
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::byte>(i);
  const Layout layout = layout_of(Strided<std::byte>{memory.data(), 4, 2, 5});
  EXPECT_EQ(layout.bytes(), 8U);
  std::array<std::byte, 8> packed{};
  gather(layout, 7, packed.data());
  EXPECT_EQ(packed, (std::array<std::byte, 8>{std::byte{0}, std::byte{1}, std::byte{5}, std::byte{6}, std::byte{10},
                                              std::byte{11}, std::byte{15}, std::byte{0}}));
  std::array<std::byte, 20> other{};
  scatter(packed.data(), 3, {other.data(), 4, 2, 5});
  EXPECT_EQ(other[1], std::byte{1});
  EXPECT_EQ(other[5], std::byte{5});
  EXPECT_EQ(other[6], std::byte{0});
}

TEST(CommLayout, BlocksWithoutGapsAreOnePiece) {
  std::array<double, 6> memory{};
  EXPECT_TRUE(layout_of(Strided<double>{memory.data(), 3, 2, 2}).is_contiguous());
  EXPECT_FALSE(layout_of(Strided<double>{memory.data(), 2, 2, 3}).is_contiguous());
}

TEST(CommArena, PiecesAreAlignedApartAndUsedAgain) {
  shm::Arena arena;
  std::vector<detail::Piece> pieces;
  for (const std::size_t bytes : {1U, 128U, 129U, 5000U}) pieces.push_back(arena.allocate(bytes));
  for (const auto& piece : pieces) EXPECT_EQ(reinterpret_cast<std::uintptr_t>(piece.data) % 128, 0U);
  for (std::size_t i = 1; i < pieces.size(); ++i) EXPECT_GE(pieces[i].data, pieces[i - 1].data + 128);
  EXPECT_EQ(pieces[0].place.inode, pieces[3].place.inode) << "one segment holds many pieces";
  // In any order: neighbours become one again.
  for (const std::size_t i : {1U, 3U, 0U, 2U}) arena.release(pieces[i]);
  EXPECT_EQ(arena.allocate(6000).data, pieces[0].data);
}

TEST(CommArena, GrowsGeometrically) {
  shm::Arena arena;
  const auto first = arena.allocate(1000);
  const auto large = arena.allocate(std::size_t{3} << 20U);
  const auto next = arena.allocate(std::size_t{1} << 20U);
  EXPECT_NE(first.place.inode, large.place.inode);
  EXPECT_GE(large.place.length, std::uint64_t{3} << 20U);
  EXPECT_NE(next.place.inode, large.place.inode);
  EXPECT_GE(next.place.length, 2 * large.place.length);
}

TEST(CommArena, AnotherProcessMapsTheSameMemory) {
  shm::Segment segment(4096);
  std::strcpy(reinterpret_cast<char*>(segment.data()), "from the parent");
  const pid_t child = fork();
  if (child == 0) {
    const shm::Segment mapped(getppid(), segment.place(0));
    const bool is_same = std::strcmp(reinterpret_cast<const char*>(mapped.data()), "from the parent") == 0;
    std::strcpy(reinterpret_cast<char*>(mapped.data()), "from the child");
    _exit(is_same && mapped.data() != segment.data() ? 0 : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_STREQ(reinterpret_cast<const char*>(segment.data()), "from the child");
}

TEST(CommArena, AnotherFileIsNotTakenForTheOneAnnounced) {
  const shm::Segment segment(4096);
  detail::Place place = segment.place(0);
  ++place.inode;
  EXPECT_THROW(shm::Segment(getpid(), place), base::SystemError);
  place = segment.place(0);
  place.file = 1'000'000;
  EXPECT_THROW(shm::Segment(getpid(), place), base::SystemError);
}

/// Of this process alone: others come and go in /dev/shm as they like.
TEST(CommArena, FilesHaveNoName) {
  const shm::Segment segment(4096);
  std::ifstream maps("/proc/self/maps");
  bool is_mapped = false;
  for (std::string line; std::getline(maps, line);) {
    const std::size_t begin = line.find('-');
    const auto address = std::strtoull(line.c_str(), nullptr, 16);
    const auto end = std::strtoull(line.c_str() + begin + 1, nullptr, 16);
    const auto wanted = reinterpret_cast<std::uintptr_t>(segment.data());
    if (wanted < address || wanted >= end) continue;
    is_mapped = true;
    EXPECT_NE(line.find("(deleted)"), std::string::npos) << line;
  }
  EXPECT_TRUE(is_mapped);
}

}  // namespace
}  // namespace tacit::comm::testing
