// Results of an earlier run are moved, never lost; statistics are cut back to a checkpoint.
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include "../io/scratch.hpp"
#include "tacit/base/error.hpp"
#include "tacit/engine/earlier_run.hpp"

namespace {

int renames_left = -1;  // until the process ends; negative: it does not

}  // namespace

/// In place of that of the C library.
extern "C" int rename(const char* from, const char* to) noexcept {
  if (renames_left > 0 && --renames_left == 0) ::_exit(77);
  return ::renameat(AT_FDCWD, from, AT_FDCWD, to);
}

namespace tacit::engine::earlier_run_test {

namespace fs = std::filesystem;
using test::content;
using test::put;

TEST(EarlierRun, AnEmptyDirectoryStaysEmpty) {
  const test::Scratch scratch;
  EXPECT_EQ(set_aside_earlier_run(scratch.path()), "");
  EXPECT_EQ(test::entries(scratch.path()), 0U);
}

TEST(EarlierRun, MovesResultsAndLeavesEverythingElse) {
  const test::Scratch scratch;
  const auto results = {"parameters.toml",   "statistics.csv",      "summary.json", "trace.json",
                        "picture.png",       "restart_000012.hdf5", "failed.hdf5",  "snapshot_0000.hdf5",
                        "snapshot_0000.png", "spectra_000010.hdf5", "output.log",   "output_000012.1of2.log",
                        "output.log.index"};
  const auto others = {"notes.txt",         "run.toml",    ".tacit.lock",         "my_snapshot_0000.hdf5",
                       "snapshot_0000.txt", "spectra.txt", "spectra_of_mine.csv", "my.log",
                       "output.1.log"};
  for (const char* name : results) put(scratch / name, name);
  for (const char* name : others) put(scratch / name, name);
  fs::create_directory(scratch / "snapshot_0001.hdf5");  // a folder is nothing that a run leaves
  EXPECT_EQ(set_aside_earlier_run(scratch.path()), (scratch / "earlier-1").string());
  for (const char* name : results) {
    EXPECT_FALSE(fs::exists(scratch / name)) << name;
    EXPECT_EQ(content(scratch / "earlier-1" / name), name);
  }
  for (const char* name : others) EXPECT_EQ(content(scratch / name), name);
  EXPECT_TRUE(fs::is_directory(scratch / "snapshot_0001.hdf5"));
}

TEST(EarlierRun, KnowsTheNamesOfTheSolver) {
  const test::Scratch scratch;
  for (const char* name : {"field_0001.vtu", "field_0001.png", "loops_000003.hdf5", "other_0001.vtu"}) {
    put(scratch / name, name);
  }
  const std::vector<Series> series{{.name = "field", .suffix = ".vtu"}, {.name = "loops"}};
  const fs::path moved = set_aside_earlier_run(scratch.path(), series);
  for (const char* name : {"field_0001.vtu", "field_0001.png", "loops_000003.hdf5"}) {
    EXPECT_TRUE(fs::exists(moved / name)) << name;
  }
  EXPECT_TRUE(fs::exists(scratch / "other_0001.vtu"));
}

TEST(EarlierRun, CountsOnAndOverwritesNothing) {
  const test::Scratch scratch;
  put(scratch / "earlier-2", "a file of another name");
  for (const char* text : {"first", "second", "third"}) {
    put(scratch / "summary.json", text);
    EXPECT_NE(set_aside_earlier_run(scratch.path()), "");
  }
  EXPECT_EQ(content(scratch / "earlier-1/summary.json"), "first");
  EXPECT_EQ(content(scratch / "earlier-2"), "a file of another name");
  EXPECT_EQ(content(scratch / "earlier-3/summary.json"), "second");
  EXPECT_EQ(content(scratch / "earlier-4/summary.json"), "third");
}

TEST(EarlierRun, AnInterruptedMoveIsFinished) {
  const std::vector<std::string> names{"parameters.toml",
                                       "restart_000012.hdf5",
                                       "snapshot_0000.hdf5",
                                       "snapshot_0000.part0-17f2f5c5-0.hdf5",
                                       "snapshot_0000.part1-17f2f5c5-0.hdf5",
                                       "statistics.csv"};
  const test::Scratch whole;
  for (const std::string& name : names) put(whole / name, name);
  std::size_t finished = 0;
  // The process ends at its k-th rename: the first one gives the list of what is moved its name.
  for (int k = 1; k <= static_cast<int>(names.size()) + 2; ++k) {
    const test::Scratch scratch;
    for (const std::string& name : names) fs::copy_file(whole / name, scratch / name);
    put(scratch / "earlier-1", "a file of another name");
    const int status = test::in_child([&] {
      renames_left = k;
      static_cast<void>(set_aside_earlier_run(scratch.path()));
      return 0;
    });
    EXPECT_EQ(status, k <= static_cast<int>(names.size()) + 1 ? 77 : 0) << k;
    const bool is_main_there = fs::exists(scratch / "snapshot_0000.hdf5");
    for (const std::string& name : names) {
      const bool is_part = name.find(".part") != std::string::npos;
      EXPECT_TRUE(!is_part || is_main_there || !fs::exists(scratch / name)) << "a part without its file, " << k;
    }
    const std::string moved = finish_moving_aside(scratch.path());
    EXPECT_TRUE(moved.empty() || moved == (scratch / "earlier-2").string());
    finished += moved.empty() ? 0 : 1;
    EXPECT_EQ(finish_moving_aside(scratch.path()), "");
    put(scratch / "statistics.csv.new", "");
    const std::string rest = set_aside_earlier_run(scratch.path());
    EXPECT_EQ(rest.empty(), k != 1) << "all that was there is in one folder";
    for (const std::string& name : names) EXPECT_EQ(content(scratch / "earlier-2" / name), name) << k;
  }
  EXPECT_EQ(finished, names.size());
}

TEST(EarlierRun, ADamagedListOfWhatIsMovedIsNamed) {
  const test::Scratch scratch;
  put(scratch / "statistics.csv", "step\n");
  for (const char* text : {"", "somewhere\nstatistics.csv\n", "earlier-1\n../statistics.csv\n", "../earlier-1\n"}) {
    put(scratch / ".tacit.moving", text);
    const std::string message = test::message_of<base::FormatError>([&] { finish_moving_aside(scratch.path()); });
    EXPECT_TRUE(message.starts_with((scratch / ".tacit.moving").string() + ": is damaged: an earlier run")) << message;
    EXPECT_EQ(content(scratch / "statistics.csv"), "step\n");
  }
}

TEST(EarlierRun, AMissingDirectoryIsASystemError) {
  const test::Scratch scratch;
  const std::string path = (scratch / "no").string();
  EXPECT_EQ(test::message_of<base::SystemError>([&] { set_aside_earlier_run(path); }),
            path + ": the results of an earlier run cannot be moved aside (No such file or directory)");
}

TEST(KeepStatistics, KeepsHeaderAndLinesUpToTheStep) {
  const test::Scratch scratch;
  const fs::path path = scratch / "statistics.csv";
  const std::string head = "step,time\n0,0\n3,0.5\n";
  put(path, head + "4,0.75\n5,1\n");
  keep_statistics_until(path, 3);
  EXPECT_EQ(content(path), head);
  keep_statistics_until(path, 100);
  EXPECT_EQ(content(path), head);
  keep_statistics_until(path, 0);
  EXPECT_EQ(content(path), "step,time\n0,0\n");
}

TEST(KeepStatistics, CutsOffWhatIsNoWholeLine) {
  const test::Scratch scratch;
  const fs::path path = scratch / "statistics.csv";
  const std::string head = "step,time,energy\n";
  const std::string lines = "0,0,1\n3,0.5,1\n";
  const std::string zeros(4096, '\0');
  const std::string behind = path.string() + " has no whole line behind ";
  struct Case {
    std::string found;
    std::string kept;
    std::string note;
  };
  for (const Case& one : {
           Case{head + lines + "7,0.75,1\n", head + lines, ""},
           {head + lines + zeros, head + lines, behind + "the line of step 3: cut back to there"},
           {head + lines + "4,0.6", head + lines, behind + "the line of step 3: cut back to there"},
           {head + lines + "4,0.6\n5,0.7,1\n", head + lines, behind + "the line of step 3: cut back to there"},
           {head + lines + "zero,0,0\n", head + lines, behind + "the line of step 3: cut back to there"},
           {head + lines + "2,0.4,1\n", head + lines, behind + "the line of step 3: cut back to there"},
           {head + "0,0,1\n" + zeros, head + "0,0,1\n",
            behind + "the line of step 0: cut back to there; lines up to step 3 are lost"},
           {head + "0,0,1\n", head + "0,0,1\n",
            path.string() + " ends with the line of step 0; lines up to step 3 are lost"},
           {"step,ti", "", behind + "its begin: cut back to there; lines up to step 3 are lost"},
           {zeros, "", behind + "its begin: cut back to there; lines up to step 3 are lost"},
           {"", "", path.string() + " is empty: begun again; lines up to step 3 are lost"},
       }) {
    put(path, one.found);
    const KeptStatistics kept = keep_statistics_until(path, 5, 3);
    EXPECT_EQ(content(path), one.kept);
    EXPECT_EQ(kept.note, one.note);
    EXPECT_EQ(kept.has_header, !one.kept.empty());
  }
  put(path, head + "0,0,1\n");
  EXPECT_EQ(keep_statistics_until(path, 5).note, "") << "earlier checkpoints do not say which line was the last";
  fs::remove(path);
  EXPECT_EQ(keep_statistics_until(path, 5, 3).note,
            path.string() + " is missing: begun again; lines up to step 3 are lost");
  EXPECT_EQ(content(path), "");
  fs::remove(path);
  fs::create_directory(path);
  EXPECT_NE(test::message_of<base::Error>([&] { keep_statistics_until(path, 5, 3); }), "nothing");
}

}  // namespace tacit::engine::earlier_run_test
