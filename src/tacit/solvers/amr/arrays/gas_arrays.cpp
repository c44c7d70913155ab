// Opens the arrays, and makes means of their cells.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/amr/arrays/gas_arrays.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <optional>
#include <span>
#include <utility>

#include "tacit/base/error.hpp"
#include "tacit/io/file.hpp"
#include "tacit/solvers/amr/arrays/npy_file.hpp"

namespace tacit::amr {
namespace {

using Cell = std::array<std::int64_t, 3>;

class NpyArray final : public ArraySource {
 public:
  explicit NpyArray(const std::filesystem::path& path) : file_(path) {}
  [[nodiscard]] std::string name() const override { return file_.path().string(); }
  [[nodiscard]] const std::vector<std::uint64_t>& shape() const override { return file_.shape(); }
  void read_part(const io::Part& part, std::span<double> out) const override { file_.read_part(part, out); }

 private:
  NpyFile file_;
};

class Hdf5Array final : public ArraySource {
 public:
  Hdf5Array(const std::filesystem::path& path, std::string array)
      : file_(path), array_(std::move(array)), shape_(file_.info(array_).shape) {}
  [[nodiscard]] std::string name() const override { return fmt::format("{}, array {}", file_.path().string(), array_); }
  [[nodiscard]] const std::vector<std::uint64_t>& shape() const override { return shape_; }
  void read_part(const io::Part& part, std::span<double> out) const override { file_.read_part(array_, part, out); }

 private:
  io::FileReader file_;
  std::string array_;
  std::vector<std::uint64_t> shape_;
};

}  // namespace

std::unique_ptr<ArraySource> open_array(const config::Parameters& p, std::string_view key) {
  std::filesystem::path path = p.path(key);
  std::string array(key.substr(key.rfind('.') + 1));
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    const std::string text = path.string();
    const std::size_t colon = text.rfind(':');
    if (colon != std::string::npos && std::filesystem::exists(text.substr(0, colon), ignored)) {
      path = text.substr(0, colon);
      array = text.substr(colon + 1);
    }
  }
  const auto refuse = [&](const std::string& what) {
    throw config::Error(p.where(key), std::string(key), what,
                        "\"density.npy\" of numpy.save, \"gas.hdf5\" with an array of the key's name, or "
                        "\"gas.hdf5:group/array\"");
  };
  if (!std::filesystem::is_regular_file(path, ignored)) refuse(fmt::format("{} is no file", path.string()));
  try {
    if (path.extension() == ".npy") return std::make_unique<NpyArray>(path);
    return std::make_unique<Hdf5Array>(path, array);
  } catch (const base::Error& error) {
    refuse(error.what());
  }
  return {};
}

GasArrays::GasArrays(const config::Parameters& p, const Keys& keys, const Domain& domain, double gamma)
    : domain_(domain), gamma_(gamma) {
  const auto open = [&](const char* key) {
    std::unique_ptr<ArraySource> array = open_array(p, key);
    if (arrays_.empty()) {
      set_level(p, key, *array);
    } else if (array->shape() != arrays_[0]->shape()) {
      throw config::Error(
          p.where(key), key,
          fmt::format("{} has the shape ({}), expected ({}), which {} has", array->name(),
                      fmt::join(array->shape(), ", "), fmt::join(arrays_[0]->shape(), ", "), arrays_[0]->name()),
          "arrays of the same cells");
    }
    arrays_.push_back(std::move(array));
  };
  for (const char* const key : keys.gas) {
    if (p.has(key)) {
      open(key);
    } else {
      arrays_.push_back(nullptr);
    }
  }
  for (const char* const key : keys.fractions) {
    if (!p.has(key)) continue;
    if (key != keys.fractions[fractions_]) {  // NOLINT(cppcoreguidelines-pro-bounds-constant-array-index)
      throw config::Error(p.where(key), key, fmt::format("is given, and {} is not", keys.fractions[fractions_]),
                          "give those of the first species");
    }
    open(key);
    ++fractions_;
  }
}

/// The level whose cells the array has.
void GasArrays::set_level(const config::Parameters& p, const char* key, const ArraySource& array) {
  const auto expected = [&](std::uint32_t level) {
    std::vector<std::uint64_t> shape;
    for (std::size_t axis = domain_.dimensions; axis > 0; --axis)
      shape.push_back(static_cast<std::uint64_t>(domain_.cells(axis - 1, level)));
    return shape;
  };
  constexpr std::uint32_t deepest = 20;
  for (level_ = 0; level_ <= deepest; ++level_) {
    if (array.shape() == expected(level_)) return;
  }
  throw config::Error(p.where(key), key,
                      fmt::format("{} has the shape ({}), expected that of a level: ({}), or 2, 4, ... times as many "
                                  "along each axis, the last one (x) first in amr.root",
                                  array.name(), fmt::join(array.shape(), ", "), fmt::join(expected(0), ", ")),
                      "amr.root times amr.block cells along each axis, doubled as often as the array is fine");
}

/// Cells of the arrays, x fastest.
struct GasArrays::Box {
  Cell first{};
  Cell count{};
  std::vector<std::vector<double>> values;  ///< by array; empty: 0
  [[nodiscard]] double at(std::size_t array, std::size_t place) const {
    return values[array].empty() ? 0.0 : values[array][place];
  }
};

GasArrays::Box GasArrays::read(const Cell& first, const Cell& count) const {
  Box box{first, count, {}};
  io::Part part;
  for (std::size_t axis = domain_.dimensions; axis > 0; --axis) {
    part.first.push_back(static_cast<std::uint64_t>(first[axis - 1]));
    part.count.push_back(static_cast<std::uint64_t>(count[axis - 1]));
  }
  const std::lock_guard lock(mutex_);
  for (const auto& array : arrays_) {
    box.values.emplace_back();
    if (array == nullptr) continue;
    box.values.back().resize(part.size());
    array->read_part(part, box.values.back());
  }
  // What is in a cell of the arrays must be a gas.
  const auto refuse = [&](std::size_t array, std::size_t place, const std::string& expected) {
    const auto x = static_cast<std::int64_t>(place);
    throw base::FormatError(arrays_[array]->name(),
                            fmt::format("the cell ({}, {}, {}), x first, has {:.6g}, expected {}",
                                        first[0] + x % count[0], first[1] + x / count[0] % count[1],
                                        first[2] + x / (count[0] * count[1]), box.values[array][place], expected));
  };
  for (std::size_t array = 0; array < box.values.size(); ++array) {
    const std::vector<double>& values = box.values[array];
    const bool is_positive = array == 0 || array == 4;
    const bool is_part = array > 4;
    for (std::size_t place = 0; place < values.size(); ++place) {
      const double value = values[place];
      if (!std::isfinite(value)) refuse(array, place, "a finite number");
      if (is_positive && !(value > 0.0)) refuse(array, place, "more than 0");
      if (is_part && !(value >= 0.0 && value <= 1.0)) refuse(array, place, "0 to 1");
    }
  }
  constexpr double rounding = 1e-6;  // of single precision
  for (std::size_t place = 0; fractions_ > 1 && place < part.size(); ++place) {
    double sum = 0.0;
    for (std::size_t k = 0; k < fractions_; ++k) sum += box.at(5 + k, place);
    if (sum > 1.0 + rounding)
      refuse(4 + fractions_, place,
             fmt::format("at most 1 together with the fractions before it: they are {:.9g}", sum));
  }
  return box;
}

std::vector<GasMeans> GasArrays::means(std::uint32_t level, const Cell& first) const {
  const std::uint32_t finer = level_ > level ? level_ - level : 0;
  const std::uint32_t coarser = level > level_ ? level - level_ : 0;
  Cell cells{};  // of the sub-grid
  Cell parts{};  // of the arrays in each of them
  for (std::size_t axis = 0; axis < 3; ++axis) {
    cells[axis] = static_cast<std::int64_t>(domain_.cells_of_block(axis));
    parts[axis] = axis < domain_.dimensions ? std::int64_t{1} << finer : 1;
  }
  std::vector<GasMeans> result;
  result.reserve(static_cast<std::size_t>(cells[0] * cells[1] * cells[2]));
  const double share = 1.0 / static_cast<double>(parts[0] * parts[1] * parts[2]);
  for (std::int64_t z = 0; z < cells[2]; ++z) {
    // A layer of cells at a time: a sub-grid may have very many of the arrays.
    Cell begin{};
    Cell count{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::int64_t low = first[axis] + (axis == 2 ? z : 0);
      const std::int64_t wide = axis == 2 ? 1 : cells[axis];
      const std::uint32_t fewer = axis < domain_.dimensions ? coarser : 0;
      begin[axis] = (low * parts[axis]) >> fewer;
      count[axis] = ((low * parts[axis] + wide * parts[axis] - 1) >> fewer) + 1 - begin[axis];
    }
    const Box box = read(begin, count);
    for (std::int64_t y = 0; y < cells[1]; ++y) {
      for (std::int64_t x = 0; x < cells[0]; ++x) {
        const Cell at{first[0] + x, first[1] + y, first[2] + z};
        GasMeans sum{};
        for (std::int64_t part = 0; part < parts[0] * parts[1] * parts[2]; ++part) {
          const Cell within{part % parts[0], part / parts[0] % parts[1], part / (parts[0] * parts[1])};
          Cell place{};
          for (std::size_t axis = 0; axis < 3; ++axis) {
            const std::uint32_t fewer = axis < domain_.dimensions ? coarser : 0;
            place[axis] = ((at[axis] * parts[axis] + within[axis]) >> fewer) - begin[axis];
          }
          const auto i = static_cast<std::size_t>((place[2] * count[1] + place[1]) * count[0] + place[0]);
          GasState gas{.rho = box.at(0, i), .v = {box.at(1, i), box.at(2, i), box.at(3, i)}, .P = box.at(4, i)};
          Fractions X{};
          double rest = 1.0;
          for (std::size_t k = 0; k < fractions_; ++k) {
            X[k] = box.at(5 + k, i);
            rest -= X[k];
          }
          X[fractions_] = std::max(rest, 0.0);
          const GasMeans one = means_of(gas, X, gamma_);
          for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += one[k];
        }
        for (double& value : sum) value *= share;
        result.push_back(sum);
      }
    }
  }
  return result;
}

}  // namespace tacit::amr
