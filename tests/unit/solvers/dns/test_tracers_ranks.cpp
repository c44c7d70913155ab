// Tracers and fields from files on several ranks: bitwise identical on any ranks and grids of them, in memory and in
// files. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <numbers>
#include <string>
#include <vector>

#include "flows_on_ranks.hpp"
#include "support/temporary_folder.hpp"
#include "tacit/solvers/dns/formats/field_file.hpp"
#include "tacit/solvers/dns/setups/setups.hpp"
#include "tacit/solvers/dns/tracers/tracers.hpp"

namespace tacit::dns::tracers_ranks_test {

using testing::RunningFlow;

constexpr double pi = std::numbers::pi;
constexpr std::size_t count = 301;  // no multiple of ranks
constexpr std::array grids{fft::ProcessGrid{1, 1}, fft::ProcessGrid{1, 2}, fft::ProcessGrid{2, 2},
                           fft::ProcessGrid{3, 1}};

std::string name_of(const fft::ProcessGrid& grid) {
  return std::to_string(grid.column_size) + " x " + std::to_string(grid.row_size);
}

FlowParameters parameters_of(const fft::ProcessGrid& grid) {
  FlowParameters parameters;
  parameters.points = {10, 12, 9};
  parameters.box = {2 * pi, 3.0, 5.0};
  parameters.viscosity = 0.01;
  parameters.algorithm.grid = grid;
  return parameters;
}

/// Calls work(run) on each rank of a grid.
template <class Work>
void on_grid(const fft::ProcessGrid& grid, const Work& work) {
  testing::on_ranks(parameters_of(grid), grid.ranks(), 1, work);
}

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void step(Flow& flow, Tracers& tracers, int steps) {
  for (int i = 0; i < steps; ++i) {
    flow.step(0.3, [&](kernels::Substage substage) { tracers.advance(substage, 0.3); });
  }
}

/// All that tracers say after some steps that take them through several ranks.
struct Outcome {
  std::vector<base::Vec3> positions = std::vector<base::Vec3>(count);
  std::vector<base::Vec3> velocities = std::vector<base::Vec3>(count);
  std::vector<int> owners = std::vector<int>(count);  // how many ranks have it
  std::array<double, 2> means{};
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

void collect(const Flow& flow, Tracers& tracers, Outcome& outcome) {
  tracers.measure();
  for (const Tracer& tracer : tracers.tracers()) {
    outcome.positions[tracer.id] = tracer.position;
    outcome.velocities[tracer.id] = tracer.velocity;
    ++outcome.owners[tracer.id];
  }
  const TracerMeans means = tracers.means();
  if (testing::is_first(flow)) outcome.means = {means.square_displacement, means.correlation};
}

/// Writes checkpoint.hdf5 half-way and tracers.hdf5 at the end.
Outcome run(const fft::ProcessGrid& grid, const std::filesystem::path& folder) {
  Outcome outcome;
  on_grid(grid, [&](RunningFlow& run) {
    Flow& flow = run.flow;
    make(Isotropic{.energy = 2.0, .peak = 2.0}, flow);
    Tracers tracers(flow, {.count = count}, run.scheduler);
    step(flow, tracers, 3);
    io::FileWriter file(folder / "checkpoint.hdf5", 0, flow.ranks().world());
    tracers.save(file);
    file.commit();
    step(flow, tracers, 3);
    collect(flow, tracers, outcome);
    tracers.write(folder / "tracers.hdf5", {.coordinate = 1.0, .double_precision = true});
  });
  return outcome;
}

TEST(TracersRanks, GridsGiveIdenticalResultsInMemoryAndInFiles) {
  const test::TemporaryFolder folder;
  const Outcome expected = run(grids[0], folder.path());
  const std::string checkpoint = content_of(folder / "checkpoint.hdf5");
  const std::string file = content_of(folder / "tracers.hdf5");
  EXPECT_EQ(expected.owners, std::vector<int>(count, 1));
  EXPECT_GT(expected.means[0], 1.0);  // they go as far as ranks are wide
  EXPECT_GT(checkpoint.size(), count * 72);
  for (const fft::ProcessGrid& grid : grids) {
    const Outcome found = run(grid, folder.path());
    EXPECT_EQ(found.owners, expected.owners) << name_of(grid);
    EXPECT_TRUE(found == expected) << name_of(grid);
    EXPECT_TRUE(content_of(folder / "checkpoint.hdf5") == checkpoint) << name_of(grid);
    EXPECT_TRUE(content_of(folder / "tracers.hdf5") == file) << name_of(grid);
  }
}

TEST(TracersRanks, RestartOnAnyRanks) {
  const test::TemporaryFolder folder;
  run(grids[2], folder.path());
  Outcome expected;
  for (const fft::ProcessGrid& grid : grids) {
    Outcome found;
    on_grid(grid, [&](RunningFlow& run) {
      Flow& flow = run.flow;
      make(Isotropic{.energy = 2.0, .peak = 2.0}, flow);
      Tracers tracers(flow, {.count = count}, run.scheduler, io::FileReader(folder / "checkpoint.hdf5"));
      step(flow, tracers, 2);
      collect(flow, tracers, found);
    });
    if (grid.ranks() == 1) expected = found;
    EXPECT_TRUE(found == expected) << name_of(grid);
  }
  EXPECT_EQ(expected.owners, std::vector<int>(count, 1));
}

/// All modes of a flow of all ranks.
std::vector<Complex> modes_of(const fft::ProcessGrid& grid, const std::filesystem::path& file) {
  std::vector<Complex> modes = testing::room_for(parameters_of(grid));
  on_grid(grid, [&](RunningFlow& run) {
    FieldFile(file).give_velocity(run.flow);
    testing::collect(run.flow, modes);
  });
  return modes;
}

// Smaller, larger and of other proportions than the flow, so that modes change their ranks.
TEST(TracersRanks, FieldsFromFilesAreTheSameOnAnyRanks) {
  const test::TemporaryFolder folder;
  for (const fft::Shape& n : {fft::Shape{6, 5, 14}, fft::Shape{16, 30, 11}}) {
    io::FileWriter file(folder / "field.hdf5");
    for (const auto& [name, seed] : {std::pair{"u", 1U}, std::pair{"v", 2U}, std::pair{"w", 3U}}) {
      std::vector<double> values;
      for (std::size_t i = 0; i < n[0] * n[1] * n[2]; ++i) {
        values.push_back(std::sin(static_cast<double>(i * i % 1013 + 7 * seed * i)));
      }
      file.array(name, values, std::array<std::uint64_t, 3>{n[2], n[1], n[0]}, io::Number::float64);
    }
    file.commit();
    const std::vector<Complex> expected = modes_of(grids[0], folder / "field.hdf5");
    for (const fft::ProcessGrid& grid : grids) {
      EXPECT_TRUE(modes_of(grid, folder / "field.hdf5") == expected) << name_of(grid) << " from " << n[0];
    }
  }
}

}  // namespace tacit::dns::tracers_ranks_test
