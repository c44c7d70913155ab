// Reads and writes numbers of the solver's group in a checkpoint.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/checkpoint_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "tacit/base/error.hpp"

namespace tacit::sph::checkpoint {
namespace {

std::string path_of(const std::string& name) { return std::string(group) + "/" + name; }

bool are_all_finite(const std::vector<double>& values) {
  return std::ranges::all_of(values, [](double v) { return std::isfinite(v); });
}

}  // namespace

void store(io::FileWriter& file, const std::string& name, const io::Values& values) {
  file.array(path_of(name), values, std::array<std::uint64_t, 1>{values.size()});
}

void store(io::FileWriter& file, const std::string& name, const io::Values& values, const Parts& parts) {
  file.parts(path_of(name), std::array{parts.all}, values.type(), parts.mine, values);
}

void store(io::FileWriter& file, const std::string& name, std::initializer_list<double> values) {
  file.attribute(group, name, std::span(values.begin(), values.size()));
}

void store(io::FileWriter& file, const std::string& name, const base::Vec3& vector) {
  store(file, name, {vector.x, vector.y, vector.z});
}

std::vector<double> read_numbers(const io::FileReader& file, const std::string& name, std::size_t count) {
  std::vector<double> values(count);
  const std::string path = path_of(name);
  file.read(path, std::span<double>(values));
  if (!are_all_finite(values)) {
    throw base::FormatError(file.path().string(), path + " holds a number that is not finite; the file is damaged");
  }
  return values;
}

namespace {

template <class T>
std::vector<T> read_parts(const io::FileReader& file, const std::string& name, const Parts& parts) {
  if (length_of(file, name) != parts.all) {
    throw base::FormatError(file.path().string(),
                            fmt::format("{} does not hold {} numbers; the file is damaged", path_of(name), parts.all));
  }
  std::size_t count = 0;
  for (const io::Part& part : parts.mine) count += part.count[0];
  std::vector<T> values(count);
  std::span<T> rest = values;
  for (const io::Part& part : parts.mine) {
    file.read_rows(path_of(name), part.first[0], rest.first(part.count[0]));
    rest = rest.subspan(part.count[0]);
  }
  return values;
}

}  // namespace

std::vector<double> read_numbers(const io::FileReader& file, const std::string& name, const Parts& parts) {
  std::vector<double> values = read_parts<double>(file, name, parts);
  if (!are_all_finite(values)) {
    throw base::FormatError(file.path().string(),
                            path_of(name) + " holds a number that is not finite; the file is damaged");
  }
  return values;
}

std::vector<std::uint64_t> read_counts(const io::FileReader& file, const std::string& name, const Parts& parts) {
  return read_parts<std::uint64_t>(file, name, parts);
}

std::vector<std::uint64_t> read_counts(const io::FileReader& file, const std::string& name) {
  std::vector<std::uint64_t> counts(length_of(file, name));
  file.read(path_of(name), std::span<std::uint64_t>(counts));
  return counts;
}

std::vector<double> read_scalars(const io::FileReader& file, const std::string& name, std::size_t count) {
  std::vector<double> values = file.attribute(group, name);
  if (values.size() != count || !are_all_finite(values)) {
    throw base::FormatError(
        file.path().string(),
        fmt::format("{}: attribute '{}' does not hold {} finite numbers; the file is damaged", group, name, count));
  }
  return values;
}

double read_scalar(const io::FileReader& file, const std::string& name) { return read_scalars(file, name, 1)[0]; }

base::Vec3 read_vector(const io::FileReader& file, const std::string& name) {
  const std::vector<double> values = read_scalars(file, name, 3);
  return {values[0], values[1], values[2]};
}

std::size_t length_of(const io::FileReader& file, const std::string& name) {
  const auto shape = file.info(path_of(name)).shape;
  if (shape.size() != 1) throw base::FormatError(file.path().string(), name + " is not a list; the file is damaged");
  return shape[0];
}

std::int64_t ticks(const io::FileReader& file, double value) {
  if (value >= 0.0 && value < 0x1p62) return static_cast<std::int64_t>(value);
  throw base::FormatError(file.path().string(), "has a time that lies outside the time line; the file is damaged");
}

}  // namespace tacit::sph::checkpoint
