// Ranks that meet at set-up: what they announce, the memory that they share, and when that is given back.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "tacit/comm/connections/rendezvous.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::comm::testing {
namespace rendezvous {

using Rendezvous = detail::SharedRendezvous<std::uint64_t>;

std::string what() { return "thing 7"; }

void announce_to_all(Rendezvous& rendezvous, Communicator& world, std::uint64_t mine) {
  for (const RankInfo& info : world.ranks()) {
    if (info.rank != world.rank()) rendezvous.announce(info.rank, mine);
  }
}

TEST(CommRendezvous, PeersFindWhatEachHasAndItsMemory) {
  on_ranks(3, [](Communicator& world) {
    Rendezvous rendezvous(world.core(), world.core().next_collective(), 8);
    std::memset(rendezvous.data(), 'a' + static_cast<int>(number(world.rank())), 8);
    announce_to_all(rendezvous, world, 10 + number(world.rank()));
    for (const RankInfo& info : world.ranks()) {
      if (info.rank == world.rank()) continue;
      const auto [place, record] = rendezvous.await(info.rank, what);
      EXPECT_EQ(record, 10 + number(info.rank));
      EXPECT_EQ(*rendezvous.map(info.rank, place, what), std::byte('a' + number(info.rank)));
    }
  });
}

TEST(CommRendezvous, MemoryIsGivenBackWhenAllHaveClosed) {
  on_ranks(3, [](Communicator& world) {
    const auto make = [&](const Rendezvous*& made, std::optional<Rendezvous>& rendezvous) {
      rendezvous.emplace(world.core(), world.core().next_collective(), 64);
      announce_to_all(*rendezvous, world, 0);
      made = &*rendezvous;
    };
    const auto sweep = [&] { static_cast<void>(world.core().next_connection({.rank = world.rank()})); };
    std::optional<Rendezvous> first;
    const Rendezvous* made = nullptr;
    make(made, first);
    const std::byte* const memory = made->data();
    std::optional<Rendezvous> kept;
    world.synchronise();
    if (number(world.rank()) != 2) first.reset();
    world.synchronise();
    sweep();
    make(made, kept);
    EXPECT_NE(made->data(), memory) << "rank 2 may still use it";
    world.synchronise();
    first.reset();
    world.synchronise();
    sweep();
    std::optional<Rendezvous> again;
    make(made, again);
    EXPECT_EQ(made->data(), memory);
    world.synchronise();
  });
}

TEST(CommRendezvous, AnnouncementsAreTakenInTheOrderInWhichTheyCome) {
  on_ranks(3, [](Communicator& world) {
    const SetupKey key{77, 0, 0};
    if (number(world.rank()) != 0) {
      if (number(world.rank()) == 1) world.synchronise();  // rank 2 has been heard
      detail::announce(world.core(), RankId{0}, key, number(world.rank()));
      if (number(world.rank()) == 2) world.synchronise();
      return world.synchronise();
    }
    std::vector<std::uint32_t> heard;
    detail::await_announced(
        world.core(), {RankId{1}, RankId{2}},
        [&](RankId peer) {
          const auto record = detail::find_announced<std::uint32_t>(world.core(), peer, key);
          if (record) heard.push_back(*record);
          if (record == 2U) world.synchronise();
          return record.has_value();
        },
        what);
    EXPECT_EQ(heard, (std::vector<std::uint32_t>{2, 1}));
    world.synchronise();
  });
}

}  // namespace rendezvous
}  // namespace tacit::comm::testing
