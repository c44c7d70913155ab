// The engine's part of a checkpoint comes back whole, or is refused with a reason.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "../io/scratch.hpp"
#include "tacit/base/provenance.hpp"
#include "tacit/engine/checkpoint.hpp"

namespace tacit::engine::checkpoint_test {
namespace {

namespace fs = std::filesystem;

EngineState sample() {
  EngineState state;
  state.solver = "sph";
  state.time = 0.1;
  state.dt = 1.0 / 3.0;
  state.step = (1ULL << 40U) + 1;
  state.snapshots = 17;
  state.updates = (1ULL << 50U) + 1;
  state.parameters = "time.end = 1\n";
  state.provenance = {{"commit", "0123"}, {"input", "ics.hdf5"}, {"input checksum", "abc"}};
  return state;
}

void write(const fs::path& path, const EngineState& state) {
  io::FileWriter file(path);
  save_engine(file, state);
  file.commit();
}

/// What opening and loading says, without the path.
std::string complaint(const fs::path& path) {
  const std::string message = test::message_of<base::Error>([&] {
    const auto file = open_checkpoint(path, "sph");
    static_cast<void>(load_engine(file));
  });
  return message.starts_with(path.string()) ? message.substr(path.string().size()) : message;
}

}  // namespace

TEST(EngineCheckpoint, ComesBack) {
  const test::Scratch scratch;
  EngineState state = sample();
  MechanicalSums first;
  first.mass = 2.0;
  first.momentum = {0.1, 0.2, 0.3};
  first.momentum_scale = 0.7;
  first.kinetic_energy = 1.0 / 3.0;
  first.internal_energy = 0.4;
  first.potential_energy = -0.5;
  first.angular_momentum = base::Vec3{1.0, 2.0, 3.0};
  first.angular_momentum_scale = 4.0;
  MechanicalSums last = first;
  last.mass = 2.5;
  last.angular_momentum = base::Vec3{1.0, 2.0, 3.5};
  state.conservation.add(first.conserved().quantities);
  last.kinetic_energy = 7.0;
  state.conservation.add(last.conserved().quantities);
  last.kinetic_energy = 0.5;
  state.conservation.add(last.conserved().quantities);
  state.statistics_step = 7;
  write(scratch / "restart.hdf5", state);

  const auto file = open_checkpoint(scratch / "restart.hdf5", "sph");
  const EngineState back = load_engine(file);
  EXPECT_EQ(back.solver, "sph");
  EXPECT_EQ(back.time, state.time);
  EXPECT_EQ(back.dt, state.dt);
  EXPECT_EQ(back.step, state.step);
  EXPECT_EQ(back.snapshots, state.snapshots);
  EXPECT_EQ(back.updates, state.updates);
  EXPECT_EQ(back.statistics_step, 7U);
  ASSERT_EQ(back.conservation.entries().size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    const Conservation::Entry& entry = back.conservation.entries()[i];
    const Conservation::Entry& stored = state.conservation.entries()[i];
    EXPECT_EQ(entry.name, stored.name);
    EXPECT_EQ(entry.start, stored.start) << entry.name;
    EXPECT_EQ(entry.last, stored.last) << entry.name;
    EXPECT_EQ(entry.largest_change, stored.largest_change) << entry.name;
    EXPECT_EQ(entry.scale, stored.scale) << entry.name;
    EXPECT_EQ(entry.is_kept, stored.is_kept) << entry.name;
  }
  EXPECT_EQ(back.origin.input, "ics.hdf5");
  EXPECT_EQ(back.origin.checksum, "abc");
}

TEST(EngineCheckpoint, RefusesOtherSettings) {
  const test::Scratch scratch;
  const fs::path path = scratch / "restart.hdf5";
  io::FileWriter file(path);
  file.group("Sph");
  save_settings(file, "Sph", "2-D");
  file.commit();
  const io::FileReader reader(path);
  require_same_settings(reader, "Sph", "2-D", "start again.");
  EXPECT_EQ(test::message_of<base::FormatError>([&] { require_same_settings(reader, "Sph", "3-D", "start again."); }),
            path.string() +
                ": was written with other settings than the parameter file has now:\n  2-D\n  3-D\n"
                "  Set these back, or start again.");
}

TEST(EngineCheckpoint, ComesBackWithoutStatistics) {
  const test::Scratch scratch;
  write(scratch / "restart.hdf5", sample());
  EXPECT_TRUE(load_engine(open_checkpoint(scratch / "restart.hdf5", "sph")).conservation.entries().empty());
}

TEST(EngineCheckpoint, RefusesWhatIsNotOne) {
  const test::Scratch scratch;
  const fs::path path = scratch / "restart.hdf5";
  EXPECT_EQ(complaint(path), ": cannot be opened for reading (No such file or directory)");
  test::put(path, "no HDF5 at all");
  EXPECT_NE(complaint(path), "nothing");
  {
    io::FileWriter file(path);
    file.group("PartType0");
    file.commit();
  }
  EXPECT_EQ(complaint(path), ": is not a checkpoint of Tacit (it has no group Engine)");
  {
    io::FileWriter file(path);
    file.group("Engine");
    file.attribute("Engine", "solver", std::string_view("sph"));
    file.commit();
  }
  EXPECT_EQ(complaint(path), ": Engine: attribute 'layout' is missing");
}

TEST(EngineCheckpoint, RefusesAnotherSolversAndAnotherLayout) {
  const test::Scratch scratch;
  const fs::path path = scratch / "restart.hdf5";
  EngineState state = sample();
  state.solver = "md";
  write(path, state);
  EXPECT_EQ(complaint(path), ": belongs to solver 'md', but the parameter file says 'sph'");
  io::FileWriter file(path);
  file.group("Engine");
  file.attribute("Engine", "solver", std::string_view("sph"));
  file.attribute("Engine", "layout", std::array<std::int64_t, 1>{99});
  file.commit();
  EXPECT_EQ(
      complaint(path),
      ": has the layout 99 of an earlier version, and this version, " + base::provenance().version +
          ", reads layout 6; continue it with a version that reads it (docs/guide/restarting.md), or start from a "
          "snapshot");
}

TEST(EngineCheckpoint, RefusesNumbersThatAreNotFinite) {
  const test::Scratch scratch;
  EngineState state = sample();
  state.time = std::numeric_limits<double>::quiet_NaN();
  write(scratch / "restart.hdf5", state);
  EXPECT_EQ(complaint(scratch / "restart.hdf5"), ": Engine: attribute 'time' does not hold 1 finite number");
}

TEST(EngineCheckpoint, ANumberOfASolverIsOneFiniteNumber) {
  const test::Scratch scratch;
  io::FileWriter writer(scratch.path() / "numbers.hdf5");
  writer.group("Heat");
  writer.attribute("Heat", "good", std::array{-2.5});
  writer.attribute("Heat", "two", std::array{1.0, 2.0});
  writer.attribute("Heat", "endless", std::array{std::numeric_limits<double>::infinity()});
  writer.commit();
  const io::FileReader file(scratch.path() / "numbers.hdf5");
  EXPECT_EQ(load_number(file, "Heat", "good", "rate"), -2.5);
  const auto complaint_of = [&](const char* name, double least) {
    return test::message_of<base::Error>([&] { static_cast<void>(load_number(file, "Heat", name, "rate", least)); });
  };
  const std::string damaged = file.path().string() + ": has no rate; the file is damaged";
  EXPECT_EQ(complaint_of("good", 0.0), damaged);
  for (const char* name : {"two", "endless"}) EXPECT_EQ(complaint_of(name, -10.0), damaged) << name;
}

}  // namespace tacit::engine::checkpoint_test
