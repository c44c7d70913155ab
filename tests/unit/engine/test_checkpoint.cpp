// The engine's part of a checkpoint comes back whole, or is refused with a reason.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "../io/scratch.hpp"
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
  state.provenance = {{"commit", "0123"}};
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
  Conserved first;
  first.mass = 2.0;
  first.momentum = {0.1, 0.2, 0.3};
  first.momentum_scale = 0.7;
  first.kinetic_energy = 1.0 / 3.0;
  first.internal_energy = 0.4;
  first.potential_energy = -0.5;
  first.angular_momentum = base::Vec3{1.0, 2.0, 3.0};
  first.angular_momentum_scale = 4.0;
  Conserved last = first;
  last.mass = 2.5;
  last.angular_momentum = base::Vec3{1.0, 2.0, 3.5};
  state.conservation.add(first);
  last.kinetic_energy = 7.0;
  state.conservation.add(last);
  last.kinetic_energy = 0.5;
  state.conservation.add(last);
  write(scratch / "restart.hdf5", state);

  const auto file = open_checkpoint(scratch / "restart.hdf5", "sph");
  const EngineState back = load_engine(file);
  EXPECT_EQ(back.solver, "sph");
  EXPECT_EQ(back.time, state.time);
  EXPECT_EQ(back.dt, state.dt);
  EXPECT_EQ(back.step, state.step);
  EXPECT_EQ(back.snapshots, state.snapshots);
  EXPECT_EQ(back.updates, state.updates);
  EXPECT_EQ(back.conservation.start().energy(), first.energy());
  EXPECT_EQ(back.conservation.start().momentum, first.momentum);
  EXPECT_EQ(back.conservation.last().mass, 2.5);
  EXPECT_EQ(back.conservation.last().angular_momentum, last.angular_momentum);
  EXPECT_EQ(back.conservation.mass.relative(), state.conservation.mass.relative());
  EXPECT_EQ(back.conservation.energy.largest_change, state.conservation.energy.largest_change);
  EXPECT_EQ(back.conservation.energy.scale, 7.0);
  EXPECT_EQ(back.conservation.angular_momentum.relative(), state.conservation.angular_momentum.relative());
}

TEST(EngineCheckpoint, ComesBackWithoutStatistics) {
  const test::Scratch scratch;
  write(scratch / "restart.hdf5", sample());
  EXPECT_TRUE(load_engine(open_checkpoint(scratch / "restart.hdf5", "sph")).conservation.empty());
}

TEST(EngineCheckpoint, RefusesWhatIsNotOne) {
  const test::Scratch scratch;
  const fs::path path = scratch / "restart.hdf5";
  EXPECT_EQ(complaint(path), ": there is no checkpoint to continue from; leave out --restart to begin anew");
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
  EXPECT_EQ(complaint(path), ": Engine: attribute 'counters' is missing");
}

TEST(EngineCheckpoint, RefusesAnotherSolversAndAnotherLayout) {
  const test::Scratch scratch;
  const fs::path path = scratch / "restart.hdf5";
  EngineState state = sample();
  state.solver = "md";
  write(path, state);
  EXPECT_EQ(complaint(path), ": belongs to solver 'md', but the parameter file says 'sph'");
  io::FileWriter file(path);
  const std::array<std::int64_t, 4> counters{99, 1, 1, 1};
  file.group("Engine");
  file.attribute("Engine", "solver", std::string_view("sph"));
  file.attribute("Engine", "counters", std::span<const std::int64_t>(counters));
  file.commit();
  EXPECT_EQ(complaint(path),
            ": has another layout than this version of Tacit writes; continue it with the version that wrote it, or "
            "start from a snapshot");
}

TEST(EngineCheckpoint, RefusesNumbersThatAreNotFinite) {
  const test::Scratch scratch;
  EngineState state = sample();
  state.time = std::numeric_limits<double>::quiet_NaN();
  write(scratch / "restart.hdf5", state);
  EXPECT_EQ(complaint(scratch / "restart.hdf5"), ": Engine: attribute 'time' does not hold 2 finite numbers");
}

}  // namespace tacit::engine::checkpoint_test
