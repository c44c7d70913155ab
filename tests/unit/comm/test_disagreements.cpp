// Ranks that do not do the same: found when a collective is first used or ranks meet, with both of them named.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tacit/comm/collectives/all_to_all.hpp"
#include "tacit/comm/collectives/barrier.hpp"
#include "tacit/comm/collectives/broadcast.hpp"
#include "tacit/comm/collectives/gather.hpp"
#include "tacit/comm/collectives/reduce.hpp"
#include "tacit/comm/error.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::comm::testing {
namespace disagreements {

using Act = std::function<void(Communicator&, const CollectiveOptions&)>;

std::string mismatch_of(const std::function<void()>& function) {
  try {
    function();
  } catch (const MismatchError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

/// The last rank does another thing than all others: all say so, and name it.
void expect(const Act& usual, const std::string& in_usual, const Act& odd, const std::string& in_odd) {
  for (const std::size_t ranks : {2U, 3U}) {  // all are neighbours
    for (const Pattern pattern : {Pattern::node_aware, Pattern::flat}) {
      on_ranks(ranks, [&](Communicator& world) {
        const std::size_t last = world.size() - 1;
        const std::size_t own = number(world.rank());
        const Act& act = own == last ? odd : usual;
        const std::string text = mismatch_of([&] { act(world, {.pattern = pattern}); });
        EXPECT_NE(text.find(in_usual), std::string::npos) << text;
        EXPECT_NE(text.find(in_odd), std::string::npos) << text;
        EXPECT_NE(text.find(describe(world.own())), std::string::npos) << text;
        const std::string peer = describe(world.ranks()[own == last ? 0 : last]);
        if (own != last || last == 1) {
          EXPECT_NE(text.find(peer), std::string::npos) << text;
        }
        world.synchronise();
      });
    }
  }
}

template <class T, class F = std::plus<>>
Act all_reduce(std::size_t count, F function = {}) {
  return [=](Communicator& world, const CollectiveOptions& options) {
    std::vector<T> data(count);
    AllReduce<T>(world, std::span(data), function, options).run();
  };
}

Act reduce(std::uint32_t root) {
  return [=](Communicator& world, const CollectiveOptions& options) {
    const std::vector<double> in(10);
    std::vector<double> out(10);
    Reduce<double>(world, RankId{root}, in, std::span(out), std::plus<>(), options).run();
  };
}

Act broadcast(std::size_t count, std::uint32_t root) {
  return [=](Communicator& world, const CollectiveOptions& options) {
    std::vector<double> data(count);
    Broadcast<double>(world, RankId{root}, std::span(data), options).run();
  };
}

Act scatter(std::uint32_t root) {
  return [=](Communicator& world, const CollectiveOptions& options) {
    const std::vector<double> in(10 * world.size());
    std::vector<double> out(10);
    Scatter<double>(world, RankId{root}, in, std::span(out), options).run();
  };
}

Act gather(std::uint32_t root) {
  return [=](Communicator& world, const CollectiveOptions& options) {
    const std::vector<double> in(10);
    std::vector<double> out(10 * world.size());
    Gather<double>(world, RankId{root}, in, std::span(out), options).run();
  };
}

TEST(CommDisagreements, OtherCollectives) {
  expect(all_reduce<double>(10), "all-reduce of 10 float64", broadcast(10, 0), "broadcast of 10 float64");
  expect(gather(0), "gather of 10", scatter(0), "scatter of 10");
}

TEST(CommDisagreements, OtherCounts) {
  expect(all_reduce<double>(10), "of 10 float64", all_reduce<double>(11), "of 11 float64");
  expect(broadcast(10, 0), "of 10 float64", broadcast(0, 0), "of 0 float64");
}

TEST(CommDisagreements, OtherTypes) {
  expect(all_reduce<double>(10), "10 float64", all_reduce<std::int64_t>(10), "10 int64");
  expect(all_reduce<double>(10), "10 float64", all_reduce<float>(20), "20 float32");
}

TEST(CommDisagreements, OtherRoots) {
  expect(reduce(0), "with root 0", reduce(1), "with root 1");
  expect(broadcast(10, 0), "with root 0", broadcast(10, 1), "with root 1");
  expect(gather(1), "with root 1", gather(0), "with root 0");
  expect(scatter(1), "with root 1", scatter(0), "with root 0");
}

TEST(CommDisagreements, OtherFunctions) {
  expect(all_reduce<double>(10, Minimum{}), "with function", all_reduce<double>(10, Maximum{}), "with function");
}

TEST(CommDisagreements, OtherOptions) {
  const auto barrier = [](const CollectiveOptions& ours) {
    return [ours](Communicator& world, const CollectiveOptions& /*options*/) { Barrier(world, ours).run(); };
  };
  expect(barrier({.pattern = Pattern::flat}), "flat", barrier({.pattern = Pattern::node_aware}), "by nodes");
  expect(barrier({.leaders = 2}), "with 2 leaders", barrier({.leaders = 1}), "with 1 leaders");
}

TEST(CommDisagreements, OneThatIsLeftOut) {
  const auto two = [](Communicator& world, const CollectiveOptions& options) {
    Barrier(world, options).run();
    std::vector<double> data(10);
    Broadcast<double>(world, RankId{0}, std::span(data), options).run();
  };
  const auto one = [](Communicator& world, const CollectiveOptions& options) {
    std::vector<double> data(10);
    Broadcast<double>(world, RankId{0}, std::span(data), options).run();
  };
  expect(two, "barrier", one, "broadcast");
}

TEST(CommDisagreements, RanksThatMeetElsewhere) {
  const auto both = [](const std::function<void(Communicator&)>& first, const std::function<void(Communicator&)>& other,
                       const std::string& in_first, const std::string& in_other) {
    on_ranks(2, [&](Communicator& world) {
      const std::string text = mismatch_of([&] { (number(world.rank()) == 0 ? first : other)(world); });
      const std::string me = describe(world.own());
      const std::string they = describe(world.ranks()[1 - number(world.rank())]);
      const std::string mine = number(world.rank()) == 0 ? in_first : in_other;
      const std::string theirs = number(world.rank()) == 0 ? in_other : in_first;
      EXPECT_EQ(text, me + " " + mine + ", " + they + " " + theirs);
    });
  };
  const auto synchronise = [](Communicator& world) { world.synchronise(); };
  const auto split = [](Communicator& world) { static_cast<void>(world.split(0, 0)); };
  const auto counts = [](Communicator& world) { AllToAllV<int>(world, std::vector<std::size_t>{1, 2}); };
  both(synchronise, split, "synchronises", "splits the communicator");
  both(split, counts, "splits the communicator", "makes an all-to-all-v");
}

TEST(CommDisagreements, CountsForOtherRanks) {
  on_ranks(2, [](Communicator& world) {
    const std::vector<std::size_t> counts(2 + number(world.rank()));
    const std::string text = mismatch_of([&] { AllToAllV<int>(world, counts); });
    EXPECT_EQ(text, describe(world.ranks()[1]) + " makes an all-to-all-v with counts for 3 ranks, there are 2");
  });
}

TEST(CommDisagreements, RootsThatAreNotThere) {
  on_ranks(2, [](Communicator& world) {
    const auto text = [&](const Act& act) {
      try {
        act(world, {});
      } catch (const base::Error& error) {
        return std::string(error.what());
      }
      return std::string("nothing was thrown");
    };
    const std::string begin = describe(world.own()) + ": rank 2 cannot be the root of this ";
    EXPECT_EQ(text(broadcast(3, 2)), begin + "broadcast: there are 2");
    EXPECT_EQ(text(reduce(2)), begin + "reduce: there are 2");
    EXPECT_EQ(text(gather(2)), begin + "gather: there are 2");
    EXPECT_EQ(text(scatter(2)), begin + "scatter: there are 2");
  });
}

}  // namespace disagreements
}  // namespace tacit::comm::testing
