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

class AtomsReader {
 public:
  AtomsReader(const io::FileReader& file, const Share& share) : file_(file) {
    const auto shape = file.info(name("id")).shape;
    if (shape.size() != 1 || shape[0] == 0) fail("has no list of IDs");
    atoms_ = shape[0];
    const particles::Rows rows = share.of(atoms_);
    first_ = rows.first;
    count_ = rows.size();
  }
  [[nodiscard]] std::vector<std::uint64_t> integers(const std::string& array) const {
    return rows<std::uint64_t>(array, {atoms_});
  }
  [[nodiscard]] std::vector<base::Vec3> vectors(const std::string& array) const {
    const std::vector<double> values = rows<double>(array, {atoms_, 3});
    std::vector<base::Vec3> result(count_);
    for (std::size_t i = 0; i < count_; ++i) {
      result[i] = {values[3 * i], values[3 * i + 1], values[3 * i + 2]};
      if (!std::isfinite(base::dot(result[i], result[i]))) {
        fail(fmt::format("{} of atom {} is not finite", array, first_ + i));
      }
    }
    return result;
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw base::FormatError(file_.path().string(), what + "; the file is damaged");
  }

 private:
  template <class T>
  [[nodiscard]] std::vector<T> rows(const std::string& array, const std::vector<std::uint64_t>& shape) const {
    if (file_.info(name(array)).shape != shape) {
      fail(fmt::format("{} has the shape ({}), expected ({})", name(array),
                       fmt::join(file_.info(name(array)).shape, ", "), fmt::join(shape, ", ")));
    }
    std::vector<T> values(count_ * (shape.size() == 2 ? shape[1] : 1));
    file_.read_rows(name(array), first_, values);
    return values;
  }
  [[nodiscard]] static std::string name(const std::string& array) { return md_group + "/" + array; }
  const io::FileReader& file_;
  std::uint64_t atoms_ = 0;
  std::uint64_t first_ = 0;  // of the share
  std::size_t count_ = 0;
};

}  // namespace

void save_atoms(io::FileWriter& file, const Atoms& atoms, const FileRows& rows, const MdParameters& parameters) {
  file.group(md_group);
  const auto write_integers = [&](const char* name, const auto& value_of) {
    const std::vector<std::uint64_t> values = rows.of(value_of);
    file.part(md_group + "/" + name, rows.shape(), io::Number::uint64, rows.part(), values);
  };
  const auto write = [&](const char* name, const auto& vector_of) {
    const std::vector<base::Vec3> values = rows.of(vector_of);
    file.part(md_group + "/" + name, rows.shape(3), io::Number::float64, rows.part(3), numbers_of(values));
  };
  write_integers("id", [&](std::size_t i) { return atoms.id[i]; });
  write_integers("type", [&](std::size_t i) { return std::uint64_t{atoms.type[i]}; });
  if (atoms.has_groups) write_integers("groups", [&](std::size_t i) { return std::uint64_t{atoms.group[i]}; });
  write("position", [&](std::size_t i) { return atoms.position(i); });
  write("velocity", [&](std::size_t i) { return atoms.velocity(i); });
  write("force", [&](std::size_t i) { return atoms.force(i); });
  write("position of the lists", [&](std::size_t i) {
    return base::Vec3{atoms.start[0][i], atoms.start[1][i], atoms.start[2][i]};
  });
  write("image", [&](std::size_t i) {
    const ImageCount& image = atoms.image[i];
    return base::Vec3{static_cast<double>(image[0]), static_cast<double>(image[1]), static_cast<double>(image[2])};
  });
  engine::save_settings(file, md_group, settings_of(parameters));
}

void save_state(io::FileWriter& file, const char* of, std::span<const double> state) {
  if (!state.empty()) file.attribute(md_group, of, state);
}

std::vector<double> load_state(const io::FileReader& file, const char* of) {
  return file.has_attribute(md_group, of) ? file.attribute(md_group, of) : std::vector<double>{};
}

void save_boxes(io::FileWriter& file, const Box& now, const Box& of_lists) {
  const auto numbers = [](const Box& box) {
    return std::vector<double>{box.size.x, box.size.y, box.size.z, box.xy, box.xz, box.yz};
  };
  file.attribute(md_group, "Box", numbers(now));
  file.attribute(md_group, "Box of the lists", numbers(of_lists));
}

std::pair<Box, Box> load_boxes(const io::FileReader& file, const Box& like) {
  const auto box_of = [&](const char* name) {
    const std::vector<double> numbers =
        file.has_attribute(md_group, name) ? file.attribute(md_group, name) : std::vector<double>{};
    const auto is_finite = [](double value) { return std::isfinite(value); };
    if (numbers.size() != 6 || !std::ranges::all_of(numbers, is_finite) ||
        !(numbers[0] > 0.0 && numbers[1] > 0.0 && numbers[2] > 0.0)) {
      throw base::FormatError(file.path().string(), fmt::format("has no '{}' of atoms; the file is damaged", name));
    }
    Box box = like;
    box.size = {numbers[0], numbers[1], numbers[2]};
    box.xy = numbers[3];
    box.xz = numbers[4];
    box.yz = numbers[5];
    return box;
  };
  return {box_of("Box"), box_of("Box of the lists")};
}

Configuration load_atoms(const io::FileReader& file, const MdParameters& parameters, const Share& share) {
  engine::require_same_settings(file, md_group, settings_of(parameters), "start a new run.");
  const AtomsReader reader(file, share);
  Configuration result{.box = parameters.initial.atoms.box, .id = reader.integers("id")};
  for (const std::uint64_t type : reader.integers("type")) {
    if (type >= parameters.masses.size()) reader.fail(fmt::format("a type of atoms is {}", type));
    result.type.push_back(static_cast<std::uint32_t>(type));
  }
  result.has_groups = !parameters.groups.named.empty();
  if (result.has_groups) {
    for (const std::uint64_t mask : reader.integers("groups")) {
      if (mask >> parameters.groups.named.size() != 0) reader.fail(fmt::format("an atom is in the groups {:#x}", mask));
      result.group.push_back(static_cast<std::uint32_t>(mask));
    }
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
