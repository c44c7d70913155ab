// Folders and plotfiles of several ranks: whole, the same bytes on any number of them, or absent.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <signal.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "../comm/ranks.hpp"
#include "scratch.hpp"
#include "tacit/base/error.hpp"
#include "tacit/io/output_directory.hpp"
#include "tacit/io/plotfile.hpp"
#include "tacit/io/rank_folder.hpp"

namespace tacit::io {
namespace {

namespace fs = std::filesystem;
using comm::testing::on_ranks;

/// All files of a folder, by their names in it.
std::map<std::string, std::string> files_in(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files[fs::relative(entry.path(), folder).string()] = test::content(entry.path());
  }
  return files;
}

/// Writes a folder of two files, in which every rank has a line.
void write_folder(const fs::path& path, comm::Communicator& world, const std::string& line) {
  RankFolder folder(path, world);
  folder.make("inner");
  for (const char* const name : {"inner/lines", "lines"}) {
    RankFile file = folder.file(name);
    file.append(line + std::to_string(number(world.rank())) + "\n");
    file.commit();
  }
  EXPECT_FALSE(fs::exists(path / "lines") && test::content(path / "lines").starts_with(line));
  world.synchronise();  // the first rank alone puts it in place, as soon as it is ready
  folder.commit();
}

TEST(RankFolder, IsThereWithAllFilesOnce) {
  const test::Scratch scratch;
  for (const std::size_t ranks : {1U, 3U}) {
    const std::string line = std::to_string(ranks) + " ranks: ";
    std::string expected;
    for (std::size_t rank = 0; rank < ranks; ++rank) expected += line + std::to_string(rank) + "\n";
    on_ranks(ranks, [&](comm::Communicator& world) { write_folder(scratch / "all", world, line); });
    EXPECT_EQ(files_in(scratch / "all"),
              (std::map<std::string, std::string>{{"inner/lines", expected}, {"lines", expected}}));
    EXPECT_EQ(test::entries(scratch.path()), 1U) << "the one before is gone";
  }
}

TEST(RankFolder, WithoutCommitTheOneBeforeStays) {
  const test::Scratch scratch;
  fs::create_directory(scratch / "all");
  test::put(scratch / "all/before", "text");
  on_ranks(2, [&](comm::Communicator& world) {
    {
      RankFolder folder(scratch / "all", world);
      RankFile file = folder.file("new");
      file.append("new");
      file.commit();
    }
    world.synchronise();
    EXPECT_EQ(files_in(scratch / "all"), (std::map<std::string, std::string>{{"before", "text"}}));
    EXPECT_EQ(test::entries(scratch.path()), 1U);
  });
}

TEST(RankFolder, FailuresAreSaidByAllWithTheNameThatItWasToHave) {
  const test::Scratch scratch;
  test::put(scratch / "file", "text");
  on_ranks(2, [&](comm::Communicator& world) {
    const auto said = [&](const auto& action) { return test::message_of<base::SystemError>(action); };
    EXPECT_TRUE(said([&] {
                  const RankFolder folder(scratch / "file", world);
                }).starts_with((scratch / "file").string() + ": rank 0: cannot be made: a file has this name"));
    EXPECT_TRUE(said([&] {
                  const RankFolder folder(scratch / "nowhere/all", world);
                }).starts_with((scratch / "nowhere/all").string() + ": rank 0: cannot be made; "));
    RankFolder folder(scratch / "all", world);
    EXPECT_TRUE(said([&] { folder.make("no/where"); }).starts_with((scratch / "all/no/where").string() + ": rank 0: "));
    RankFile file = folder.file("large");
    // Beyond what any file can be.
    if (number(world.rank()) == 1) file.write(std::uint64_t{1} << 62, std::as_bytes(std::span("x", 1)));
    const std::string message = said([&] { file.commit(); });
    EXPECT_TRUE(message.starts_with((scratch / "all/large").string() + ": rank 1: cannot be written")) << message;
    EXPECT_EQ(message.find(".tacit-write"), std::string::npos) << message;
  });
  EXPECT_EQ(test::content(scratch / "file"), "text");
  EXPECT_EQ(test::entries(scratch.path()), 1U);
}

TEST(RankFolder, WhatAKilledProcessLeftGoesWithTheNextRun) {
  const test::Scratch scratch;
  EXPECT_LT(test::in_child([&] {
              on_ranks(1, [&](comm::Communicator& world) {
                RankFolder folder(scratch / "all", world);
                folder.make("inner");
                folder.file("inner/lines").append("text");
                ::raise(SIGKILL);
              });
              return 0;
            }),
            0);
  EXPECT_EQ(test::entries(scratch.path()), 1U);
  EXPECT_FALSE(fs::exists(scratch / "all"));
  const OutputDirectory next(scratch.path());
  EXPECT_EQ(test::entries(scratch.path()), 1U) << "its lock alone";
  EXPECT_TRUE(fs::exists(scratch / ".tacit.lock"));
}

PlotfileContent two_levels(Number number) {
  PlotLevel coarse{.domain = {{0, 0, 0}, {7, 1, 0}}, .spacing = {0.25, 0.5, 1.0}, .boxes = {}};
  PlotLevel fine{.domain = {{0, 0, 0}, {15, 3, 0}}, .spacing = {0.125, 0.25, 1.0}, .boxes = {}};
  for (std::int64_t i = 0; i < 4; ++i) coarse.boxes.push_back({{2 * i, 0, 0}, {2 * i + 1, 1, 0}});
  fine.boxes = {{{4, 2, 0}, {5, 3, 0}}};
  return {.dimensions = 2,
          .fields = {"a", "b"},
          .levels = {coarse, fine},
          .low = {-1.0, 0.0, 0.0},
          .high = {1.0, 1.0, 1.0},
          .time = 0.1,
          .step = 7,
          .number = number};
}

/// Numbers that tell level, box, field and cell; no float has them.
double number_at(std::size_t level, std::size_t box, std::size_t place) {
  return 1.0 / 3.0 + static_cast<double>(100 * level + 10 * box + place);
}

std::map<std::string, std::string> plotfile_on(std::size_t ranks, const test::Scratch& scratch, Number number_type) {
  on_ranks(ranks, [&](comm::Communicator& world) {
    Plotfile file(scratch / "plt", two_levels(number_type), world);
    for (const std::size_t level : {1U, 0U}) {
      const std::size_t boxes = level == 0 ? 4 : 1;
      const std::size_t rank = number(world.rank());
      const std::size_t first = boxes * rank / ranks;
      file.write_level(level, first, boxes * (rank + 1) / ranks - first,
                       [&](std::size_t box, std::span<double> values) {
                         for (std::size_t place = 0; place < values.size(); ++place)
                           values[place] = number_at(level, box, place);
                       });
    }
    file.add_text("note", "text\n");
    file.commit();
  });
  return files_in(scratch / "plt");
}

TEST(Plotfile, HasTheTextsOfTheFormat) {
  const test::Scratch scratch;
  const auto files = plotfile_on(1, scratch, Number::float64);
  EXPECT_EQ(files.at("Header"),
            "HyperCLaw-V1.1\n2\na\nb\n2\n0.10000000000000001\n1\n-1 0 \n1 1 \n2 \n"
            "((0,0) (7,1) (0,0)) ((0,0) (15,3) (0,0)) \n7 7 \n0.25 0.5 \n0.125 0.25 \n0\n0\n"
            "0 4 0.10000000000000001\n7\n-1 -0.5\n0 1\n-0.5 0\n0 1\n0 0.5\n0 1\n0.5 1\n0 1\nLevel_0/Cell\n"
            "1 1 0.10000000000000001\n7\n-0.5 -0.25\n0.5 1\nLevel_1/Cell\n");
  EXPECT_EQ(files.at("Level_1/Cell_H"),
            "1\n1\n2\n0\n(1 0\n((4,2) (5,3) (0,0))\n)\n1\nFabOnDisk: Cell_D_00000 0\n\n1,2\n"
            "1.00333333333333329e+02,1.04333333333333329e+02,\n\n1,2\n"
            "1.03333333333333329e+02,1.07333333333333329e+02,\n\n");
  EXPECT_EQ(files.at("note"), "text\n");
}

TEST(Plotfile, HasTheCellsBoxByBoxAndFieldByField) {
  const test::Scratch scratch;
  const auto files = plotfile_on(1, scratch, Number::float64);
  const std::string& cells = files.at("Level_0/Cell_D_00000");
  std::size_t at = 0;
  for (std::size_t box = 0; box < 4; ++box) {
    const std::string text = "FAB ((8, (64 11 52 0 1 12 0 1023)),(8, (8 7 6 5 4 3 2 1)))((" + std::to_string(2 * box) +
                             ",0) (" + std::to_string(2 * box + 1) + ",1) (0,0)) 2\n";
    EXPECT_EQ(cells.substr(at, text.size()), text);
    EXPECT_NE(files.at("Level_0/Cell_H").find("FabOnDisk: Cell_D_00000 " + std::to_string(at) + "\n"),
              std::string::npos);
    at += text.size();
    for (std::size_t place = 0; place < 8; ++place, at += sizeof(double)) {
      double value = 0.0;
      std::memcpy(&value, cells.data() + at, sizeof value);
      EXPECT_EQ(value, number_at(0, box, place));
    }
  }
  EXPECT_EQ(at, cells.size());
}

TEST(Plotfile, HasTheSameBytesOnAnyRanks) {
  const test::Scratch scratch;
  for (const Number number_type : {Number::float64, Number::float32}) {
    const auto alone = plotfile_on(1, scratch, number_type);
    for (const std::size_t ranks : {2U, 3U, 6U}) EXPECT_EQ(plotfile_on(ranks, scratch, number_type), alone) << ranks;
  }
}

TEST(Plotfile, StoresSinglePrecisionWhereThatIsAskedFor) {
  const test::Scratch scratch;
  const auto files = plotfile_on(1, scratch, Number::float32);
  const std::string& cells = files.at("Level_1/Cell_D_00000");
  const std::string text = "FAB ((8, (32 8 23 0 1 9 0 127)),(4, (4 3 2 1)))((4,2) (5,3) (0,0)) 2\n";
  ASSERT_EQ(cells.size(), text.size() + 8 * sizeof(float));
  EXPECT_EQ(cells.substr(0, text.size()), text);
  float value = 0.0F;
  std::memcpy(&value, cells.data() + text.size() + 3 * sizeof value, sizeof value);
  EXPECT_EQ(value, static_cast<float>(number_at(1, 0, 3)));
}

}  // namespace
}  // namespace tacit::io
