// Collectives that measure how they are carried out best: all ranks choose the same way, and measure once.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "mpi/collectives.hpp"
#include "tacit/base/clock.hpp"
#include "tacit/base/error.hpp"
#include "tacit/comm/choose_fastest.hpp"
#include "tacit/comm/collectives/all_to_all.hpp"
#include "tacit/comm/collectives/barrier.hpp"
#include "tacit/comm/collectives/broadcast.hpp"
#include "tacit/comm/collectives/detail/tuning.hpp"
#include "tacit/comm/collectives/gather.hpp"
#include "tacit/comm/collectives/reduce.hpp"
#include "tacit/comm/error.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::comm::testing {
namespace tuning {

constexpr CollectiveOptions measured{.tuning = Tuning::measured};
using Words = std::vector<std::uint64_t>;

/// A call takes as long as a table says, by way and rank.
class Slow final : public detail::Collective {
 public:
  Slow(detail::CommunicatorCore& communicator, const detail::Algorithm& way, double seconds)
      : Collective(communicator, "slow", {}, way.options(), std::nullopt, {}), seconds_(seconds) {
    stages_ = 1;
    make_shared_buffers(0);
  }
  Slow(const Slow&) = delete;
  Slow& operator=(const Slow&) = delete;
  ~Slow() override { leave(); }

 private:
  bool step(std::uint32_t /*stage*/) noexcept override {
    const base::Stopwatch watch;
    while (watch.seconds() < seconds_) {
    }
    return true;
  }
  double seconds_;
};

TEST(CommTuning, TheSlowestRankDecides) {
  on_ranks(2, [](Communicator& world) {
    // Rank 0 alone would take 7 leaders, rank 1 alone flat; with one leader neither waits long.
    const bool is_first = number(world.rank()) == 0;
    const auto trial = [&](const detail::Algorithm& way) -> std::unique_ptr<detail::Collective> {
      // Far apart: a busy machine stretches all of them.
      double seconds = 1e-3;
      if (way.pattern == Pattern::flat) seconds = is_first ? 40e-3 : 0.1e-3;
      if (way.leaders == 7) seconds = is_first ? 0.1e-3 : 40e-3;
      return std::make_unique<Slow>(world.core(), way, seconds);
    };
    const detail::TuningQuestion question{.kind = "slow", .bytes = 8, .given = {.leaders = 7}};
    const detail::Algorithm way = choose_algorithm(world.core(), question, trial);
    EXPECT_EQ(way, (detail::Algorithm{.pattern = Pattern::node_aware, .leaders = 1}));
  });
}

TEST(CommTuning, WhatIsGivenStaysUnlessItIsBeaten) {
  EXPECT_EQ(fastest(std::array{1.0}), 0U);
  EXPECT_EQ(fastest(std::array{1.0, 0.96, 2.0}), 0U);
  EXPECT_EQ(fastest(std::array{1.0, 0.94, 0.93}), 2U);
  EXPECT_EQ(fastest(std::array{1.0, 1.5, 0.5, 0.6}), 2U);
}

TEST(CommFirstRank, ItsTextReachesAllAndItsErrorEndsAll) {
  on_ranks(3, [](Communicator& world) {
    int calls = 0;
    const auto make = [&] {
      ++calls;
      return std::string(5000, 'x');
    };
    EXPECT_EQ(of_first_rank(world.core(), "say something", make), std::string(5000, 'x'));
    EXPECT_EQ(of_first_rank(world.core(), "say nothing", [] { return std::string(); }), "");
    EXPECT_EQ(calls, number(world.rank()) == 0 ? 1 : 0);
    std::string text;
    try {
      static_cast<void>(
          of_first_rank(world.core(), "say it", []() -> std::string { throw base::Error("it is not there"); }));
    } catch (const base::Error& error) {
      text = error.what();
    }
    EXPECT_EQ(text, number(world.rank()) == 0 ? "it is not there"
                                              : describe(world.own()) + ": " + describe(world.ranks()[0]) +
                                                    " could not say it; its message says why");
  });
}

TEST(CommChooseFastest, ASingleCandidateIsNotMeasured) {
  int calls = 0;
  const auto seconds_of = [&](double seconds) {
    ++calls;
    return seconds;
  };
  EXPECT_EQ(fastest_of(std::vector{3.0}, seconds_of), 3.0);
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(fastest_of(std::vector{3.0, 2.9, 2.0}, seconds_of), 2.0);
  EXPECT_EQ(calls, 3);
}

TEST(CommTuning, WaysDependOnNodes) {
  const std::vector<std::uint32_t> nodes{0, 0, 0, 1, 1, 2};
  Options options = patient;
  options.nodes = nodes;
  on_ranks(
      6,
      [](Communicator& world) {
        const auto ways = algorithms_to_try(world.core(), {.kind = "any", .bytes = 8, .given = {.chunk = 512}});
        const std::vector<detail::Algorithm> expected{{.leaders = 1, .chunk = 512},
                                                      {.leaders = 2, .chunk = 512},
                                                      {.pattern = Pattern::flat, .leaders = 1, .chunk = 512}};
        EXPECT_EQ(ways, expected);
      },
      options);
}

/// Tries every collective twice; @return  how it was carried out, by name
std::map<std::string, CollectiveOptions> use_all(Communicator& world, std::size_t count) {
  std::map<std::string, CollectiveOptions> ways;
  const std::size_t ranks = world.size();
  const std::size_t own = number(world.rank());
  const auto mine = [&](std::size_t to, std::size_t i) { return 1000 * own + 10 * to + i; };
  const auto theirs = [&](std::size_t from, std::size_t i) { return 1000 * from + 10 * own + i; };
  const RankId root{0};

  Barrier barrier(world, measured);
  ways["barrier"] = barrier.options();
  barrier.run();

  Words data(count, own + 1);
  AllReduce<std::uint64_t> sum(world, std::span(data), std::plus<>(), measured);
  ways["all-reduce"] = sum.options();
  sum.run();
  EXPECT_EQ(data, Words(count, ranks * (ranks + 1) / 2));

  Words least(count, 100);
  const Words value(count, own + 7);
  Reduce<std::uint64_t> reduce(world, root, value, std::span(least), Minimum{}, measured);
  ways["reduce"] = reduce.options();
  reduce.run();
  EXPECT_EQ(least, Words(count, own == 0 ? 7 : 100));

  ExactSums exact(world, 2, measured);
  ways["exact sums"] = exact.options();
  exact.add(1, 0.5);
  exact.run();
  EXPECT_EQ(exact.value(1), 0.5 * static_cast<double>(ranks));

  Words told(count, own == 0 ? 42 : 0);
  Broadcast<std::uint64_t> broadcast(world, root, std::span(told), measured);
  ways["broadcast"] = broadcast.options();
  broadcast.run();
  EXPECT_EQ(told, Words(count, 42));

  const Words block(count, own);
  Words all(ranks * count);
  AllGather<std::uint64_t> all_gather(world, block, std::span(all), measured);
  ways["all-gather"] = all_gather.options();
  all_gather.run();
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], i / count);

  AllGatherView<std::uint64_t> view(world, count, measured);
  ways["view"] = view.options();
  std::ranges::fill(view.input(), own);
  view.run();
  for (std::uint32_t rank = 0; rank < ranks; ++rank) EXPECT_EQ(view.block(RankId{rank})[count - 1], rank);

  Words gathered(ranks * count);
  Gather<std::uint64_t> gather(world, root, block, std::span(gathered), measured);
  ways["gather"] = gather.options();
  gather.run();
  EXPECT_EQ(gathered, own == 0 ? all : Words(ranks * count));
  world.synchronise();

  Words part(count);
  Scatter<std::uint64_t> scatter(world, root, gathered, std::span(part), measured);
  ways["scatter"] = scatter.options();
  scatter.run();
  EXPECT_EQ(part, Words(count, own));

  AllToAll<std::uint64_t> exchange(world, count, measured);
  ways["all-to-all"] = exchange.options();
  for (std::size_t i = 0; i < exchange.input().size(); ++i) exchange.input()[i] = mine(i / count, i % count);
  exchange.run();
  for (std::size_t i = 0; i < ranks * count; ++i) EXPECT_EQ(exchange.output()[i], theirs(i / count, i % count));

  const Words counts(ranks, count);
  AllToAllV<std::uint64_t> varying(world, counts, measured);
  ways["all-to-all-v"] = varying.options();
  for (std::size_t i = 0; i < varying.input().size(); ++i) varying.input()[i] = mine(i / count, i % count);
  varying.run();
  for (std::size_t i = 0; i < ranks * count; ++i) EXPECT_EQ(varying.output()[i], theirs(i / count, i % count));
  return ways;
}

constexpr std::size_t kinds = 11;

bool is_same(const CollectiveOptions& a, const CollectiveOptions& b) {
  return a.pattern == b.pattern && a.leaders == b.leaders && a.tuning == b.tuning;
}

TEST(CommTuning, ChoicesAgreeAndAreMeasuredOnce) {
  for (const char* digits : {"found", "0011"}) {
    const auto nodes = conformance::nodes_of(digits, 4);
    Options options = patient;
    options.nodes = nodes;
    std::mutex mutex;
    std::map<std::string, CollectiveOptions> first;
    on_ranks(
        4,
        [&](Communicator& world) {
          const auto ways = use_all(world, 10);
          EXPECT_EQ(ways.size(), kinds);
          EXPECT_EQ(world.core().tunings().measured(), kinds);
          const auto again = use_all(world, 10);
          EXPECT_EQ(world.core().tunings().measured(), kinds) << "the second ones measure nothing";
          const std::scoped_lock lock(mutex);
          if (first.empty()) first = ways;
          for (const auto& [kind, way] : first) {
            EXPECT_TRUE(is_same(ways.at(kind), way)) << kind << ": two ranks have chosen differently";
            EXPECT_TRUE(is_same(again.at(kind), way)) << kind << ": chosen again";
          }
        },
        options);
  }
}

std::string content(const std::filesystem::path& path) {
  std::ifstream stream(path);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// A file in the temporary folder that goes with the test.
class TuningFile {
 public:
  explicit TuningFile(const std::string& name) : path_(std::filesystem::path(::testing::TempDir()) / name) {
    std::filesystem::remove(path_);
  }
  TuningFile(const TuningFile&) = delete;
  TuningFile& operator=(const TuningFile&) = delete;
  ~TuningFile() { std::filesystem::remove(path_); }
  [[nodiscard]] std::string name() const { return path_.string(); }
  void write(const std::string& text) const { std::ofstream(path_) << text; }

 private:
  std::filesystem::path path_;
};

TEST(CommTuning, AFileServesOtherRuns) {
  const TuningFile file("tunings_of_two_ranks.txt");
  const std::string name = file.name();
  const std::string head = "# tacit tunings 1: pattern, leaders, chunk [byte], who copies, what for\n";
  const std::string of_others = "flat 3 512 by_size another machine, 9 ranks on 2 nodes by mpi: gather of 64 B\n";
  file.write(head + of_others);
  Options options = patient;
  options.tuning_file = name;
  for (const std::uint64_t expected : {1U, 0U}) {  // in the first run it is measured, in the second one it is read
    on_ranks(
        2,
        [&](Communicator& world) {
          Barrier barrier(world, measured);
          barrier.run();
          EXPECT_EQ(world.core().tunings().measured(), expected);
        },
        options);
  }
  const std::string text = content(name);
  EXPECT_NE(text.find(of_others), std::string::npos);
  EXPECT_NE(text.find(", 2 ranks on 1 nodes: barrier of 1 B\n"), std::string::npos) << text;
  // What the file says is believed: no measurement takes 77 leaders.
  const std::size_t key = text.rfind("barrier of");
  const std::size_t begin = text.rfind('\n', key) + 1;
  std::string changed = text;
  const std::size_t third_word = text.find(' ', text.find(' ', begin) + 1);
  changed.replace(begin, third_word - begin, "node_aware 77");
  file.write(changed);
  on_ranks(
      2,
      [&](Communicator& world) {
        Barrier barrier(world, measured);
        barrier.run();
        EXPECT_EQ(barrier.options().leaders, 77U);
      },
      options);
}

TEST(CommTuning, AFileOfSomethingElseIsRefusedByAllRanks) {
  const TuningFile file("tunings_of_something_else.txt");
  const std::string name = file.name();
  file.write("pixels = 1\n");
  Options options = patient;
  options.tuning_file = name;
  on_ranks(
      2,
      [&](Communicator& world) {
        std::string text;
        try {
          const Barrier barrier(world, measured);
        } catch (const base::Error& error) {
          text = error.what();
        }
        const std::string expected = number(world.rank()) == 0
                                         ? name + ":1: 'pixels = 1' stands where a file of tunings begins with"
                                         : describe(world.own()) + ": " + describe(world.ranks()[0]) +
                                               " could not read the tunings; its message says why";
        EXPECT_EQ(text.substr(0, expected.size()), expected);
      },
      options);
}

TEST(CommTuning, LinesThatCannotBeMeantAreNamed) {
  const std::string head =
      "# tacit tunings 1: pattern, leaders, chunk [byte], who copies, what for\nflat 1 0 by_sender good\n";
  EXPECT_EQ(base::parse_tunings(detail::algorithm_tunings, head, "file").at("good"), "flat 1 0 by_sender");
  for (const char* line :
       {"tree 1 0 by_size key", "flat 0 0 by_size key", "flat -1 0 by_size key", "flat 1 -2 by_size key",
        "flat 1 0 me key", "flat 1 key", "flat 1 0 by_size", "flat", "", "flat 99999999999999999999 0 by_size key"}) {
    std::string text;
    try {
      static_cast<void>(base::parse_tunings(detail::algorithm_tunings, head + line + "\n", "file"));
    } catch (const base::FormatError& error) {
      text = error.what();
    }
    EXPECT_EQ(text, std::string("file:3: '") + line +
                        "' is no pattern (node_aware or flat), leaders, chunk, who copies (by_size, by_receiver or "
                        "by_sender), and what for");
  }
  EXPECT_EQ(detail::words_of({.pattern = Pattern::flat, .leaders = 2, .chunk = 512, .copying = Copying::by_sender}),
            "flat 2 512 by_sender");
  EXPECT_EQ(detail::words_of({}), "node_aware 1 0 by_size");
}

TEST(CommTuning, RanksThatTuneDifferentThingsAreNamed) {
  on_ranks(2, [](Communicator& world) {
    std::vector<double> data(10 + number(world.rank()));
    std::string text;
    try {
      const AllReduce<double> sum(world, std::span(data), std::plus<>(), measured);
    } catch (const MismatchError& error) {
      text = error.what();
    }
    EXPECT_EQ(text, describe(world.ranks()[0]) + " tunes all-reduce of 80 B, " + describe(world.ranks()[1]) +
                        " tunes all-reduce of 88 B");
  });
}

TEST(CommTuning, PartsHaveChoicesOfTheirOwn) {
  on_ranks(4, [](Communicator& world) {
    Communicator half = world.split(number(world.rank()) % 2, 0);
    Barrier barrier(half, measured);
    barrier.run();
    EXPECT_EQ(half.core().tunings().measured(), 1U);
    EXPECT_EQ(world.core().tunings().measured(), 0U);
    world.synchronise();
  });
}

}  // namespace tuning
}  // namespace tacit::comm::testing
