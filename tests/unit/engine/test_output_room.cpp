// What the next file is expected to take, and whether there is room for it.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "../io/scratch.hpp"
#include "tacit/engine/output_room.hpp"

namespace tacit::engine::room_test {
namespace {

constexpr std::uint64_t too_much = std::uint64_t{1} << 60U;

TEST(OutputRoom, ExpectsWhatTheLastOfItsKindTook) {
  const test::Scratch scratch;
  test::put(scratch / "a_0", std::string(1000, 'x'));
  OutputRoom room;
  const ExpectedFile next{.kind = "a", .path = scratch / "a_1", .bytes = 10};
  EXPECT_EQ(room.needed(next), 10U);  // nothing else is known
  room.note("a", scratch / "a_0");
  EXPECT_EQ(room.needed(next), 1000U);
  EXPECT_EQ(room.needed({.kind = "b", .path = scratch / "b"}), 0U);
  EXPECT_EQ(room.needed({.kind = "a", .path = scratch / "a_1", .bytes = 3000}), 3000U);
  EXPECT_EQ(room.needed({.kind = "a", .path = scratch / "a_1", .bytes = 3000, .is_compressed = true}), 800U);
  EXPECT_EQ(room.needed({.kind = "b", .path = scratch / "b_1", .bytes = 3000, .is_compressed = true}), 3000U);
}

TEST(OutputRoom, RemembersTheOneBeforeWhileTheLastIsOnItsWay) {
  const test::Scratch scratch;
  test::put(scratch / "a_0", std::string(1000, 'x'));
  OutputRoom room;
  room.note("a", scratch / "a_0");
  room.give({.kind = "a", .path = scratch / "a_1"}, false);
  EXPECT_EQ(room.needed({.kind = "a", .path = scratch / "a_2"}), 1000U);
  test::put(scratch / "a_1", std::string(500, 'x'));
  EXPECT_EQ(room.needed({.kind = "a", .path = scratch / "a_2"}), 500U);
}

TEST(OutputRoom, CountsFilesOnTheirWay) {
  const test::Scratch scratch;
  OutputRoom room;
  room.give({.kind = "a", .path = scratch / "a", .bytes = 100}, false);
  room.give({.kind = "b", .path = scratch / "b", .bytes = 20}, true);
  EXPECT_EQ(room.waiting(true), 120U);
  EXPECT_EQ(room.waiting(false), 0U);
  room.give({.kind = "b", .path = scratch / "b", .bytes = 3}, false);
  EXPECT_EQ(room.waiting(true), 3U);
}

TEST(OutputRoom, SaysWhatIsMissing) {
  const test::Scratch scratch;
  const OutputRoom room;
  EXPECT_EQ(room.shortage({.kind = "a", .path = scratch / "a", .bytes = 1}), "");
  const std::string bound =
      room.shortage({.kind = "a", .path = scratch / "a", .bytes = too_much, .is_compressed = true});
  EXPECT_TRUE(
      bound.ends_with("\n  Needed is what it has before compression: how far it shrinks is known once there "
                      "is one."))
      << bound;
  const std::string said = room.shortage({.kind = "a", .path = scratch / "a", .bytes = too_much});
  EXPECT_TRUE(said.starts_with((scratch / "a").string() + ": cannot be written: needs 1.2 EB, ")) << said;
  EXPECT_NE(room.shortage({.kind = "a", .path = scratch / "a", .bytes = 1}, too_much), "");
  EXPECT_EQ(room.shortage({.kind = "a", .path = "/no/such/folder/a", .bytes = too_much}), "");  // it is not known
}

}  // namespace
}  // namespace tacit::engine::room_test
