// Objects that move: where they are found, when they leave, what is refused.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tacit/actions/actions.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/tasks/when.hpp"
#include "tacit/trace/trace.hpp"
#include "unit/actions/rover.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::actions::moves_test {
namespace {

using comm::RankId;
using comm::testing::on_ranks;
using testing::Rover;

template <class Function>
std::string message_of(Function&& function) {
  try {
    function();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "no error";
}

// The rover of rank 0 goes round twice. Each rank that calls it finds it, whatever it has known; the second call goes
// straight.
TEST(ActionMoves, HandlesLeadToWhereTheObjectIs) {
  constexpr std::uint32_t ranks = 4;
  std::atomic<std::uint64_t> sent_on{0};
  on_ranks(ranks, [&](comm::Communicator& world) {
    trace::Recorder recorder(1, 1024);
    tasks::Scheduler scheduler(1, recorder);
    Table table;
    testing::add_rover(table);
    Actions actions(world, scheduler, table);
    const Handle<Rover> own = actions.make<Rover>(std::size_t{ranks}, std::size_t{200'000});
    const Handle<Rover> rover{RankId{0}, own.id};
    actions.quiet();
    std::uint64_t sequence = 0;
    for (std::uint32_t i = 1; i <= 2 * ranks; ++i) {
      const RankId to{i % ranks};
      if (number(world.rank()) == (i + 1) % ranks) actions.move(rover, to).get();
      actions.quiet();
      if (i % 3 != number(world.rank()) % 3) {  // some do not ask: the ways of their next calls are longer
        EXPECT_EQ(number(actions.call<&Rover::where>(rover).get()), number(to));
        actions.call<&Rover::note>(rover, sequence++, 1U, 0U).get();
      }
      actions.quiet();
    }
    EXPECT_EQ(actions.call<&Rover::where>(rover).get(), RankId{0});  // all learn where it is
    actions.quiet();
    const std::uint64_t after = actions.forwards();
    EXPECT_EQ(actions.call<&Rover::where>(rover).get(), RankId{0});
    actions.quiet();
    EXPECT_EQ(actions.forwards(), after) << "a rank that was told sends to an old owner";
    sent_on += after;
    if (number(world.rank()) == 0) {
      const auto report = actions.local(rover)->report();
      EXPECT_EQ(report[2], 0U);
      EXPECT_EQ(report[3], 200'000U);
    } else {
      EXPECT_THROW(static_cast<void>(actions.local(rover)), ObjectError);
    }
    actions.quiet();
  });
  EXPECT_GT(sent_on, 0U);
}

// ---- when it leaves
// --------------------------------------------------------------------------------------------------

std::optional<tasks::Promise<void>> gate;

void open_gate() { gate->set_value(); }

/// A number that is changed before and after a wait.
class Guest : public Movable {
 public:
  tasks::Task<RankId> stay(Context context) {
    ++number_;
    co_await gate->future();
    ++number_;
    co_return context.actions().rank();
  }
  [[nodiscard]] int number() const { return number_; }
  void leave(Context context, Handle<Guest> self) { context.actions().remove(self); }
  static constexpr auto record() noexcept { return base::record("guest", base::member("number", &Guest::number_)); }

 private:
  int number_ = 0;
};

Table table_of_guests() {
  Table table;
  table.add_object<Guest>("guest");
  table.add<&Guest::stay>("guest: stay");
  table.add<&Guest::number>("guest: number");
  table.add<&Guest::leave>("guest: leave");
  table.add<&open_gate>("open the gate");
  return table;
}

TEST(ActionMoves, WaitForWhatRunsOnTheObject) {
  on_ranks(2, [&](comm::Communicator& world) {
    trace::Recorder recorder(1, 1024);
    tasks::Scheduler scheduler(1, recorder);
    Actions actions(world, scheduler, table_of_guests());
    const Handle<Guest> guest{RankId{0}, actions.make<Guest>().id};
    std::shared_ptr<Guest> keep;  // what is left behind
    if (number(world.rank()) == 0) {
      gate.emplace(scheduler);
      keep = actions.local(guest);
    }
    actions.quiet();
    if (number(world.rank()) == 1) {
      const auto staying = actions.call<&Guest::stay>(guest);
      const auto first = actions.move(guest, RankId{0});
      const auto second = actions.move(guest, RankId{1});
      EXPECT_EQ(actions.call<&Guest::number>(guest).get(), 1);  // where it still is: what runs there may wait for this
      EXPECT_FALSE(second.is_ready());
      EXPECT_THROW(static_cast<void>(actions.local(guest)), ObjectError);
      actions.send<&Guest::leave>(Handle<Guest>{RankId{1}, guest.id}, guest).ignore();  // not here: without effect
      actions.call<&open_gate>(RankId{0}).get();
      EXPECT_EQ(staying.get(), RankId{0});
      first.get();
      second.get();
      EXPECT_EQ(actions.call<&Guest::number>(guest).get(), 2);
      EXPECT_EQ(actions.local(guest)->number(), 2);
      actions.quiet();
    } else {
      actions.quiet();
      EXPECT_EQ(keep->number(), 2);
    }
  });
}

// ---- what is refused
// -------------------------------------------------------------------------------------------------

struct Unlisted : Movable {
  int number = 0;
};

TEST(ActionMoves, NameWhatIsWrong) {
  on_ranks(2, [&](comm::Communicator& world) {
    trace::Recorder recorder(1, 1024);
    tasks::Scheduler scheduler(1, recorder);
    Table table = table_of_guests();
    testing::add_rover(table);
    Actions actions(world, scheduler, table, {.longest_record = 50'000});
    EXPECT_EQ(message_of([&] { static_cast<void>(actions.make<Unlisted>()); }),
              "an object is made that is not in the table of actions");
    const auto rover = actions.make<Rover>(std::size_t{2}, std::size_t{60'000});
    const RankId other{1 - number(world.rank())};
    const std::string here = comm::describe(world.own());
    EXPECT_THROW(static_cast<void>(actions.move(rover, RankId{2})), base::PreconditionError);
    EXPECT_NE(message_of([&] { actions.move(rover, other).get(); }).find("action 'rover': the arguments take"),
              std::string::npos);
    EXPECT_EQ(actions.call<&Rover::where>(rover).get(), world.rank());  // it has stayed
    const auto guest = actions.make<Guest>();
    actions.move(guest, other).get();
    actions.quiet();
    const Handle<Guest> others{other, guest.id};
    EXPECT_TRUE(actions.remove(others));  // it is here now
    EXPECT_FALSE(actions.remove(others));
    EXPECT_FALSE(actions.remove(guest));
    actions.quiet();
    for (int i = 0; i < 2; ++i) {  // by way of the rank that made it, and straight
      const std::string gone = message_of([&] { static_cast<void>(actions.call<&Guest::number>(guest).get()); });
      EXPECT_NE(gone.find("object " + std::to_string(guest.id) + " of rank " + std::to_string(number(world.rank())) +
                          " is gone"),
                std::string::npos)
          << gone;
    }
    const std::string wrong = message_of([&] {
      static_cast<void>(actions.call<&Guest::number>(Handle<Guest>{other, rover.id}).get());
    });
    EXPECT_NE(wrong.find("object 1 of rank " + std::to_string(number(other)) + " is of another class"),
              std::string::npos)
        << wrong;
    const std::string never = message_of([&] {
      static_cast<void>(actions.call<&Guest::number>(Handle<Guest>{other, 99}).get());
    });
    EXPECT_NE(never.find("object 99 of rank " + std::to_string(number(other)) + " is gone, or was never there"),
              std::string::npos)
        << never;
    EXPECT_NE(message_of([&] { static_cast<void>(actions.local(guest)); }).find("is not here"), std::string::npos);
    actions.quiet();
  });
}

TEST(ActionMoves, AreNamedWhereTheyStall) {
  on_ranks(1, [&](comm::Communicator& world) {
    trace::Recorder recorder(1, 1024);
    tasks::Scheduler scheduler({.workers = 1, .stall_timeout_s = 0.1}, recorder);
    Actions actions(world, scheduler, table_of_guests());
    const auto guest = actions.make<Guest>();
    gate.emplace(scheduler);
    const auto staying = actions.call<&Guest::stay>(guest);
    const std::string stall = message_of([&] { static_cast<void>(staying.get()); });
    EXPECT_NE(stall.find("a caller waits for the answer of action 'guest: stay' of object 1 of rank 0 from rank 0 ("),
              std::string::npos)
        << stall;
    gate->set_value();
    static_cast<void>(staying.get());
  });
}

}  // namespace
}  // namespace tacit::actions::moves_test
