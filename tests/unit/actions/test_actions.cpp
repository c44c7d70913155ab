// Random actions between ranks that are threads; floods; what is refused.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/under_sanitizer.hpp"
#include "unit/actions/crowd.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::actions::actions_test {
namespace {

using comm::testing::on_ranks;
using testing::Crowd;

TEST(Actions, RunOnceInOrderWhateverTheyAre) {
  for (const std::size_t ranks : {1U, 2U, 4U}) {
    for (const std::size_t threads : {1U, 2U}) {
      on_ranks(ranks, [&](comm::Communicator& world) {
        Crowd(world, {.seed = 10 * ranks + threads, .calls = 400, .threads = threads}).run();
        // Small messages and short queues: records in many pieces, senders that wait, answers that hold calls back.
        Crowd(world, {.seed = threads, .calls = 100, .threads = threads, .longest = 20'000})
            .run({.message_bytes = 8192, .queue_bytes = 2000});
      });
    }
  }
}

// ---- floods
// ----------------------------------------------------------------------------------------------------------

class Sink {
 public:
  void take(std::uint64_t value) { sum_ += value; }
  [[nodiscard]] std::uint64_t sum() const noexcept { return sum_; }

 private:
  std::uint64_t sum_ = 0;
};

// Both ranks send to each other, at first while the other one computes. Bounded: what waits, and all memory behind it.
TEST(Actions, FloodBothWaysWithinBounds) {
  constexpr std::uint64_t count = 100'000;
  constexpr std::size_t queue_bytes = 64U << 10U;
  on_ranks(2, [&](comm::Communicator& world) {
    trace::Recorder recorder(1, 1024);
    tasks::Scheduler scheduler(1, recorder);
    Table table;
    table.add<&Sink::take>("take");
    Actions actions(world, scheduler, table, {.queue_bytes = queue_bytes});
    const Handle<Sink> own = actions.make<Sink>();
    const Handle<Sink> other{comm::RankId{1 - number(world.rank())}, own.id};
    world.synchronise();
    std::size_t most_waiting = 0;
    const auto flood = [&]() -> tasks::Task<> {
      for (std::uint64_t i = 0; i < count; ++i) {
        co_await actions.send<&Sink::take>(other, i);
        most_waiting = std::max(most_waiting, actions.waiting_bytes());
      }
    };
    auto flooding = tasks::spawn(scheduler, flood());
    if (number(world.rank()) == 1) std::this_thread::sleep_for(std::chrono::milliseconds(20));  // takes nothing
    flooding.get();
    actions.quiet();
    EXPECT_EQ(actions.local(own)->sum(), count * (count - 1) / 2);
    EXPECT_LE(most_waiting, queue_bytes + 100);  // one record more
  });
}

// ---- what is refused
// -------------------------------------------------------------------------------------------------

double half(double x) { return 0.5 * x; }
float half_as_float(float x) { return 0.5F * x; }
void nothing() {}
void refuse() { throw std::invalid_argument("no"); }
std::vector<char> many(std::uint64_t count) { return std::vector<char>(count); }
struct Other {
  void take(std::uint64_t) {}
};

template <class Function>
std::string message_of(Function&& function) {
  try {
    function();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "no error";
}

TEST(Actions, NameTheDifferenceOfTables) {
  std::vector<std::string> messages(3);
  on_ranks(3, [&](comm::Communicator& world) {
    trace::Recorder recorder(1, 64);
    tasks::Scheduler scheduler(1, recorder);
    Table table;
    table.add<&nothing>("nothing");
    if (number(world.rank()) == 2) {
      table.add<&half_as_float>("half");
    } else {
      table.add<&half>("half");
    }
    messages[number(world.rank())] = message_of([&] { Actions(world, scheduler, table); });
    Table less;
    less.add<&half>("half");
    if (number(world.rank()) != 1) less.add<&nothing>("nothing");
    EXPECT_NE(message_of([&] { Actions(world, scheduler, less); }).find("has none of that name"), std::string::npos);
    const std::string sizes =
        message_of([&] { Actions(world, scheduler, {}, {.queue_bytes = 1000U + number(world.rank())}); });
    EXPECT_NE(sizes.find("other options"), std::string::npos) << sizes;
  });
  EXPECT_EQ(messages[0], messages[1]);
  EXPECT_EQ(messages[0], messages[2]);
  EXPECT_NE(messages[0].find("rank 0 ("), std::string::npos) << messages[0];
  EXPECT_NE(messages[0].find("has the action 'half' (types"), std::string::npos);
  EXPECT_NE(messages[0].find("rank 2 ("), std::string::npos);
  EXPECT_NE(messages[0].find("of other types"), std::string::npos);
}

TEST(Actions, AreRefusedByName) {
  on_ranks(2, [&](comm::Communicator& world) {
    trace::Recorder recorder(1, 64);
    tasks::Scheduler scheduler(1, recorder);
    Table table;
    table.add<&half>("half");
    table.add<&refuse>("refuse");
    table.add<&many>("many");
    table.add<&Sink::take>("take");
    table.add<&Other::take>("other");
    EXPECT_THROW(table.add<&nothing>("half"), base::PreconditionError);
    EXPECT_THROW(table.add<&half>("once more"), base::PreconditionError);
    Actions actions(world, scheduler, table, {.most_bytes = 1000, .longest_record = 4000});
    const Handle<Sink> sink = actions.make<Sink>();
    world.synchronise();
    const comm::RankId other{1 - number(world.rank())};
    EXPECT_EQ((actions.call<&half>(other, 3).get()), 1.5);  // converted
    EXPECT_THROW(static_cast<void>(actions.call<&half>(comm::RankId{2}, 1.0)), base::PreconditionError);
    EXPECT_THROW(static_cast<void>(actions.call<&nothing>(other)), base::PreconditionError);

    const auto text_of = [](const tasks::Future<void>& future) { return message_of([&] { future.get(); }); };
    const std::string where = comm::describe(world.ranks()[number(other)]);
    EXPECT_EQ(text_of(actions.call<&refuse>(other)), where + ": action 'refuse': std::invalid_argument: no");
    const std::string wrong = text_of(actions.call<&Other::take>(Handle<Other>{other, sink.id}, 1U));
    EXPECT_NE(wrong.find("object 1 is of another class"), std::string::npos) << wrong;
    const std::string gone = text_of(actions.call<&Sink::take>(Handle<Sink>{other, 77}, 1U));
    EXPECT_NE(gone.find("ObjectError: " + where + ": object 77 is gone, or was never there"), std::string::npos)
        << gone;
    const std::string longer = message_of([&] { static_cast<void>(actions.call<&many>(other, 5000U).get()); });
    EXPECT_NE(longer.find("the result take"), std::string::npos) << longer;
    const std::string full = message_of([&] {
      for (int i = 0; i < 100; ++i) actions.send<&half>(other, 1.0).ignore();
    });
    EXPECT_NE(full.find("wait for room between calls"), std::string::npos) << full;
    actions.quiet();
    EXPECT_TRUE(actions.remove(sink));
    EXPECT_FALSE(actions.remove(sink));
    if (number(world.rank()) == 0) actions.send<&refuse>(other).ignore();
    const std::string late = message_of([&] { actions.quiet(); });
    EXPECT_NE(late.find(number(world.rank()) == 1 ? "std::invalid_argument: no" : "1 actions without an answer"),
              std::string::npos)
        << late;
    actions.quiet();
  });
}

// An object that is removed by an action that runs on it lives until that has ended.
class Mayfly {
 public:
  explicit Mayfly(std::atomic<bool>& is_alive) : is_alive_(is_alive) { is_alive_ = true; }
  ~Mayfly() { is_alive_ = false; }
  Mayfly(const Mayfly&) = delete;
  Mayfly& operator=(const Mayfly&) = delete;
  tasks::Task<bool> outlive(Context context, Handle<Mayfly> self) {
    context.actions().remove(self);
    co_await tasks::on(context.actions().scheduler());
    co_return is_alive_.load();
  }

 private:
  std::atomic<bool>& is_alive_;
};

TEST(Actions, KeepTheirObjectAlive) {
  on_ranks(1, [&](comm::Communicator& world) {
    trace::Recorder recorder(1, 64);
    tasks::Scheduler scheduler(1, recorder);
    Table table;
    table.add<&Mayfly::outlive>("outlive");
    Actions actions(world, scheduler, table);
    std::atomic<bool> is_alive{false};
    const auto mayfly = actions.make<Mayfly>(is_alive);
    EXPECT_TRUE((actions.call<&Mayfly::outlive>(mayfly, mayfly).get()));
    EXPECT_FALSE(is_alive);
  });
}

}  // namespace
}  // namespace tacit::actions::actions_test
