// Initial fields out of arrays: of the level of the grid, of a finer and a coarser one, in both formats; bad files.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "support/temporary_folder.hpp"
#include "tacit/base/exact_sum.hpp"
#include "tacit/io/file.hpp"
#include "unit/comm/ranks.hpp"
#include "unit/solvers/amr/running_amr.hpp"

namespace tacit::amr::arrays_test {
namespace {

using testing::column;
using testing::parameters_of;
using testing::RunningAmr;

/// Along x, y and z; those of missing axes are 1.
using Cells = std::array<std::size_t, 3>;
using Field = std::function<double(double x, double y, double z)>;

std::vector<double> values_of(const Cells& cells, const Field& field) {
  std::vector<double> values;
  for (std::size_t z = 0; z < cells[2]; ++z) {
    for (std::size_t y = 0; y < cells[1]; ++y) {
      for (std::size_t x = 0; x < cells[0]; ++x) {
        const auto middle = [&](std::size_t place, std::size_t axis) {
          return (static_cast<double>(place) + 0.5) / static_cast<double>(cells[axis]);
        };
        values.push_back(field(middle(x, 0), middle(y, 1), middle(z, 2)));
      }
    }
  }
  return values;
}

/// As numpy.save does it. @param shape  "(8, 16)"
template <class Number = double>
void write_npy(const std::filesystem::path& path, const std::string& shape, const std::vector<double>& values,
               const std::string& type = sizeof(Number) == 8 ? "<f8" : "<f4", const std::string& order = "False") {
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}", type, order, shape);
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::ofstream file(path, std::ios::binary);
  file << std::string("\x93NUMPY\x01\x00", 8) << static_cast<char>(header.size() % 256)
       << static_cast<char>(header.size() / 256) << header;
  for (const double value : values) {
    const auto number = static_cast<Number>(value);
    file.write(reinterpret_cast<const char*>(&number), sizeof(Number));  // NOLINT
  }
}

double density(double x, double y, double z) { return 1.0 + 0.5 * std::sin(7.0 * x + 3.0 * y - 2.0 * z * z); }
double pressure(double x, double y, double /*z*/) { return 1.0 + 0.3 * std::cos(5.0 * y - x); }
double speed(double x, double y, double /*z*/) { return 0.4 * x - y; }
double part(double x, double /*y*/, double /*z*/) { return x; }

std::string text_of(const std::filesystem::path& folder, const std::string& amr, const std::string& more = "") {
  return fmt::format(
      "[initial]\nsetup = \"arrays\"\narrays.density = \"{0}/density.npy\"\narrays.pressure = "
      "\"{0}/gas.hdf5:/box/P\"\n{1}\n[amr]\n{2}",
      folder.string(), more, amr);
}

/// density.npy and gas.hdf5, in which there are box/P, velocity_y and mass_fraction_1.
void write_arrays(const std::filesystem::path& folder, const Cells& cells, std::size_t axes) {
  std::vector<std::uint64_t> shape;
  for (std::size_t axis = axes; axis > 0; --axis) shape.push_back(cells[axis - 1]);
  std::string text = "(";
  for (const std::uint64_t count : shape) text += fmt::format("{}, ", count);
  write_npy(folder / "density.npy", text + ")", values_of(cells, density));
  io::FileWriter file(folder / "gas.hdf5");
  const auto write = [&](const std::string& name, const Field& field) {
    file.array(name, values_of(cells, field), shape);
  };
  write("box/P", pressure);
  write("velocity_y", speed);
  write("mass_fraction_1", part);
  file.commit();
}

std::string with_all(const std::filesystem::path& folder) {
  return fmt::format("arrays.velocity_y = \"{0}/gas.hdf5\"\narrays.mass_fraction_1 = \"{0}/gas.hdf5\"\n",
                     folder.string());
}

TEST(AmrArrays, OfTheGridAreTheFormulasBitwise) {
  const test::TemporaryFolder folder;
  write_arrays(folder.path(), {16, 32, 1}, 2);
  const RunningAmr run(text_of(folder.path(), "root = [1, 2]\nlevel = 1\n", with_all(folder.path())));
  const AmrParameters parameters =
      parameters_of("initial.setup = \"wave\"\n[amr]\nroot = [1, 2]\nlevel = 1\nspecies = 2\n");
  AmrParameters direct = parameters;
  direct.initial = {.state = [](const Point& x) {
    return GasState{density(x[0], x[1], 0.5), {0.0, speed(x[0], x[1], 0.5), 0.0}, pressure(x[0], x[1], 0.5)};
  }};
  direct.initial.fractions = [](const Point& x) { return Fractions{part(x[0], 0.0, 0.0), 1.0 - part(x[0], 0.0, 0.0)}; };
  EXPECT_EQ(run.state(), RunningAmr(direct).state());
}

/// Sub-grids of levels 0 to 2 from arrays of level 1: means where sub-grids are coarser; where they are finer, all
/// parts of a cell are alike. Either way mass, momentum and species are those of the arrays; on two ranks, too.
TEST(AmrArrays, OfAnotherLevelKeepMassMomentumAndSpecies) {
  const test::TemporaryFolder folder;
  const Cells cells{64, 16, 16};
  write_arrays(folder.path(), cells, 3);
  const AmrParameters parameters = parameters_of(
      text_of(folder.path(), "root = [4, 1, 1]\nlow = \"outflow\"\nregions = [2, 0.8, 0.9, 0.1, 0.4, 0.1, 0.4]\n",
              with_all(folder.path())));
  const RunningAmr run(parameters);
  ASSERT_EQ(run.solver().tree().finest(), 2U);
  ASSERT_EQ(run.solver().tree().coarsest(), 0U);
  const std::vector<double> rho = values_of(cells, density);
  const std::vector<double> v = values_of(cells, speed);
  const std::vector<double> X = values_of(cells, part);
  std::array<base::ExactSum, 3> sums;
  for (std::size_t i = 0; i < rho.size(); ++i) {
    const double mass = rho[i] / static_cast<double>(rho.size());
    sums[0].add(mass);
    sums[1].add(mass * v[i]);
    sums[2].add(mass * X[i]);
  }
  EXPECT_NEAR(column(run, "mass"), sums[0].value(), 1e-14);
  EXPECT_NEAR(column(run, "momentum_y"), sums[1].value(), 1e-14);
  EXPECT_NEAR(column(run, "mass_species_1"), sums[2].value(), 1e-14);
  std::vector<std::vector<double>> parts(2);
  comm::testing::on_ranks(
      2, [&](comm::Communicator& world) { parts[number(world.rank())] = RunningAmr(parameters, 1, world).state(); });
  parts[0].insert(parts[0].end(), parts[1].begin(), parts[1].end());
  EXPECT_EQ(parts[0], run.state());
}

TEST(AmrArrays, OfSinglePrecisionAndTheOtherOrderOfBytesAreRead) {
  const test::TemporaryFolder folder;
  const std::vector<double> rho = values_of({8, 1, 1}, density);
  const auto mass = [&] {
    const std::string file = (folder / "density.npy").string();
    return column(RunningAmr(fmt::format("[initial]\nsetup = \"arrays\"\narrays.density = \"{0}\"\narrays.pressure = "
                                         "\"{0}\"\n[amr]\nroot = [1]\n",
                                         file)),
                  "mass");
  };
  const double exact = std::accumulate(rho.begin(), rho.end(), 0.0) / 8.0;
  write_npy<float>(folder / "density.npy", "(8,)", rho);
  EXPECT_NEAR(mass(), exact, 1e-7);
  std::vector<double> swapped = rho;
  for (double& value : swapped) {
    auto bytes = std::bit_cast<std::array<char, 8>>(value);
    std::ranges::reverse(bytes);
    value = std::bit_cast<double>(bytes);
  }
  write_npy(folder / "density.npy", "(8,)", swapped, ">f8");
  EXPECT_NEAR(mass(), exact, 1e-15);
}

TEST(AmrArrays, BadOnesAreNamedWithWhatWasExpected) {
  const test::TemporaryFolder folder;
  const auto refuses = [&](const std::vector<std::string>& words, const std::string& more = "") {
    try {
      RunningAmr run(text_of(folder.path(), "root = [1, 2]\n", more));
      ADD_FAILURE() << words[0];
    } catch (const base::Error& error) {
      for (const std::string& word : words)
        EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  };
  const std::vector<double> good = values_of({8, 16, 1}, density);
  const auto rho = folder / "density.npy";
  const auto restore = [&] { write_arrays(folder.path(), {8, 16, 1}, 2); };
  restore();
  write_npy(rho, "(8, 16)", good);
  refuses({"initial.arrays.density", "density.npy has the shape (8, 16)", "(16, 8)"});
  write_npy(rho, "(16, 8)", good, "<i8");
  refuses({"initial.arrays.density", "'<i8'", "'<f8'"});
  write_npy(rho, "(16, 8)", good, "<f8", "True");
  refuses({"initial.arrays.density", "order of Fortran"});
  write_npy(rho, "(16, 8)", std::vector<double>(good.begin(), good.end() - 1));
  refuses({"initial.arrays.density", "has 1144 bytes, expected 1152: it is cut off"});
  write_npy(rho, "(16, 99999999999999999, 99999999999999)", good);
  refuses({"density.npy", "has more numbers than a file can hold"});
  write_npy(rho, "(16, x)", good);
  refuses({"density.npy", "descr, fortran_order and shape"});
  std::ofstream(rho, std::ios::binary) << "x";
  refuses({"density.npy", "no array in NumPy's format"});
  std::ofstream(rho, std::ios::binary) << std::string("\x93NUMPY\x01\x00\xff\xff", 10);
  refuses({"density.npy", "ends within its header"});
  std::filesystem::remove(rho);
  refuses({"initial.arrays.density", "density.npy is no file"});
  for (const double bad : {-1.0, std::numeric_limits<double>::quiet_NaN()}) {
    std::vector<double> values = good;
    values[8 * 3 + 5] = bad;
    write_npy(rho, "(16, 8)", values);
    refuses(
        {"density.npy", "the cell (5, 3, 0)", bad < 0.0 ? "has -1, expected more than 0" : "expected a finite number"});
  }
  restore();
  refuses({"initial.arrays.velocity_x", "gas.hdf5: velocity_x is missing"},
          fmt::format("arrays.velocity_x = \"{}/gas.hdf5\"", folder.path().string()));
  refuses({"initial.arrays.mass_fraction_2", "mass_fraction_1 is not"},
          fmt::format("arrays.mass_fraction_2 = \"{}/gas.hdf5:mass_fraction_1\"", folder.path().string()));
  write_npy(folder / "small.npy", "(8,)", values_of({8, 1, 1}, speed));
  refuses({"initial.arrays.velocity_x", "small.npy has the shape (8), expected (16, 8)"},
          fmt::format("arrays.velocity_x = \"{}/small.npy\"", folder.path().string()));
}

}  // namespace
}  // namespace tacit::amr::arrays_test
