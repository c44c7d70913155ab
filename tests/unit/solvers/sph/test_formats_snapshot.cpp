// Snapshots in SWIFT's layout: what readers ask for is there, and what was written comes back.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "../../io/scratch.hpp"
#include "tacit/base/error.hpp"
#include "tacit/base/random.hpp"
#include "tacit/io/file.hpp"
#include "tacit/solvers/sph/formats/gadget.hpp"
#include "tacit/solvers/sph/formats/swift_snapshot.hpp"
#include "tacit/solvers/sph/formats/top_cells.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::sph::snapshot_test {
namespace {

namespace fs = std::filesystem;
using Numbers = std::vector<double>;

Numbers uniform_numbers(std::size_t n, std::uint64_t seed, double scale) {
  Numbers values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = scale * base::uniform(seed, i, 0);
  return values;
}

/// Random gas in a box of 2 x 1 x 1 and the snapshot made of it.
struct Gas {
  explicit Gas(std::size_t n)
      : x(uniform_numbers(n, 1, 2.0)),
        y(uniform_numbers(n, 2, 1.0)),
        z(uniform_numbers(n, 3, 1.0)),
        v(uniform_numbers(n, 4, 3.0)),
        m(n, 2.0 / static_cast<double>(std::max<std::size_t>(n, 1))),
        u(uniform_numbers(n, 5, 1.0)),
        h(n, 0.05),
        rho(uniform_numbers(n, 6, 1.0)) {
    for (std::size_t i = 0; i < n; ++i) id.push_back(n - i);
    header.run_name = "test";
    header.solver = "sph";
    header.time = 0.5;
    header.step = 17;
    header.box = {2, 1, 1};
    header.kernel_name = "Cubic spline (M4)";
    header.parameters = "[run]\nname = \"test\"\n";
    header.provenance = {{"commit", "0123456789ab"}};
    header.scheme = {{"CFL parameter", 0.1}};
  }
  std::uint64_t write(const fs::path& path) const {
    const std::vector<SnapshotField> fields{
        {"Velocities", "Velocities", base::dimension::velocity, io::Number::float32, columns({v, v, v})},
        {"Masses", "Masses", base::dimension::mass, io::Number::float32, columns({m})},
        {"InternalEnergies", "Energies per mass", base::dimension::specific_energy, io::Number::float32, columns({u})},
        {"SmoothingLengths", "Smoothing lengths", base::dimension::length, io::Number::float32, columns({h})},
        {"Densities", "Densities", base::dimension::density, io::Number::float32, columns({rho})}};
    return write_swift_snapshot(io::FileWriter(path, compression), header, id, columns({x, y, z}), fields, others);
  }
  Numbers x, y, z, v, m, u, h, rho;
  std::vector<std::uint64_t> id;
  SnapshotHeader header;
  int compression = 4;
  OtherParticles others;
};

double rounded(double value) { return static_cast<double>(static_cast<float>(value)); }

}  // namespace

TEST(SwiftSnapshot, ComesBackThroughReadGadget) {
  const test::Scratch scratch;
  const fs::path path = scratch / "snap.hdf5";
  Gas gas(20000);
  gas.header.units = {3.0857e21, 1.989e43, 3.0857e16, 1.0, 1.0};
  const std::uint64_t bytes = gas.write(path);
  EXPECT_EQ(bytes, fs::file_size(path));
  GadgetOptions options;
  options.units = gas.header.units;
  const InitialConditions back = read_gadget(path, options);
  ASSERT_EQ(back.size(), gas.id.size());
  EXPECT_EQ(back.time, 0.5);
  EXPECT_EQ(back.box, gas.header.box);
  for (std::size_t k = 0; k < back.size(); ++k) {
    const std::size_t i = gas.id.size() - back.id[k];  // IDs count down from N
    ASSERT_EQ(back.x[k], gas.x[i]);
    ASSERT_EQ(back.y[k], gas.y[i]);
    ASSERT_EQ(back.z[k], gas.z[i]);
    ASSERT_EQ(back.vx[k], rounded(gas.v[i]));
    ASSERT_EQ(back.vz[k], rounded(gas.v[i]));
    ASSERT_EQ(back.m[k], rounded(gas.m[i]));
    ASSERT_EQ(back.u[k], rounded(gas.u[i]));
    ASSERT_EQ(back.h[k], rounded(gas.h[i]));
  }
}

TEST(SwiftSnapshot, ABoxForPicturesAloneIsNoneWhenItIsReadBack) {
  const test::Scratch scratch;
  Gas gas(100);
  gas.header.is_box_only_shown = true;
  static_cast<void>(gas.write(scratch / "snap.hdf5"));
  EXPECT_EQ(read_gadget(scratch / "snap.hdf5", {.boundary = Boundary::open}).box, base::Vec3{});
  EXPECT_EQ(read_gadget(scratch / "snap.hdf5", {}).box, gas.header.box);
}

TEST(SwiftSnapshot, HasWhatReadersAskFor) {
  const test::Scratch scratch;
  const fs::path path = scratch / "snap.hdf5";
  const Gas gas(3000);
  gas.write(path);
  const io::FileReader file(path);
  for (const char* group : {"Cells", "Code", "Cosmology", "Header", "HydroScheme", "InternalCodeUnits", "Parameters",
                            "PartType0", "Policy", "Provenance", "SubgridScheme", "Units"}) {
    EXPECT_TRUE(file.has(group)) << group;
  }
  for (const char* name : {"BoxSize", "Code", "Dimension", "NumFilesPerSnapshot", "NumPart_ThisFile", "NumPart_Total",
                           "OutputType", "Redshift", "RunName", "Scale-factor", "SnapshotDate", "Time"}) {
    EXPECT_TRUE(file.has_attribute("Header", name)) << name;
  }
  EXPECT_EQ(file.attribute("Header", "NumPart_ThisFile"), (Numbers{3000, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(file.text_attribute("Header", "OutputType"), "FullVolume");
  EXPECT_EQ(file.text_attribute("Header", "Code"), "SWIFT");
  EXPECT_EQ(file.text_attribute("Code", "Written by"), "Tacit");
  EXPECT_EQ(file.text_attribute("Provenance", "commit"), "0123456789ab");
  EXPECT_EQ(file.text_attribute("Parameters", "Tacit:parameter_file"), gas.header.parameters);
  EXPECT_EQ(file.attribute_names("Units").size(), 5U);  // readers take every attribute for a unit
  EXPECT_EQ(file.attribute("HydroScheme", "CFL parameter"), Numbers{0.1});
  // Kernel target N_ngb = 4/3 pi (1.825742 * 1.2348)^3
  EXPECT_NEAR(file.attribute("HydroScheme", "Kernel target N_ngb").at(0), 47.995, 1e-3);
}

TEST(SwiftSnapshot, EveryArraySaysItsUnits) {
  const test::Scratch scratch;
  const fs::path path = scratch / "snap.hdf5";
  Gas gas(100);
  gas.header.units.length_in_cgs = 2.0;
  gas.header.units.mass_in_cgs = 16.0;
  gas.write(path);
  const io::FileReader file(path);
  const std::map<std::string, std::array<double, 3>> exponents{
      {"Coordinates", {1, 0, 0}},     {"Velocities", {1, 0, -1}}, {"Masses", {0, 1, 0}},
      {"ParticleIDs", {0, 0, 0}},     {"Densities", {-3, 1, 0}},  {"InternalEnergies", {2, 0, -2}},
      {"SmoothingLengths", {1, 0, 0}}};
  EXPECT_EQ(file.list("PartType0").size(), exponents.size());
  for (const auto& [name, expected] : exponents) {
    const std::string array = "PartType0/" + name;
    EXPECT_EQ(file.attribute(array, "U_L exponent"), Numbers{expected[0]}) << name;
    EXPECT_EQ(file.attribute(array, "U_M exponent"), Numbers{expected[1]}) << name;
    EXPECT_EQ(file.attribute(array, "U_t exponent"), Numbers{expected[2]}) << name;
    EXPECT_EQ(file.attribute(array, "U_I exponent"), Numbers{0.0}) << name;
    EXPECT_EQ(file.attribute(array, "U_T exponent"), Numbers{0.0}) << name;
    EXPECT_NE(file.text_attribute(array, "Description"), "") << name;
  }
  const char* factor = "Conversion factor to CGS (not including cosmological corrections)";
  EXPECT_EQ(file.attribute("PartType0/Densities", factor), Numbers{2.0});  // 16 / 2^3
  EXPECT_EQ(file.text_attribute("PartType0/Densities", "Expression for physical CGS units"), "U_M U_L^-3");
  EXPECT_EQ(file.text_attribute("PartType0/ParticleIDs", "Expression for physical CGS units"), "1");
}

TEST(SwiftSnapshot, CellsAreContiguousAndInBounds) {
  const test::Scratch scratch;
  const fs::path path = scratch / "snap.hdf5";
  const Gas gas(20000);
  gas.write(path);
  const io::FileReader file(path);
  const Numbers dimension = file.attribute("Cells/Meta-data", "dimension");
  EXPECT_EQ(dimension, (Numbers{4, 2, 2}));  // 20 cells wanted, of 0.464 along each side
  const std::size_t n = 16;
  std::vector<std::uint64_t> counts(n), offsets(n);
  Numbers centres(3 * n), low(3 * n), high(3 * n), x(60000);
  file.read("Cells/Counts/PartType0", std::span(counts));
  file.read("Cells/OffsetsInFile/PartType0", std::span(offsets));
  file.read("Cells/Centres", std::span(centres));
  file.read("Cells/MinPositions/PartType0", std::span(low));
  file.read("Cells/MaxPositions/PartType0", std::span(high));
  file.read("PartType0/Coordinates", std::span(x));
  const Numbers size = file.attribute("Cells/Meta-data", "size");
  EXPECT_EQ(size, (Numbers{0.5, 0.5, 0.5}));
  std::uint64_t seen = 0;
  for (std::size_t c = 0; c < n; ++c) {
    EXPECT_EQ(offsets[c], seen);
    for (std::uint64_t k = offsets[c]; k < offsets[c] + counts[c]; ++k) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        ASSERT_LE(std::abs(x[3 * k + axis] - centres[3 * c + axis]), 0.25);
        ASSERT_LE(low[3 * c + axis], x[3 * k + axis]);
        ASSERT_GE(high[3 * c + axis], x[3 * k + axis]);
      }
    }
    seen += counts[c];
  }
  EXPECT_EQ(seen, 20000U);
}

TEST(SwiftSnapshot, NoParticlesAndOneParticle) {
  const test::Scratch scratch;
  const Gas none(0);
  EXPECT_GT(none.write(scratch / "none.hdf5"), 0U);
  EXPECT_EQ(test::message_of<base::FormatError>([&] { (void)read_gadget(scratch / "none.hdf5", {}); }),
            (scratch / "none.hdf5").string() + ": has no gas (PartType0); it has no particles at all");
  const Gas one(1);
  EXPECT_GT(one.write(scratch / "one.hdf5"), 0U);
  EXPECT_EQ(read_gadget(scratch / "one.hdf5", {}).x, one.x);
}

TEST(SwiftSnapshot, CompressionIsAChoice) {
  const test::Scratch scratch;
  Gas gas(20000);
  const std::uint64_t packed = gas.write(scratch / "packed.hdf5");
  gas.compression = 0;
  const std::uint64_t plain = gas.write(scratch / "plain.hdf5");
  EXPECT_LT(packed, plain);
  GadgetOptions options;
  EXPECT_EQ(read_gadget(scratch / "packed.hdf5", options).u, read_gadget(scratch / "plain.hdf5", options).u);
}

TEST(TopCells, KeepsTheOrderWithinACellAndCatchesStrays) {
  const Numbers x{0.9, -5.0, 0.1, 7.0, 0.95}, y(5, 0.5);
  const TopGrid grid = make_top_grid(5, {1, 1, 1});
  EXPECT_EQ(grid.size(), 1U);
  const TopCells cells = sort_into(grid, 5, columns({x, y, y}));
  EXPECT_EQ(cells.order, (std::vector<std::uint32_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(cells.lowest, (Numbers{-5, 0.5, 0.5}));
  EXPECT_EQ(cells.highest, (Numbers{7, 0.5, 0.5}));
}

// Whoever has which block, and blocks of all ranks mixed: particles stand where one rank alone puts them.
TEST(TopCells, ParticlesOfRanksComeByTheirBlocks) {
  constexpr std::size_t particles = 3000;
  constexpr std::size_t per_block = 7;
  const Numbers x = uniform_numbers(particles, 1, 3.0), y = uniform_numbers(particles, 2, 1.0);
  const TopGrid grid = make_top_grid(particles, {3, 1, 1});
  ASSERT_GT(grid.size(), 1U);
  const TopCells alone = sort_into(grid, particles, columns({x, y, y}));
  for (const std::size_t size : {2U, 3U}) {
    std::vector<std::uint32_t> rows(particles);
    comm::testing::on_ranks(size, [&](comm::Communicator& ranks) {
      std::vector<ParticleBlock> blocks;
      std::vector<std::uint32_t> own;  // their numbers among all
      for (std::size_t block = 0; block * per_block < particles; ++block) {
        if (block * block % 5 % size != comm::number(ranks.rank())) continue;
        const std::size_t first = block * per_block;
        const std::size_t end = std::min(first + per_block, particles);
        blocks.push_back({block, end - first});
        for (std::size_t i = first; i < end; ++i) own.push_back(static_cast<std::uint32_t>(i));
      }
      Numbers own_x, own_y;
      for (const std::uint32_t i : own) {
        own_x.push_back(x[i]);
        own_y.push_back(y[i]);
      }
      TopCells cells = sort_into(grid, own.size(), columns({own_x, own_y, own_y}));
      const SharedCells shared = share(grid, cells, blocks, ranks);
      EXPECT_EQ(shared.particles, particles);
      EXPECT_EQ(cells.counts, alone.counts);
      EXPECT_EQ(cells.lowest, alone.lowest);
      std::size_t next = 0;
      for (const io::Part& part : shared.mine) {
        for (std::uint64_t row = 0; row < part.count[0]; ++row) rows[part.first[0] + row] = own[cells.order[next++]];
      }
      EXPECT_EQ(next, own.size());
    });
    EXPECT_EQ(rows, alone.order) << size;
  }
}

TEST(TopCells, TheGridFollowsTheBox) {
  using Grid = std::array<std::size_t, 3>;
  EXPECT_EQ(make_top_grid(1, {1, 1, 1}).n, (Grid{1, 1, 1}));
  EXPECT_EQ(make_top_grid(64000, {1, 1, 1}).n, (Grid{4, 4, 4}));  // 1000 each
  EXPECT_EQ(make_top_grid(64000, {8, 8, 0.01}).n, (Grid{16, 16, 1}));
  EXPECT_EQ(make_top_grid(5000000, {1, 1, 1}).n, (Grid{16, 16, 16}));
  EXPECT_EQ(make_top_grid(16000, {2, 0.5, 0.5}).n, (Grid{6, 1, 1}));  // cells of 0.315 fit 6.3 and 1.6 times
}

}  // namespace tacit::sph::snapshot_test
