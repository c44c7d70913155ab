// Stores atoms and reads them back.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/checkpoint.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tacit/engine/checkpoint.hpp"

namespace tacit::md {
namespace {

const std::string md_group = "MolecularDynamics";

/// What a checkpoint cannot be continued without, beside what keys say: the atoms of a file are not read again.
std::string settings_of(const MdParameters& parameters) {
  const base::Vec3& size = parameters.initial.atoms.box.size;
  const std::string& potential = parameters.potential_checksum;
  return fmt::format("{} types of atoms in a box of {} x {} x {}{}", parameters.masses.size(), size.x, size.y, size.z,
                     potential.empty() ? "" : ", a potential of a file with the checksum " + potential);
}

std::vector<double> flattened(const std::vector<std::uint32_t>& order, const auto& component) {
  std::vector<double> values;
  values.reserve(3 * order.size());
  for (const std::uint32_t i : order) {
    for (std::size_t axis = 0; axis < 3; ++axis) values.push_back(component(i, axis));
  }
  return values;
}

class AtomsReader {
 public:
  explicit AtomsReader(const io::FileReader& file) : file_(file) {
    const auto shape = file.info(name("id")).shape;
    if (shape.size() != 1 || shape[0] == 0) fail("has no list of IDs");
    count_ = shape[0];
  }
  [[nodiscard]] std::vector<std::uint64_t> integers(const std::string& array) const {
    std::vector<std::uint64_t> values(count_);
    file_.read(name(array), values);
    return values;
  }
  [[nodiscard]] std::vector<base::Vec3> vectors(const std::string& array) const {
    std::vector<double> values(3 * count_);
    file_.read(name(array), values);
    std::vector<base::Vec3> result(count_);
    for (std::size_t i = 0; i < count_; ++i) {
      result[i] = {values[3 * i], values[3 * i + 1], values[3 * i + 2]};
      if (!std::isfinite(base::dot(result[i], result[i]))) fail(fmt::format("{} of atom {} is not finite", array, i));
    }
    return result;
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw base::FormatError(file_.path().string(), what + "; the file is damaged");
  }

 private:
  [[nodiscard]] static std::string name(const std::string& array) { return md_group + "/" + array; }
  const io::FileReader& file_;
  std::size_t count_ = 0;
};

}  // namespace

void save_atoms(io::FileWriter& file, const Atoms& atoms, const MdParameters& parameters) {
  const std::vector<std::uint32_t> order = atoms.by_id();
  const std::uint64_t n = order.size();
  file.group(md_group);
  std::vector<std::uint64_t> ids;
  std::vector<std::uint64_t> types;
  for (const std::uint32_t i : order) {
    ids.push_back(atoms.id[i]);
    types.push_back(atoms.type[i]);
  }
  const auto write = [&](const char* name, const auto& component) {
    const std::vector<double> values = flattened(order, component);
    file.array(md_group + "/" + name, std::span<const double>(values), std::array{n, std::uint64_t{3}});
  };
  file.array(md_group + "/id", std::span<const std::uint64_t>(ids), std::array{n});
  file.array(md_group + "/type", std::span<const std::uint64_t>(types), std::array{n});
  write("position", [&](std::size_t i, std::size_t axis) { return atoms.records[4 * i + axis]; });
  write("velocity", [&](std::size_t i, std::size_t axis) { return atoms.v[axis][i]; });
  write("force", [&](std::size_t i, std::size_t axis) { return atoms.f[axis][i]; });
  write("position of the lists", [&](std::size_t i, std::size_t axis) { return atoms.start[axis][i]; });
  write("image", [&](std::size_t i, std::size_t axis) { return static_cast<double>(atoms.image[i][axis]); });
  engine::save_settings(file, md_group, settings_of(parameters));
}

Configuration load_atoms(const io::FileReader& file, const MdParameters& parameters) {
  engine::require_same_settings(file, md_group, settings_of(parameters), "start a new run.");
  const AtomsReader reader(file);
  Configuration result{.box = parameters.initial.atoms.box, .id = reader.integers("id")};
  for (const std::uint64_t type : reader.integers("type")) {
    if (type >= parameters.masses.size()) reader.fail(fmt::format("a type of atoms is {}", type));
    result.type.push_back(static_cast<std::uint32_t>(type));
  }
  result.x = reader.vectors("position");
  result.v = reader.vectors("velocity");
  result.f = reader.vectors("force");
  result.start = reader.vectors("position of the lists");
  for (const base::Vec3& image : reader.vectors("image")) {
    if (std::ranges::any_of(std::array{image.x, image.y, image.z}, [](double x) { return std::abs(x) > 2e9; })) {
      reader.fail("an atom has crossed the box too often");
    }
    result.image.push_back(
        {static_cast<std::int32_t>(image.x), static_cast<std::int32_t>(image.y), static_cast<std::int32_t>(image.z)});
  }
  return result;
}

}  // namespace tacit::md
