// Which checkpoint a restart takes, which are kept, and when a run shall stop.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <vector>

#include "sample_run.hpp"
#include "tacit/engine/checkpoint_ring.hpp"
#include "tacit/engine/stop_watcher.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::engine::ring_test {
namespace {

namespace fs = std::filesystem;
using Steps = std::vector<std::uint64_t>;

void write(const fs::path& path) {
  io::FileWriter file(path);
  file.array("x", std::vector<double>(1000, 1.0), std::array<std::uint64_t, 1>{1000});
  file.commit();
}

void flip(const fs::path& path, std::size_t at) {
  std::string content = test::content(path);
  content.at(at) = static_cast<char>(content.at(at) ^ 4);
  test::put(path, content);
}

class CheckpointRing : public ::testing::Test {
 protected:
  CheckpointRing() {
    for (const std::uint64_t step : {7U, 120U, 1000001U}) write(scratch / checkpoint_name(step));
    for (const char* other :
         {"restart_000120.part0-ab-1.hdf5", "restart_x.hdf5", "restart.hdf5", "snapshot_0007.hdf5"}) {
      test::put(scratch / other, "other");
    }
  }
  test::Scratch scratch;
};

TEST_F(CheckpointRing, ListsTheNewestFirst) {
  EXPECT_EQ(checkpoint_name(7), "restart_000007.hdf5");
  EXPECT_EQ(checkpoints_in(scratch.path()), (Steps{1000001, 120, 7}));
  EXPECT_EQ(checkpoints_in(scratch / "nothing"), Steps{});
}

TEST_F(CheckpointRing, TakesTheNewestThatIsSoundOnAnyNumberOfRanks) {
  const auto find = [&](std::size_t count) {
    std::vector<FoundCheckpoint> found(count);
    comm::testing::on_ranks(count, [&](comm::Communicator& ranks) {
      found[number(ranks.rank())] = find_checkpoint(scratch.path(), ranks);
      ranks.synchronise();
    });
    for (const FoundCheckpoint& one : found) {
      EXPECT_EQ(one.step, found[0].step);
      EXPECT_EQ(one.notes, found[0].notes);
    }
    return found[0];
  };
  for (const std::size_t ranks : {1U, 2U, 4U}) {
    EXPECT_EQ(find(ranks).path, scratch / checkpoint_name(1000001));
    EXPECT_TRUE(find(ranks).notes.empty());
  }
  flip(scratch / checkpoint_name(1000001), 6000);
  test::put(scratch / checkpoint_name(120), "short");
  for (const std::size_t ranks : {1U, 2U, 4U}) {
    const FoundCheckpoint found = find(ranks);
    EXPECT_EQ(found.step, 7U);
    EXPECT_EQ(found.damaged, (std::set<std::uint64_t>{120, 1000001}));
    ASSERT_EQ(found.notes.size(), 2U);
    EXPECT_EQ(found.notes[0].find((scratch / "restart_1000001.hdf5").string() + ": bytes "), 0U) << found.notes[0];
  }
  fs::remove(scratch / checkpoint_name(7));
  const std::string message = test::message_of<base::FormatError>([&] { find(1); });
  EXPECT_EQ(message.find(scratch.path().string() + ": none of its checkpoints can be continued from:\n"), 0U)
      << message;
}

TEST_F(CheckpointRing, KeepsTheNewestAndNothingDamaged) {
  remove_old_checkpoints(scratch.path(), 2, {120});
  EXPECT_EQ(checkpoints_in(scratch.path()), (Steps{1000001, 7}));
  remove_old_checkpoints(scratch.path(), 1, {});
  EXPECT_EQ(checkpoints_in(scratch.path()), Steps{1000001});
  EXPECT_TRUE(fs::exists(scratch / "restart.hdf5")) << "what is no checkpoint stays";
}

TEST(StopWatch, EndsARunInTime) {
  StopWatcher watcher({}, 100.0);
  EXPECT_EQ(watcher.reason(99.0), std::nullopt);
  watcher.note_step(2.0);
  watcher.note_step(1.0);
  EXPECT_NE(watcher.reason(98.0), std::nullopt);
  EXPECT_EQ(watcher.reason(97.9), std::nullopt);
  watcher.note_checkpoint(10.0);
  EXPECT_EQ(watcher.reason(87.9), std::nullopt);
  EXPECT_EQ(watcher.reason(88.0),
            "its wall-clock time of 100 s is nearly over (a step has taken up to 2 s, a checkpoint 10 s)");
}

TEST(StopWatch, EstimatesTheFirstCheckpoint) {
  StopWatcher watcher({}, 100.0);
  watcher.expect_checkpoint(1'000'000'000);
  EXPECT_EQ(watcher.reason(89.9), std::nullopt) << "a slow disk takes 10 s for it";
  EXPECT_NE(watcher.reason(90.0), std::nullopt);
  watcher.note_snapshot(500'000'000, 1.0);
  watcher.note_snapshot(0, 7.0);  // a file that is gone says nothing
  EXPECT_EQ(watcher.reason(97.9), std::nullopt);
  EXPECT_EQ(
      watcher.reason(98.0),
      "its wall-clock time of 100 s is nearly over (a step has taken up to 0 s, a checkpoint would take about 2 s)");
  watcher.note_snapshot(100'000'000, 3.0);
  EXPECT_NE(watcher.reason(70.0), std::nullopt) << "the slowest counts";
  watcher.note_checkpoint(5.0);
  EXPECT_EQ(watcher.reason(94.9), std::nullopt) << "what is measured takes the place of the estimate";
}

TEST(StopWatch, SeesTheFileAndTakesItAway) {
  const test::Scratch scratch;
  StopWatcher watcher(scratch.path(), 1e9);
  EXPECT_EQ(watcher.reason(0.0), std::nullopt);
  test::put(scratch / stop_file, "");
  EXPECT_EQ(watcher.reason(0.05), std::nullopt) << "it does not look at every step";
  EXPECT_EQ(watcher.reason(0.15), (scratch / "STOP").string() + " asks for it");
  watcher.remove_file();
  EXPECT_FALSE(fs::exists(scratch / stop_file));
}

TEST(StopWatch, KnowsTheEndOfAJob) {
  std::map<std::string, std::string> variables;
  const auto environment = [&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
  EXPECT_EQ(seconds_left_of_job(environment, 1000.0), std::nullopt);
  variables["SLURM_JOB_END_TIME"] = "1700";
  EXPECT_EQ(seconds_left_of_job(environment, 1000.0), 700.0);
  variables["SLURM_JOB_END_TIME"] = "tomorrow";
  EXPECT_EQ(seconds_left_of_job(environment, 1000.0), std::nullopt);
}

}  // namespace
}  // namespace tacit::engine::ring_test
