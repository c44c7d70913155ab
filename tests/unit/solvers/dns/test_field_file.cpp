// Fields from files: at their own resolution, at others, and files that are none.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "running_flow.hpp"
#include "support/temporary_folder.hpp"
#include "tacit/solvers/dns/formats/field_file.hpp"
#include "tacit/solvers/dns/setups/setups.hpp"

namespace tacit::dns::field_file_test {

using testing::RunningFlow;

constexpr double pi = std::numbers::pi;
constexpr base::Vec3 cube{2 * pi, 2 * pi, 2 * pi};

RunningFlow running(const fft::Shape& points, const base::Vec3& box = cube,
                    fft::Truncation truncation = fft::Truncation::two_thirds, const PhysicsParameters& physics = {}) {
  return RunningFlow({.points = points, .box = box, .viscosity = 0.01, .truncation = truncation, .physics = physics});
}

using Path = std::filesystem::path;

/// As the solver has them in its checkpoints.
void write_modes(const Path& path, const Flow& flow) {
  io::FileWriter file(path);
  file.group("Dns");
  const fft::Modes& modes = flow.pencils().modes();
  const std::array<std::uint64_t, 4> shape{modes.count(0), modes.count(2), modes.count(1), 2};
  constexpr std::array names{"Dns/u", "Dns/v", "Dns/w"};
  for (std::size_t c = 0; c < 3; ++c) {
    std::vector<double> numbers;
    for (const Complex& mode : flow.modes(c)) numbers.insert(numbers.end(), {mode.real(), mode.imag()});
    file.array(names[c], numbers, shape, io::Number::float64);
  }
  const base::Vec3& box = flow.parameters().box;
  file.attribute("Dns", "box", std::array{box.x, box.y, box.z});
  file.commit();
}

using Velocity = std::function<base::Vec3(double x, double y, double z)>;

/// u, v and w at points of a box with sides 1, which the functions get.
void write_points(const Path& path, const fft::Shape& n, const Velocity& velocity) {
  std::array<std::vector<double>, 3> fields;
  for (std::size_t z = 0; z < n[2]; ++z) {
    for (std::size_t y = 0; y < n[1]; ++y) {
      for (std::size_t x = 0; x < n[0]; ++x) {
        const auto at = [](std::size_t i, std::size_t points) {
          return static_cast<double>(i) / static_cast<double>(points);
        };
        const base::Vec3 u = velocity(at(x, n[0]), at(y, n[1]), at(z, n[2]));
        for (std::size_t c = 0; c < 3; ++c) fields[c].push_back(u[c]);
      }
    }
  }
  io::FileWriter file(path);
  const std::array<std::uint64_t, 3> shape{n[2], n[1], n[0]};
  file.array("u", fields[0], shape, io::Number::float64);
  file.array("v", fields[1], shape, io::Number::float64);
  file.array("w", fields[2], shape, io::Number::float64);
  file.commit();
}

/// The very same numbers; of zeros the sign may differ.
bool same_numbers(const Flow& a, const Flow& b) {
  for (std::size_t c = 0; c < 3; ++c) {
    if (!std::ranges::equal(a.modes(c), b.modes(c))) return false;
  }
  return true;
}

double largest_difference(const Flow& a, const Flow& b) {
  double largest = 0.0;
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t i = 0; i < a.modes(c).size(); ++i) {
      largest = std::max(largest, std::abs(a.modes(c)[i] - b.modes(c)[i]));
    }
  }
  return largest;
}

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const base::Error& error) {
    return error.what();
  }
  return "";
}

// Sizes that are no cubes, even and odd ones, up along some axes and down along others.
TEST(FieldFile, ModesGoToAnotherResolutionAndBackUnchanged) {
  const test::TemporaryFolder folder;
  for (const auto truncation : {fft::Truncation::two_thirds, fft::Truncation::spherical}) {
    RunningFlow coarse = running({12, 16, 9}, cube, truncation);
    make(Isotropic{.peak = 2.0}, coarse.flow);
    write_modes(folder / "coarse.hdf5", coarse.flow);
    RunningFlow fine = running({24, 18, 15}, cube, truncation);
    EXPECT_LT(FieldFile(folder / "coarse.hdf5").give_velocity(fine.flow), 1e-14);
    EXPECT_DOUBLE_EQ(fine.flow.energetics().energy, coarse.flow.energetics().energy);
    EXPECT_DOUBLE_EQ(fine.flow.energetics().enstrophy, coarse.flow.energetics().enstrophy);
    write_modes(folder / "fine.hdf5", fine.flow);
    RunningFlow back = running({12, 16, 9}, cube, truncation);
    FieldFile(folder / "fine.hdf5").give_velocity(back.flow);
    EXPECT_TRUE(same_numbers(coarse.flow, back.flow));
  }
}

TEST(FieldFile, TruncationKeepsTheModesThatThereAre) {
  const test::TemporaryFolder folder;
  RunningFlow fine = running({32, 32, 32});
  make(Isotropic{.peak = 4.0}, fine.flow);
  write_modes(folder / "fine.hdf5", fine.flow);
  RunningFlow coarse = running({16, 16, 16});
  FieldFile(folder / "fine.hdf5").give_velocity(coarse.flow);
  const auto& few = coarse.flow.pencils();
  const auto& many = fine.flow.pencils();
  for (std::size_t x = 0; x < few.modes().count(0); ++x) {
    for (std::size_t y = 0; y < few.modes().count(1); ++y) {
      const std::int64_t ky = few.modes().wave_number(1, y);
      const std::size_t y_of_many =
          static_cast<std::size_t>(ky >= 0 ? ky : ky + static_cast<std::int64_t>(many.modes().count(1)));
      EXPECT_EQ(coarse.flow.modes(1)[few.spectral_place(x, y, 2)],
                fine.flow.modes(1)[many.spectral_place(x, y_of_many, 2)]);
    }
  }
  EXPECT_LT(coarse.flow.energetics().energy, fine.flow.energetics().energy);
}

base::Vec3 abc(const base::Vec3& x) {
  return {std::sin(x.z) + 0.7 * std::cos(x.y), 0.9 * std::sin(x.x) + std::cos(x.z),
          0.7 * std::sin(x.y) + 0.9 * std::cos(x.x)};
}

// A field with few modes is the same at any resolution that has them.
TEST(FieldFile, PointsGoToAnyResolution) {
  const test::TemporaryFolder folder;
  for (const fft::Shape& stored : {fft::Shape{8, 8, 8}, fft::Shape{5, 6, 7}, fft::Shape{30, 3, 12}}) {
    write_points(folder / "field.hdf5", stored, [](double x, double y, double z) {
      return abc({2 * pi * x, 2 * pi * y, 2 * pi * z});
    });
    for (const fft::Shape& points : {fft::Shape{16, 16, 16}, fft::Shape{10, 24, 4}}) {
      RunningFlow exact = running(points);
      exact.flow.set(abc);
      RunningFlow read = running(points);
      EXPECT_LT(FieldFile(folder / "field.hdf5").give_velocity(read.flow), 1e-14);
      // Some ten roundings of each transform, of numbers up to 1.9.
      EXPECT_LT(largest_difference(exact.flow, read.flow), 10 * 1.9 * 1.1e-16);
    }
  }
}

// A wave of two points is the same as that of its negative wave number: which one it was is unknown.
TEST(FieldFile, WavesOfTwoPointsAreDropped) {
  const test::TemporaryFolder folder;
  write_points(folder / "field.hdf5", {8, 8, 8}, [](double x, double y, double /*z*/) {
    return base::Vec3{std::sin(2 * pi * y), std::cos(8 * pi * x), 0.0};
  });
  RunningFlow read = running({32, 32, 32});
  FieldFile(folder / "field.hdf5").give_velocity(read.flow);
  EXPECT_NEAR(read.flow.energetics().energy, 0.25, 1e-15);
}

TEST(FieldFile, DivergenceIsTakenOutAndSaid) {
  const test::TemporaryFolder folder;
  // u = sin x is a gradient; u = sin y has no divergence.
  write_points(folder / "field.hdf5", {8, 8, 8}, [](double x, double y, double /*z*/) {
    return base::Vec3{0.5 * std::sin(2 * pi * x) + std::sin(2 * pi * y), 0.0, 0.0};
  });
  RunningFlow read = running({12, 12, 12});
  EXPECT_NEAR(FieldFile(folder / "field.hdf5").give_velocity(read.flow), 0.5, 1e-14);
  EXPECT_NEAR(read.flow.energetics().energy, 0.25, 1e-15);
  EXPECT_LT(read.flow.energetics().divergence, 1e-15);
  const std::string warning = make(FromFile{folder / "field.hdf5"}, read.flow);
  EXPECT_NE(warning.find("|k.u| was 0.5 of"), std::string::npos) << warning;
  write_points(folder / "clean.hdf5", {8, 8, 8}, [](double, double y, double) {
    return base::Vec3{std::sin(2 * pi * y), 0.0, 0.0};
  });
  EXPECT_EQ(make(FromFile{folder / "clean.hdf5"}, read.flow), "");
}

void write_array(const Path& path, const char* name, std::vector<std::uint64_t> shape, double value = 0.0) {
  std::size_t size = 1;
  for (const std::uint64_t n : shape) size *= n;
  io::FileWriter file(path);
  if (std::strchr(name, '/') != nullptr) file.group(Path(name).parent_path());
  file.array(name, std::vector<double>(size, value), shape, io::Number::float64);
  file.commit();
}

TEST(FieldFile, SaysWhatIsWrong) {
  const test::TemporaryFolder folder;
  const Path path = folder / "field.hdf5";
  const auto error = [&] {
    RunningFlow read = running({8, 8, 8});
    return error_of([&] { FieldFile(path).give_velocity(read.flow); });
  };
  const auto says = [&](const std::string& text) {
    const std::string found = error();
    EXPECT_EQ(found.find(path.string() + ": "), 0U) << found;
    EXPECT_NE(found.find(text), std::string::npos) << found;
  };
  write_array(path, "density", {8, 8, 8});
  says("has no velocity that is known; expected u, v and w of shape (z, y, x)");
  write_array(path, "u", {8, 8, 8});
  says("has no array v");
  write_array(path, "u", {8, 8});
  says("u has the shape (8, 8), expected (z, y, x)");
  write_array(path, "VTKHDF/PointData/velocity", {8, 8, 8, 2});
  says("has the shape (8, 8, 8, 2), expected (z, y, x, 3)");
  write_array(path, "VTKHDF/PointData/velocity", {1, 8, 8, 3});
  says("at least 2 points along each axis");
  write_array(path, "VTKHDF/PointData/velocity", {8, 8, 8, 3}, std::numeric_limits<double>::quiet_NaN());
  says("at z 0, y 0, x 0 is nan, expected a finite number");
  write_array(path, "Dns/u", {3, 4, 5, 2});
  says("odd numbers of modes along ky and kz");
  write_array(path, "Dns/u", {3, 5, 5});
  says("Dns/u has the shape (3, 5, 5), expected (kx, kz, ky, 2)");
  std::ofstream(path) << "no HDF5";
  EXPECT_EQ(error().find(path.string()), 0U);
}

// A scalar and the buoyancy b, of which the flow carries b/N; a second scalar is not in the file and stays.
TEST(FieldFile, ScalarsAreTakenWhereTheyAre) {
  const test::TemporaryFolder folder;
  const PhysicsParameters physics{.scalars = {{.diffusivity = 0.1}, {.diffusivity = 0.2}}, .stratification = 4.0};
  const std::array<std::uint64_t, 3> shape{6, 8, 10};
  std::vector<double> scalar;
  std::vector<double> buoyancy;
  for (std::size_t i = 0; i < 6 * 8 * 10; ++i) {
    scalar.push_back(std::cos(2 * pi * static_cast<double>(i / 10 % 8) / 8));
    buoyancy.push_back(std::sin(2 * pi * static_cast<double>(i % 10) / 10));
  }
  {
    io::FileWriter file(folder / "field.hdf5");
    for (const char* name : {"u", "v", "w"}) file.array(name, std::vector<double>(480), shape, io::Number::float64);
    file.array("scalar1", scalar, shape, io::Number::float64);
    file.array("buoyancy", buoyancy, shape, io::Number::float64);
    file.commit();
  }
  RunningFlow run = running({12, 16, 9}, cube, fft::Truncation::two_thirds, physics);
  ASSERT_EQ(run.flow.scalars(), 3U);
  run.flow.set_scalar(1, [](const base::Vec3& x) { return std::sin(x.z); });
  FieldFile(folder / "field.hdf5").give_scalars(run.flow);
  const auto expect = [&](std::size_t number, const std::function<double(double x, double y, double z)>& exact) {
    double worst = 0.0;
    run.flow.scalar_at_points(number, [&](std::size_t y, std::size_t z, const double* row) {
      for (std::size_t x = 0; x < 12; ++x) {
        const auto angle = [](std::size_t i, std::size_t n) {
          return 2 * pi * static_cast<double>(i) / static_cast<double>(n);
        };
        worst = std::max(worst, std::abs(row[x] - exact(angle(x, 12), angle(y, 16), angle(z, 9))));
      }
    });
    EXPECT_LT(worst, 30 * 1.1e-16) << number;  // some ten roundings of each of two transforms, of numbers up to 1
  };
  expect(0, [](double, double y, double) { return std::cos(y); });
  expect(1, [](double, double, double z) { return std::sin(z); });
  expect(2, [](double x, double, double) { return std::sin(x) / 4.0; });
}

TEST(FieldFile, NamesTheScalarsThatTheFlowDoesNotHave) {
  const test::TemporaryFolder folder;
  const std::array<std::uint64_t, 3> shape{8, 8, 8};
  {
    io::FileWriter file(folder / "field.hdf5");
    for (const char* name : {"u", "v", "w", "scalar1", "scalar2", "buoyancy"}) {
      file.array(name, std::vector<double>(512), shape, io::Number::float64);
    }
    file.commit();
  }
  using Names = std::vector<std::string>;
  const auto left_out = [&](const PhysicsParameters& physics) {
    const RunningFlow run = running({8, 8, 8}, cube, fft::Truncation::two_thirds, physics);
    return FieldFile(folder / "field.hdf5").left_out(run.flow);
  };
  EXPECT_EQ(left_out({}), (Names{"scalar1", "scalar2", "buoyancy"}));
  EXPECT_EQ(left_out({.scalars = {{}}, .stratification = 1.0}), (Names{"scalar2"}));
  EXPECT_EQ(left_out({.scalars = {{}, {}, {}}, .stratification = 1.0}), Names{});
}

TEST(FieldFile, AnotherBoxIsRefused) {
  const test::TemporaryFolder folder;
  RunningFlow first = running({8, 8, 8}, {1.0, 1.0, 2.0});
  make(Isotropic{.peak = 2.0}, first.flow);
  write_modes(folder / "field.hdf5", first.flow);
  RunningFlow second = running({8, 8, 8}, {1.0, 1.0, 1.0});
  const std::string error = error_of([&] { FieldFile(folder / "field.hdf5").give_velocity(second.flow); });
  EXPECT_NE(error.find("its box has the sides (1, 1, 2), but dns.box is (1, 1, 1): they differ along z"),
            std::string::npos)
      << error;
}

}  // namespace tacit::dns::field_file_test
