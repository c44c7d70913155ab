// The main loop across ranks, with a solver whose state is divided: what is agreed on, who writes, how it ends.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <span>
#include <sstream>
#include <thread>

#include "sample_run.hpp"
#include "tacit/base/clock.hpp"
#include "tacit/base/ticks.hpp"
#include "tacit/comm/collectives/reduce.hpp"
#include "tacit/engine/across_ranks.hpp"
#include "tacit/trace/report.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::engine::ranks_test {
namespace {

namespace fs = std::filesystem;
constexpr std::uint64_t elements_of_all = 13;
constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

/// What a rank does beside stepping; nothing unless a test says so.
struct Mischief {
  std::uint64_t stops_at = never;  ///< step
  std::uint64_t without_step_at = never;
  std::uint64_t spoils_at = never;
  std::uint64_t fails_at = never;
  std::uint64_t bytes = 0;                  ///< that it says a checkpoint takes
  std::chrono::milliseconds saves_after{};  ///< so late
};

/// Thirteen numbers, divided among ranks; each grows by its own rate, and the last rank allows the shortest steps.
class DividedSolver final : public Solver {
 public:
  DividedSolver(const Resources& resources, const io::FileReader* restart, const Mischief& mischief,
                std::atomic<bool>& stop)
      : ranks_(resources.ranks), mischief_(mischief), stop_(stop) {
    const std::uint64_t rank = number(ranks_.rank());
    const std::uint64_t size = ranks_.size();
    mine_ = {.first = {elements_of_all * rank / size}, .count = {0}};
    mine_.count[0] = elements_of_all * (rank + 1) / size - mine_.first[0];
    x_.resize(mine_.count[0]);
    if (restart != nullptr) restart->read_part("Divided/x", mine_, x_);
  }
  [[nodiscard]] double time_step() const override {
    if (steps_ == mischief_.without_step_at) throw NumericsError("an element is too fast");
    return mine_.first[0] + mine_.count[0] == elements_of_all ? 0.25 : 0.5;
  }
  [[nodiscard]] OutputBytes output_bytes(const FileContext& /*context*/) const override {
    return {.checkpoint = mischief_.bytes};
  }
  void step(const tasks::StepContext& step) override {
    for (std::size_t i = 0; i < x_.size(); ++i) x_[i] += step.dt / static_cast<double>(mine_.first[0] + i + 1);
    steps_ = step.step + 1;
    if (step.step == mischief_.spoils_at) x_.back() = std::numeric_limits<double>::infinity();
    if (step.step == mischief_.fails_at) {
      throw NumericsError(Flaw{.text = "an element is lost", .rank = number(ranks_.rank()), .is_known_to_all = false});
    }
    if (step.step == mischief_.stops_at) stop_ = true;
  }
  [[nodiscard]] Conserved conserved() const override {
    MechanicalSums state;
    state.mass = sum();
    state.kinetic_energy = 1.0;
    Conserved conserved = state.conserved();
    conserved.quantities.front().is_open = true;  // it grows
    return conserved;
  }
  [[nodiscard]] std::uint64_t elements() const override { return elements_of_all; }
  std::uint64_t write_snapshot(const fs::path& path, const FileContext& context) const override {
    io::FileWriter file(path, context.compression, ranks_);
    file.part("x", std::array{elements_of_all}, io::Number::float64, mine_, x_);
    return file.commit();
  }
  void save(io::FileWriter& checkpoint) const override {
    std::this_thread::sleep_for(mischief_.saves_after);
    checkpoint.group("Divided");
    checkpoint.part("Divided/x", std::array{elements_of_all}, io::Number::float64, mine_, x_);
  }

 private:
  /// Exact, so that it does not depend on the division.
  [[nodiscard]] double sum() const {
    comm::ExactSums sums(ranks_, 1);
    for (const double x : x_) sums.add(0, x);
    sums.run();
    return sums.value(0);
  }

  comm::Communicator& ranks_;
  Mischief mischief_;
  std::atomic<bool>& stop_;
  io::Part mine_;
  std::vector<double> x_;
  std::uint64_t steps_ = 0;
};

/// The entry has no room for a test's wishes, which lie here, by thread: a rank of these tests is one.
struct Wishes {
  Mischief mischief;
  std::atomic<bool>* stop = nullptr;
};
thread_local Wishes wishes;

const SolverEntry entry{"divided", "counts", [] { return std::span<const config::KeyTable>{}; },
                        [](const config::Parameters&, const Resources& resources,
                           const io::FileReader* restart) -> std::unique_ptr<Solver> {
                          return std::make_unique<DividedSolver>(resources, restart, wishes.mischief, *wishes.stop);
                        },
                        [](const config::Parameters&, std::size_t) { return Prediction{}; }};

class RunAcrossRanks : public ::testing::Test {
 protected:
  struct Options {
    std::size_t ranks = 1;
    std::string more = {};
    bool restart = false;
    std::vector<Mischief> mischief = {};  ///< by rank
  };
  /// What a rank made of it.
  struct End {
    Summary summary;
    std::string error;
    std::vector<std::string> notes;
  };

  std::vector<End> run(const Options& options, const std::string& name) {
    const fs::path directory = scratch / name;
    const auto parameters = testing::read(scratch / (name + ".toml"),
                                          "run.threads = 1\nrun.pin = false\nrun.name = \"divided\"\ntime.end = "
                                          "2\noutput.snapshot_every = 0.75\noutput.statistics_every = "
                                          "0.5\noutput.directory = \"" +
                                              directory.string() + "\"\n" + options.more);
    std::vector<End> ends(options.ranks);
    const auto one = [&](comm::Communicator& ranks) {
      const std::size_t rank = number(ranks.rank());
      End& end = ends[rank];
      Requests requests;
      wishes = {.mischief = rank < options.mischief.size() ? options.mischief[rank] : Mischief{},
                .stop = &requests.stop};
      testing::Listener listener;
      try {
        Simulation simulation(parameters, entry, ranks,
                              {.restart = options.restart ? Restart::always : Restart::never, .requests = &requests},
                              listener);
        end.summary = simulation.run();
      } catch (const base::Error& error) {
        end.error = error.what();
        ranks.give_up();
      }
      end.notes = listener.notes;
    };
    comm::testing::on_ranks(options.ranks, one);
    return ends;
  }
  [[nodiscard]] std::string content(const std::string& name, const char* file) const {
    return test::content(scratch / name / file);
  }
  /// statistics.csv without the wall time.
  [[nodiscard]] std::string statistics(const std::string& name) const {
    std::istringstream text(content(name, "statistics.csv"));
    std::string lines;
    for (std::string line; std::getline(text, line);) lines += line.substr(0, line.rfind(',')) + "\n";
    return lines;
  }
  void expect_same_results(const std::string& a, const std::string& b) const {
    EXPECT_EQ(statistics(a), statistics(b));
    for (const char* file : {"snapshot_0000.hdf5", "snapshot_0001.hdf5", "snapshot_0002.hdf5", "snapshot_0003.hdf5"}) {
      EXPECT_FALSE(content(a, file).empty()) << file;
      EXPECT_EQ(content(a, file), content(b, file)) << file;
    }
  }

  test::Scratch scratch;
};

TEST_F(RunAcrossRanks, LeavesWhatOneRankLeaves) {
  run({}, "one");
  for (const std::size_t ranks : {2U, 4U}) {
    const std::string name = std::to_string(ranks);
    const auto ends = run({.ranks = ranks}, name);
    for (const End& end : ends) {
      EXPECT_EQ(end.error, "");
      EXPECT_EQ(end.summary.steps, 8U);
      EXPECT_EQ(end.summary.ranks, ranks);
      EXPECT_EQ(end.summary.updates, 8 * elements_of_all);
      EXPECT_EQ(end.summary.output_bytes, ends[0].summary.output_bytes);
    }
    expect_same_results("one", name);
    const auto json = nlohmann::json::parse(content(name, "summary.json"));
    EXPECT_EQ(json.at("ranks"), ranks);
    EXPECT_EQ(json.at("threads"), 1);
  }
}

TEST_F(RunAcrossRanks, ContinuesOnAnyNumberOfRanks) {
  run({}, "one");
  for (const auto& [before, after] : {std::pair{2U, 1U}, {2U, 4U}, {4U, 2U}, {1U, 4U}}) {
    const std::string name = std::to_string(before) + "_" + std::to_string(after);
    run({.ranks = before, .more = "time.max_steps = 5\n"}, name);
    const auto ends = run({.ranks = after, .restart = true}, name);
    EXPECT_EQ(ends[0].error, "");
    EXPECT_EQ(ends[0].notes, std::vector<std::string>{"continues from step 5 at t = 1.25"});
    for (const End& end : std::span(ends).subspan(1)) EXPECT_TRUE(end.notes.empty());
    expect_same_results("one", name);
  }
}

TEST_F(RunAcrossRanks, StopsAllWhenOneIsAskedTo) {
  for (const std::size_t asked : {0U, 2U}) {
    std::vector<Mischief> mischief(3);
    mischief[asked].stops_at = 3;
    for (const End& end : run({.ranks = 3, .mischief = mischief}, std::to_string(asked))) {
      EXPECT_EQ(end.error, "");
      EXPECT_EQ(end.summary.steps, 4U);
      EXPECT_FALSE(end.summary.finished);
    }
    EXPECT_EQ(checkpoints_in(scratch / std::to_string(asked)).size(), 1U);
  }
}

TEST_F(RunAcrossRanks, SaysOnAllWhyOneFindsNoStep) {
  std::vector<Mischief> mischief(3);
  mischief[1].without_step_at = 5;
  for (const End& end : run({.ranks = 3, .mischief = mischief}, "out")) {
    EXPECT_EQ(end.error, "at t = 1.25: rank 1: an element is too fast\n  The last valid checkpoint is " +
                             (scratch / "out/restart_000005.hdf5").string() + ", of step 5, t = 1.25.");
  }
  EXPECT_FALSE(content("out", "restart_000005.hdf5").empty());  // the last good state
}

TEST_F(RunAcrossRanks, WritesAStateTogetherThatIsNotFinite) {
  std::vector<Mischief> mischief(3);
  mischief[2].spoils_at = 3;
  for (const End& end : run({.ranks = 3, .mischief = mischief}, "out")) {
    EXPECT_TRUE(end.error.starts_with("step 4, t = 1: the mass is inf\n")) << end.error;
    EXPECT_NE(end.error.find("The failed state is in " + (scratch / "out/failed.hdf5").string()), std::string::npos)
        << end.error;
  }
  std::vector<double> x(elements_of_all);
  io::FileReader(scratch / "out/failed.hdf5").read("Divided/x", x);
  EXPECT_TRUE(std::isinf(x.back()));
  EXPECT_TRUE(std::isfinite(x.front()));
}

TEST_F(RunAcrossRanks, GivesUpWhenAllHaveWrittenTheirPartOfAFailedState) {
  std::vector<Mischief> mischief(3);
  mischief[2].spoils_at = 3;
  mischief[1].saves_after = std::chrono::milliseconds(200);  // the last one is ready long before
  for (const End& end : run({.ranks = 3, .mischief = mischief}, "out")) {
    EXPECT_NE(end.error.find("The failed state is in "), std::string::npos) << end.error;
  }
  EXPECT_TRUE(fs::exists(scratch / "out/failed.hdf5"));
}

// Each of them alone knows of its error, and cannot know that the others have one, too.
TEST_F(RunAcrossRanks, EndsTogetherWhereAFileHasNoRoom) {
  const Mischief large{.bytes = std::uint64_t{1} << 60U};
  const auto ends =
      run({.ranks = 3, .more = "output.checkpoint_steps = 2\n", .mischief = {large, large, large}}, "out");
  for (const End& end : ends) {
    EXPECT_EQ(end.error, ends[0].error);
    EXPECT_TRUE(end.error.starts_with((scratch / "out" / "restart_000002.hdf5").string() +
                                      ": cannot be written: needs 1.2 EB, "))
        << end.error;
  }
  EXPECT_FALSE(fs::exists(scratch / "out" / "restart_000002.hdf5"));
  EXPECT_TRUE(fs::exists(scratch / "out" / "snapshot_0000.hdf5"));
}

TEST_F(RunAcrossRanks, EndsTogetherAtALimitOfDrift) {
  const auto ends = run({.ranks = 3, .more = "drift.limit = 1e-9\n"}, "out");
  for (const End& end : ends) {
    EXPECT_NE(end.error.find("more than drift.limit = 1e-09 allows"), std::string::npos) << end.error;
  }
  EXPECT_TRUE(fs::exists(scratch / "out" / "failed.hdf5"));
}

TEST_F(RunAcrossRanks, WritesNoStateOfWhichOneRankAloneKnowsThatItFailed) {
  const std::vector<Mischief> mischief(2, {.fails_at = 3});
  for (const End& end : run({.ranks = 2, .mischief = mischief}, "out")) {
    EXPECT_EQ(end.error,
              "an element is lost\n  The failed state is not written: only one rank knows of it.\n"
              "  There is no checkpoint to continue from.");
  }
  EXPECT_FALSE(fs::exists(scratch / "out/failed.hdf5"));
}

TEST_F(RunAcrossRanks, WritesCheckpointsByTheFirstOnesClock) {
  // Before each of 8 steps, and at the end; alone and together alike.
  run({.more = "output.checkpoint_every = 1e-9\n"}, "one");
  run({.ranks = 2, .more = "output.checkpoint_every = 1e-9\n"}, "two");
  for (const char* name : {"one", "two"}) {
    const trace::Report report = trace::read_report(scratch / name / "trace.json");
    const auto kind = std::ranges::find(report.kinds, "write checkpoint", &trace::Recorder::KindSum::name);
    ASSERT_NE(kind, report.kinds.end());
    EXPECT_EQ(kind->count, 9U * (std::string_view(name) == "two" ? 2U : 1U)) << name;
  }
}

TEST_F(RunAcrossRanks, HasOneTrace) {
  run({.ranks = 3}, "out");
  const auto json = nlohmann::json::parse(content("out", "trace.json"));
  std::array<std::size_t, 6> events{};  // by process: two of each rank
  std::vector<std::string> names;
  for (const auto& event : json.at("traceEvents")) {
    ++events.at(event.at("pid").get<std::size_t>());
    if (event.at("name") == "process_name") names.push_back(event.at("args").at("name"));
  }
  EXPECT_EQ(names, (std::vector<std::string>{"rank 0", "rank 1", "rank 2"}));
  for (const std::size_t rank : {0U, 1U, 2U}) EXPECT_GE(events.at(2 * rank), 8U + 4U) << rank;  // steps and snapshots
  const trace::Report report = trace::read_report(scratch / "out" / "trace.json");
  EXPECT_EQ(report.workers.size(), 3U);
  const auto agreed = std::ranges::find(report.kinds, "ranks agree on the step", &trace::Recorder::KindSum::name);
  ASSERT_NE(agreed, report.kinds.end());
  EXPECT_GE(agreed->count, 3U * 9U);  // before each step, and at the end until all is on disk
}

TEST(ARankAlone, NeedsNoThreadAndOneOpenFile) {
  const auto count = [](const char* what) {
    return std::distance(fs::directory_iterator(fs::path("/proc/self") / what), fs::directory_iterator());
  };
  const auto threads = count("task");
  const auto files = count("fd");
  comm::Communicator alone(comm::bootstrap_alone());
  EXPECT_EQ(alone.size(), 1U);
  EXPECT_EQ(count("task"), threads);
  EXPECT_LE(count("fd"), files + 1);  // of its page of memory that other ranks would see
}

TEST(WorkersOfARank, AreItsShareOfTheProcessors) {
  RunParameters run;
  run.threads = 3;
  EXPECT_EQ(worker_count(run, testing::alone()), 3U);
  run.threads = 0;
  const std::size_t alone = worker_count(run, testing::alone());
  comm::testing::on_ranks(4, [&](comm::Communicator& ranks) {
    EXPECT_EQ(worker_count(run, ranks), std::max<std::size_t>(alone / 4, 1));
    RunParameters asked;
    asked.threads = 3;
    EXPECT_EQ(worker_count(asked, ranks), 3U);
  });
}

TEST(WorkersOfARank, ShareProcessorsWhereThereAreMore) {
  const std::size_t alone = worker_count({}, testing::alone());
  EXPECT_FALSE(do_workers_share_processors(testing::alone(), alone));
  EXPECT_TRUE(do_workers_share_processors(testing::alone(), alone + 1));
  comm::testing::on_ranks(4, [&](comm::Communicator& ranks) {
    EXPECT_TRUE(do_workers_share_processors(ranks, alone));
    EXPECT_EQ(do_workers_share_processors(ranks, ranks.rank() == comm::RankId{2} ? alone + 1 : 0), true);
    EXPECT_FALSE(do_workers_share_processors(ranks, 0));
  });
}

TEST(WorkersOfARank, AreTimedByTheirThreadsWhereTheyShareProcessors) {
  const std::size_t alone = worker_count({}, testing::alone());
  EXPECT_EQ(cost_clock(testing::alone(), alone + 1), &base::ticks);
  comm::testing::on_ranks(2, [&](comm::Communicator& ranks) {
    EXPECT_EQ(cost_clock(ranks, alone), &base::thread_time_ns);
    EXPECT_EQ(cost_clock(ranks, 0), &base::ticks);
  });
}

}  // namespace
}  // namespace tacit::engine::ranks_test
