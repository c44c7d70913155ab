// Algorithms of passes: measured once, alike on all ranks, kept in a file; and FFTW's wisdom beside it.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/comm/bootstrap/threads.hpp"
#include "tacit/fft/tuning.hpp"
#include "tacit/fft/wisdom.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::fft::tuning_test {

/// A folder of its own that goes with it.
class Folder {
 public:
  Folder() : path(std::filesystem::temp_directory_path() / ("tacit-fft-tuning-" + std::to_string(::getpid()))) {
    std::filesystem::create_directory(path);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  const std::filesystem::path path;
};

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string error_of(const std::function<void()>& function) {
  try {
    function();
  } catch (const base::Error& error) {
    return error.what();
  }
  return {};
}

const PassQuestion question{.modes = Modes({12, 12, 12}, Truncation::two_thirds),
                            .fields = {.in = 1, .out = 1, .mixed = 1},
                            .rigor = Rigor::estimate};

/// The choice of each rank.
std::vector<PassAlgorithm> choices(std::size_t ranks, const PassAlgorithm& wanted, const std::filesystem::path& file) {
  std::vector<PassAlgorithm> found(ranks);
  comm::testing::on_ranks(ranks, [&](comm::Communicator& world) {
    trace::Recorder recorder(1);
    tasks::Scheduler scheduler(1, recorder);
    found[number(world.rank())] = choose_algorithm<double>(question, wanted, scheduler, world, file);
    for (const trace::Transfer& transfer : recorder.track(0).transfers()) {
      EXPECT_TRUE(recorder.name(transfer.kind).starts_with("tuning: ")) << recorder.name(transfer.kind);
      EXPECT_GT(transfer.alone_s, 0.0);
    }
    world.synchronise();
  });
  return found;
}

TEST(Tuning, AllRanksChooseAlikeAndTheFileRemembers) {
  const Folder folder;
  const auto file = folder.path / "ways";
  const auto measured = choices(2, {}, file);
  for (const PassAlgorithm& way : measured) {
    EXPECT_EQ(way, measured.front());
    EXPECT_EQ(way.grid.ranks(), 2U);
  }
  // What another run has written is taken: this one would hardly be measured.
  auto tunings = base::parse_tunings(pass_tunings, text_of(file), file.string());
  ASSERT_EQ(tunings.size(), 1U);
  EXPECT_EQ(tunings.begin()->second.front(), measured.front().grid.row_size == 1 ? '1' : '2');
  const PassAlgorithm odd{.grid = {.row_size = 2, .column_size = 1}, .division = {.chunks = 3, .groups = 5}};
  tunings.begin()->second = "2 1 3 5";
  std::ofstream(file) << base::tunings_text(pass_tunings, tunings);
  for (const PassAlgorithm& way : choices(2, {}, file)) EXPECT_EQ(way, odd);
  // What is named is another question.
  const PassAlgorithm slabs{.grid = {.row_size = 1, .column_size = 2}, .division = {.chunks = 1, .groups = 0}};
  EXPECT_EQ(choices(2, slabs, file).front().grid, slabs.grid);
  EXPECT_EQ(choices(2, slabs, file).front().division.chunks, 1U);
  EXPECT_EQ(base::parse_tunings(pass_tunings, text_of(file), file.string()).size(), 2U);
}

TEST(Tuning, ADamagedFileIsNamedWithItsLine) {
  const Folder folder;
  const auto file = folder.path / "ways";
  std::ofstream(file) << base::tunings_text(pass_tunings, {}) << "2 two 1 1 something\n";
  const std::string first = error_of([&] { static_cast<void>(choices(2, {}, file)); });
  EXPECT_NE(first.find(file.string() + ":2: '2 two 1 1 something' is not four numbers"), std::string::npos) << first;
  std::vector<std::string> errors(2);
  comm::testing::on_ranks(2, [&](comm::Communicator& world) {
    trace::Recorder recorder(1);
    tasks::Scheduler scheduler(1, recorder);
    errors[number(world.rank())] =
        error_of([&] { static_cast<void>(choose_algorithm<double>(question, {}, scheduler, world, file)); });
    world.synchronise();
  });
  EXPECT_NE(errors[1].find("could not read the tunings"), std::string::npos) << errors[1];
  EXPECT_NE(
      error_of([] { static_cast<void>(base::parse_tunings(pass_tunings, "nonsense\n", "f")); }).find("f:1: 'nonsense'"),
      std::string::npos);
  for (const char* line : {"2 2 1 1", "-2 2 1 1 k", "0 2 1 1 k", "2 2 -1 1 k"}) {
    EXPECT_THROW(
        static_cast<void>(base::parse_tunings(pass_tunings, base::tunings_text(pass_tunings, {}) + line + "\n", "f")),
        base::FormatError)
        << line;
  }
}

TEST(Tuning, GridsToTryGiveEveryRankSomething) {
  comm::testing::on_ranks(4, [](comm::Communicator& world) {
    // Three planes: no slabs. Two wave numbers kx: no rows of four.
    const auto grids = grids_to_try(Modes({4, 20, 3}, Truncation::two_thirds), world);
    EXPECT_EQ(grids, (std::vector<ProcessGrid>{{.row_size = 2, .column_size = 2}}));
    const auto more = grids_to_try(Modes({20, 20, 20}, Truncation::two_thirds), world);
    EXPECT_EQ(more.front(), (ProcessGrid{.row_size = 1, .column_size = 4}));
    EXPECT_EQ(more.size(), 3U);
    EXPECT_NE(error_of([&] {
                static_cast<void>(grids_to_try(Modes({2, 2, 3}, Truncation::two_thirds), world));
              }).find("4 ranks for 2 x 2 x 3 points"),
              std::string::npos);
  });
}

TEST(Tuning, WisdomIsKeptAndUnwritableFilesAreSaid) {
  const Folder folder;
  const auto file = folder.path / "wisdom";
  comm::testing::on_ranks(2, [&](comm::Communicator& world) {
    share_wisdom<double>({22, 26, 14}, Rigor::measure, world, file);
    world.synchronise();
  });
  EXPECT_NE(text_of(file).find("fftw"), std::string::npos);
  const std::string before = text_of(file);
  comm::Communicator alone(comm::bootstrap_alone());
  share_wisdom<double>({22, 26, 14}, Rigor::measure, alone, file);
  EXPECT_EQ(text_of(file), before);
  share_wisdom<double>({34, 26, 14}, Rigor::estimate, alone, folder.path / "none");
  EXPECT_FALSE(std::filesystem::exists(folder.path / "none"));
  const auto nowhere = folder.path / "missing" / "wisdom";
  EXPECT_NE(error_of([&] {
              share_wisdom<double>({38, 26, 14}, Rigor::measure, alone, nowhere);
            }).find("cannot write what FFTW has measured"),
            std::string::npos);
}

}  // namespace tacit::fft::tuning_test
