// Migration: none is lost, each comes once, to its owner, in an order that ranks do not change.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <mutex>
#include <numeric>
#include <string>
#include <vector>

#include "tacit/comm/error.hpp"
#include "unit/comm/quiet_steps.hpp"
#include "unit/comm/ranks.hpp"
#include "unit/exchange/travellers.hpp"

namespace tacit::exchange::migration_test {

using testing::domain_of;
using testing::domains;
using testing::Neighbours;
using testing::neighbours_of;
using testing::owner_of;
using testing::Traveller;

/// Runs something on each of several ranks, which has a scheduler.
void on_ranks(std::size_t ranks, const std::function<void(comm::Communicator&, tasks::Scheduler&)>& function) {
  comm::testing::on_ranks(ranks, [&](comm::Communicator& world) {
    trace::Recorder recorder(1);
    tasks::Scheduler scheduler(1, recorder);
    function(world, scheduler);
    world.synchronise();
  });
}

/// The IDs that came to each domain in each turn, in order.
using Sequences = std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<std::uint64_t>>;

Sequences travel(std::size_t ranks, std::uint64_t count, std::uint64_t turns, Neighbours kind,
                 const MigrationOptions& options = {}) {
  Sequences sequences;
  std::mutex mutex;
  on_ranks(ranks, [&](comm::Communicator& world, tasks::Scheduler& scheduler) {
    Migration<Traveller> migration(world, scheduler, neighbours_of(kind, world), options);
    std::vector<Traveller> mine = testing::born_on(world.rank(), ranks, count);
    for (std::uint64_t turn = 1; turn <= turns; ++turn) {
      testing::move_on(mine, migration, ranks);
      ASSERT_EQ(testing::faults(mine, world.rank(), ranks, count, turn), "");
      std::ranges::sort(mine, {}, &Traveller::id);
      const std::lock_guard guard(mutex);
      for (const Traveller& one : mine) sequences[{turn, domain_of(one.id, turn)}].push_back(one.id);
    }
  });
  return sequences;
}

TEST(ExchangeMigration, RandomElementsFindTheirOwners) {
  const std::uint64_t count = std::getenv("TACIT_TEST_FULL") != nullptr ? 1000000 : 100000;
  const Sequences expected = travel(1, count, 2, Neighbours::all);
  EXPECT_EQ(expected.size(), 2 * domains);
  for (const std::size_t ranks : {2U, 3U, 4U}) EXPECT_EQ(travel(ranks, count, 2, Neighbours::all), expected) << ranks;
}

TEST(ExchangeMigration, FarFlyersArriveWhateverTheNeighbours) {
  const Sequences expected = travel(1, 3000, 4, Neighbours::all);
  for (const Neighbours kind : {Neighbours::ring, Neighbours::none}) {
    for (const std::size_t ranks : {2U, 3U, 4U}) {
      EXPECT_EQ(travel(ranks, 3000, 4, kind), expected) << ranks;
    }
  }
}

TEST(ExchangeMigration, RoomForLessThanAnElementIsEnough) {
  const Sequences expected = travel(1, 60, 2, Neighbours::all);
  for (const Neighbours kind : {Neighbours::all, Neighbours::none}) {
    EXPECT_EQ(travel(3, 60, 2, kind, {.round_bytes = 24, .far_bytes = 8}), expected);
  }
}

TEST(ExchangeMigration, ArrivalsComeByIdOrByRank) {
  for (const Arrivals order : {Arrivals::by_id, Arrivals::by_arrival}) {
    on_ranks(3, [&](comm::Communicator& world, tasks::Scheduler& scheduler) {
      Migration<std::uint64_t> migration(world, scheduler, neighbours_of(Neighbours::ring, world), {.arrivals = order});
      // Rank r has 9 - r, 6 - r and 3 - r for each rank, itself too; added to what tells owners apart.
      for (std::uint32_t owner = 0; owner < 3; ++owner) {
        for (std::uint64_t id = 9 - number(world.rank()); id <= 9; id -= 3) {
          migration.leave(comm::RankId{owner}, id + 100 * owner, id);
        }
      }
      std::vector<std::uint64_t> came;
      migration.finish([&](std::uint64_t id) { came.push_back(id); });
      if (order == Arrivals::by_id) {
        EXPECT_EQ(came, (std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
      } else {
        EXPECT_EQ(came, (std::vector<std::uint64_t>{9, 6, 3, 0, 8, 5, 2, 7, 4, 1}));
      }
    });
  }
}

/// A tail of as many doubles as the ID says, from none to some that fill many rounds.
std::vector<double> tail_of(std::uint64_t id) {
  std::vector<double> tail(id % 7 == 0 ? 10 * id : id % 5);
  std::iota(tail.begin(), tail.end(), static_cast<double>(id));
  return tail;
}

TEST(ExchangeMigration, RecordsOfAnyLengthTravel) {
  for (const Neighbours kind : {Neighbours::all, Neighbours::ring, Neighbours::none}) {
    for (const std::size_t ranks : {1U, 2U, 4U}) {
      on_ranks(ranks, [&](comm::Communicator& world, tasks::Scheduler& scheduler) {
        RecordMigration<std::array<float, 3>> migration(world, scheduler, neighbours_of(kind, world),
                                                        {.round_bytes = 2000, .far_bytes = 8000});
        constexpr std::uint64_t count = 120;
        for (std::uint64_t turn = 0; turn < 3; ++turn) {
          for (std::uint64_t id = 0; id < count; ++id) {
            if (owner_of(domain_of(id, turn), ranks) != world.rank()) continue;
            const std::vector<double> tail = tail_of(id);
            migration.leave(owner_of(domain_of(id, turn + 1), ranks), id, {static_cast<float>(id), 1.0F, 2.0F},
                            std::as_bytes(std::span(tail)).first(tail.size() * 8 - (tail.empty() ? 0 : id % 8)));
          }
          std::vector<std::uint64_t> came;
          migration.finish([&](std::uint64_t id, const std::array<float, 3>& head, std::span<const std::byte> bytes) {
            came.push_back(id);
            EXPECT_EQ(head, (std::array{static_cast<float>(id), 1.0F, 2.0F}));
            const std::vector<double> tail = tail_of(id);
            ASSERT_EQ(bytes.size(), tail.size() * 8 - (tail.empty() ? 0 : id % 8));
            EXPECT_EQ(reinterpret_cast<std::uintptr_t>(bytes.data()) % alignof(double), 0U);
            EXPECT_TRUE(std::ranges::equal(bytes, std::as_bytes(std::span(tail)).first(bytes.size())));
          });
          std::vector<std::uint64_t> expected;
          for (std::uint64_t id = 0; id < count; ++id) {
            if (owner_of(domain_of(id, turn + 1), ranks) == world.rank()) expected.push_back(id);
          }
          EXPECT_EQ(came, expected);
          if (ranks == 4 && kind == Neighbours::all) {
            EXPECT_GT(migration.rounds(), 3U);
            EXPECT_EQ(migration.far_rounds(), 0U);
          }
        }
      });
    }
  }
}

TEST(ExchangeMigration, RoundsAreAsFewAsPossible) {
  on_ranks(3, [&](comm::Communicator& world, tasks::Scheduler& scheduler) {
    // An element takes 16 B.
    Migration<std::uint64_t> migration(world, scheduler, neighbours_of(Neighbours::ring, world), {.round_bytes = 160});
    const auto send = [&](std::uint64_t count) {
      if (number(world.rank()) == 0) {
        for (std::uint64_t id = 0; id < count; ++id) migration.leave(comm::RankId{2}, id, id);
      }
      std::size_t came = 0;
      migration.finish([&](std::uint64_t /*element*/) { ++came; });
      EXPECT_EQ(came, number(world.rank()) == 2 ? count : 0);
      return migration.rounds();
    };
    EXPECT_EQ(send(0), 1U);
    EXPECT_EQ(send(10), 1U);
    EXPECT_EQ(send(11), 2U);
    EXPECT_EQ(send(101), 11U);
    migration.set_neighbours({});
    EXPECT_EQ(send(10), 1U);
    EXPECT_EQ(migration.far_rounds(), 1U);
    migration.set_neighbours(neighbours_of(Neighbours::all, world));
    EXPECT_EQ(send(11), 2U);
    EXPECT_EQ(migration.far_rounds(), 0U);
  });
}

TEST(ExchangeMigration, AnElementThatIsLostIsAnError) {
  for (const Neighbours kind : {Neighbours::ring, Neighbours::none}) {
    on_ranks(4, [&](comm::Communicator& world, tasks::Scheduler& scheduler) {
      Migration<std::uint64_t> migration(world, scheduler, neighbours_of(kind, world));
      const std::uint64_t own = number(world.rank());
      const auto send = [&] {
        for (std::uint64_t i = 0; i < 5; ++i)
          migration.leave(comm::RankId{(number(world.rank()) + 1) % 4}, 5 * own + i, i);
        migration.finish([](std::uint64_t /*element*/) {});
      };
      send();
      if (own == 2) migration.core().lose(8);
      std::string text = "nothing was thrown";
      try {
        send();
      } catch (const base::Error& error) {
        text = error.what();
      }
      EXPECT_NE(text.find("migration of uint64 to"), std::string::npos) << text;
      EXPECT_NE(text.find("20 have left, 19 have come"), std::string::npos) << text;
      world.synchronise();
    });
  }
}

TEST(ExchangeMigration, WrongArgumentsAreNamed) {
  on_ranks(2, [](comm::Communicator& world, tasks::Scheduler& scheduler) {
    Migration<std::uint64_t> migration(world, scheduler);
    EXPECT_THROW(migration.leave(comm::RankId{2}, 0, 0), base::PreconditionError);
    const std::vector<comm::RankId> none{comm::RankId{5}};
    EXPECT_THROW(migration.set_neighbours(none), base::PreconditionError);
  });
  on_ranks(2, [](comm::Communicator& world, tasks::Scheduler& scheduler) {
    const std::vector<comm::RankId> other{comm::RankId{1}};
    const std::span<const comm::RankId> mine = number(world.rank()) == 0 ? std::span(other) : std::span(other).first(0);
    EXPECT_THROW(Migration<std::uint64_t>(world, scheduler, mine), comm::MismatchError);
  });
}

TEST(ExchangeMigration, NothingLeavesWhereNeighboursDisagree) {
  on_ranks(2, [](comm::Communicator& world, tasks::Scheduler& scheduler) {
    const std::vector<comm::RankId> other{comm::RankId{1}};
    const std::span<const comm::RankId> mine = number(world.rank()) == 0 ? std::span(other) : std::span(other).first(0);
    Migration<std::uint64_t> migration(world, scheduler);
    EXPECT_THROW(migration.set_neighbours(mine), comm::MismatchError);
    std::vector<std::uint64_t> elements{number(world.rank())};
    const auto migrate = [&] {
      migration.migrate(
          elements, [](std::uint64_t) { return comm::RankId{1}; }, [](std::uint64_t id) { return id; });
    };
    EXPECT_THROW(migrate(), base::PreconditionError);
    migration.set_neighbours({});
    migrate();
    EXPECT_EQ(elements.size(), number(world.rank()) == 0 ? 0U : 2U);
  });
}

TEST(ExchangeMigration, WithoutAnOwnerNothingLeaves) {
  on_ranks(2, [](comm::Communicator& world, tasks::Scheduler& scheduler) {
    Migration<std::uint64_t> migration(world, scheduler);
    const std::uint64_t own = number(world.rank());
    std::vector<std::uint64_t> elements{10 * own, 10 * own + 1, 10 * own + 2};
    const std::vector<std::uint64_t> before = elements;
    const auto migrate_by = [&](std::uint32_t last_owner) {
      migration.migrate(
          elements, [=](std::uint64_t id) { return comm::RankId{id % 10 == 2 ? last_owner : 1U}; },
          [](std::uint64_t id) { return id; });
    };
    EXPECT_THROW(migrate_by(7), base::PreconditionError);
    EXPECT_EQ(elements, before);
    migrate_by(0);
    EXPECT_EQ(elements, own == 0 ? (std::vector<std::uint64_t>{2, 12}) : (std::vector<std::uint64_t>{10, 11, 0, 1}));
  });
}

TEST(ExchangeMigration, AllocatesNothingAfterTheFirst) {
  on_ranks(2, [](comm::Communicator& world, tasks::Scheduler& scheduler) {
    Migration<Traveller> migration(world, scheduler, neighbours_of(Neighbours::ring, world), {.round_bytes = 4000});
    std::vector<Traveller> mine;
    mine.reserve(1000);
    for (std::uint64_t id = 0; id < 200; ++id) mine.push_back({.id = 1000 * number(world.rank()) + id});
    // All go to the other rank, and come back with the next step.
    comm::testing::expect_no_allocations(world, [&] {
      for (int turn = 0; turn < 2; ++turn) {
        migration.migrate(
            mine, [&](const Traveller&) { return comm::RankId{1 - number(world.rank())}; },
            [](const Traveller& one) { return one.id; });
      }
    });
    EXPECT_GT(migration.rounds(), 1U);
    EXPECT_GT(migration.memory_bytes(), 0U);
  });
}

}  // namespace tacit::exchange::migration_test
