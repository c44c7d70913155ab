// What is kept of particles that are no gas, and how it is stored in checkpoints.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/formats/carried.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <span>

#include "tacit/base/error.hpp"
#include "tacit/particles/domain.hpp"
#include "tacit/solvers/sph/formats/array_description.hpp"

namespace tacit::sph {
namespace {

using base::FormatError;
using Shape = std::vector<std::uint64_t>;

/// What the usual names of datasets mean, for files that do not describe them.
struct KnownName {
  std::string_view name;
  base::Dimension dimension;
};
constexpr std::array known_names{KnownName{"Coordinates", base::dimension::length},
                                 KnownName{"Velocities", base::dimension::velocity},
                                 KnownName{"Masses", base::dimension::mass},
                                 KnownName{"Mass", base::dimension::mass},
                                 KnownName{"SmoothingLength", base::dimension::length},
                                 KnownName{"SmoothingLengths", base::dimension::length},
                                 KnownName{"Softening", base::dimension::length},
                                 KnownName{"Softenings", base::dimension::length},
                                 KnownName{"Potential", base::dimension::specific_energy},
                                 KnownName{"Potentials", base::dimension::specific_energy},
                                 KnownName{"Acceleration", base::dimension::acceleration}};

std::string group_of(std::size_t type) { return fmt::format("PartType{}", type); }

bool is_floating(io::Number type) { return type == io::Number::float32 || type == io::Number::float64; }

std::uint64_t numbers_per_row(const CarriedArray& array) {
  std::uint64_t product = 1;
  for (std::size_t i = 1; i < array.shape.size(); ++i) product *= array.shape[i];
  return product;
}

double load(const CarriedArray& array, std::size_t i) {
  if (array.type == io::Number::float64) {
    double value = 0.0;
    std::memcpy(&value, array.values.data() + i * sizeof(value), sizeof(value));
    return value;
  }
  float value = 0.0F;
  std::memcpy(&value, array.values.data() + i * sizeof(value), sizeof(value));
  return static_cast<double>(value);
}

void store(CarriedArray& array, std::size_t i, double number) {
  if (array.type == io::Number::float64) {
    std::memcpy(array.values.data() + i * sizeof(number), &number, sizeof(number));
    return;
  }
  const auto value = static_cast<float>(number);
  std::memcpy(array.values.data() + i * sizeof(value), &value, sizeof(value));
}

/// An attribute of numbers or one text; nothing for what is neither (arrays of texts, compounds, no value at all).
std::optional<CarriedArray::Attribute> read_attribute(const io::FileReader& file, const std::string& object,
                                                      const std::string& name) {
  switch (file.attribute_kind(object, name)) {
    case io::AttributeKind::numbers:
      return file.attribute(object, name);
    case io::AttributeKind::text:
      return file.text_attribute(object, name);
    case io::AttributeKind::other:
      break;
  }
  return std::nullopt;
}

/// Reads the particles of one type from all files of a set.
class TypeReader {
 public:
  TypeReader(const FileSet& set, std::size_t type, const GadgetHeader& header, const Conversion& conversion)
      : set_(set), header_(header), conversion_(conversion), type_(type), group_(group_of(type)) {}

  CarriedType read(bool periodic);

 private:
  [[noreturn]] static void fail(const FilePart& part, const std::string& what) {
    throw FormatError(part.file.path().string(), what);
  }
  [[nodiscard]] bool is_here(const FilePart& part) const { return part.counts[type_] > 0; }
  [[nodiscard]] const FilePart& first_part() const {
    return *std::ranges::find_if(set_.parts(), [this](const FilePart& part) { return is_here(part); });
  }
  void require_groups() const;
  [[nodiscard]] bool is_carried(const std::string& name) const;
  [[nodiscard]] CarriedArray read_array(const std::string& name) const;
  void append(CarriedArray& array, const FilePart& part) const;
  void describe(CarriedArray& array, const std::string& path) const;
  void convert(CarriedArray& array) const;
  void settle(CarriedArray& positions, bool periodic) const;
  void compare_with_table(const CarriedArray& masses) const;

  const FileSet& set_;
  const GadgetHeader& header_;
  const Conversion& conversion_;
  std::size_t type_;
  std::string group_;
};

void TypeReader::require_groups() const {
  for (const FilePart& part : set_.parts()) {
    if (!is_here(part)) continue;
    if (!part.file.has(group_)) {
      fail(part, fmt::format("group {} is missing, but Header says that it holds {} particles of this type ({})",
                             group_, part.counts[type_], type_names[type_]));
    }
    if (!part.file.has(group_ + "/Coordinates")) fail(part, group_ + "/Coordinates is missing");
  }
}

/// Whether it is an array of numbers.
bool TypeReader::is_carried(const std::string& name) const {
  const std::string path = group_ + "/" + name;
  return first_part().file.is_array(path) && io::bytes_of(first_part().file.info(path).type) > 0;
}

CarriedArray TypeReader::read_array(const std::string& name) const {
  const std::string path = group_ + "/" + name;
  const FilePart& first = first_part();
  const io::ArrayInfo info = first.file.info(path);
  CarriedArray array{.name = name,
                     .shape = info.shape,
                     .type = info.type,
                     .values = {},
                     .description = {},
                     .dimension = {},
                     .attributes = {}};
  if (!array.shape.empty()) array.shape[0] = 0;
  for (const FilePart& part : set_.parts()) {
    if (is_here(part)) append(array, part);
  }
  describe(array, path);
  convert(array);
  return array;
}

void TypeReader::append(CarriedArray& array, const FilePart& part) const {
  const std::string path = group_ + "/" + array.name;
  const io::ArrayInfo info = part.file.info(path);
  Shape expected = array.shape;
  if (expected.empty()) expected.push_back(0);
  expected[0] = part.counts[type_];
  if (array.name == "Coordinates") expected = {part.counts[type_], 3};
  if (info.shape != expected) {
    fail(part,
         fmt::format("{} has shape ({}), expected ({}): Header says {} particles of this type ({})", path,
                     fmt::join(info.shape, ", "), fmt::join(expected, ", "), part.counts[type_], type_names[type_]));
  }
  if (info.type != array.type) {
    fail(part, fmt::format("{} holds numbers of another type than in {}", path,
                           first_part().file.path().filename().string()));
  }
  const std::vector<std::byte> values = part.file.read_bytes(path);
  array.values.insert(array.values.end(), values.begin(), values.end());
  array.shape[0] += part.counts[type_];
}

void TypeReader::describe(CarriedArray& array, const std::string& path) const {
  const io::FileReader& file = first_part().file;
  const auto known = std::ranges::find(known_names, array.name, &KnownName::name);
  if (const auto said = described_dimension(file, path)) {
    array.dimension = *said;
  } else if (known != known_names.end()) {
    array.dimension = known->dimension;
  }
  for (const std::string& name : file.attribute_names(path)) {
    const auto value = read_attribute(file, path, name);
    if (!value) continue;
    if (name == "Description" && std::holds_alternative<std::string>(*value)) {
      array.description = std::get<std::string>(*value);
    } else if (!is_description(name)) {
      array.attributes.emplace_back(name, *value);
    }
  }
  if (array.description.empty()) array.description = "As in the initial conditions";
}

void TypeReader::convert(CarriedArray& array) const {
  if (conversion_.factor(array.dimension) == 1.0) return;
  const FilePart& part = first_part();
  if (!is_floating(array.type)) {
    fail(part, fmt::format("{}/{} holds integers, which cannot be converted to the units of the run; write floats",
                           group_, array.name));
  }
  const std::size_t count = array.shape[0] * numbers_per_row(array);
  for (std::size_t i = 0; i < count; ++i) {
    const double value = load(array, i);
    store(array, i, std::isfinite(value) ? conversion_.convert(value, array.dimension, part.file.path()) : value);
  }
}

/// Positions that are numbers, in a periodic box within it.
void TypeReader::settle(CarriedArray& positions, bool periodic) const {
  const FilePart& part = first_part();
  if (!is_floating(positions.type)) {
    fail(part, fmt::format("{}/Coordinates holds integers, expected float32 or float64", group_));
  }
  const base::Vec3 box = conversion_.factor(base::dimension::length) * header_.box;
  for (std::size_t i = 0; i < 3 * positions.shape[0]; ++i) {
    const double x = load(positions, i);
    if (!std::isfinite(x)) {
      fail(part, fmt::format("{}/Coordinates: particle {} has {} position {}; expected a finite number", group_, i / 3,
                             "xyz"[i % 3], x));
    }
    if (periodic && !(x >= 0.0 && x < box[i % 3])) store(positions, i, particles::wrap(x, 0.0, box[i % 3]));
  }
}

/// Masses are in the units of the run by now.
void TypeReader::compare_with_table(const CarriedArray& masses) const {
  if (!is_floating(masses.type)) return;
  const double per_unit = 1.0 / conversion_.factor(base::dimension::mass);
  std::vector<double> of_file(masses.shape[0]);
  for (std::size_t i = 0; i < of_file.size(); ++i) of_file[i] = per_unit * load(masses, i);
  require_masses_of_table(header_, type_, first_part(), group_ + "/" + masses.name, 0, of_file);
}

CarriedType TypeReader::read(bool periodic) {
  require_groups();
  CarriedType result{.type = type_, .count = set_.total(type_), .mass = 0.0, .arrays = {}};
  bool has_masses = false;
  for (const std::string& name : first_part().file.list(group_)) {
    if (!is_carried(name)) continue;
    result.arrays.push_back(read_array(name));
    if (name == "Masses" || name == "Mass") compare_with_table(result.arrays.back());
    if (name == "Coordinates") settle(result.arrays.back(), periodic);
    has_masses = has_masses || name == "Masses" || name == "Mass";
  }
  if (!has_masses && header_.mass_table.size() > type_) {
    result.mass = conversion_.convert(header_.mass_table[type_], base::dimension::mass, set_.first().path());
  }
  return result;
}

constexpr std::string_view own_mark = "own ";  // before the names of the file's attributes, to keep ours apart

void save_array(io::FileWriter& file, const std::string& path, const CarriedArray& array) {
  const std::uint64_t row = numbers_per_row(array) * io::bytes_of(array.type);
  file.stream(path, array.shape, array.type, [&](std::uint64_t first, std::span<std::byte> out) {
    std::memcpy(out.data(), array.values.data() + first * row, out.size());
  });
  const base::Dimension& d = array.dimension;
  file.attribute(path, "dimension", std::array<std::int64_t, 5>{d.length, d.mass, d.time, d.temperature, d.current});
  file.attribute(path, "description", std::string_view(array.description));
  for (const auto& [name, value] : array.attributes) write_attribute(file, path, std::string(own_mark) + name, value);
}

CarriedArray load_array(const io::FileReader& file, const std::string& path, const std::string& name,
                        std::uint64_t count) {
  const io::ArrayInfo info = file.info(path);
  const std::vector<double> d = file.attribute(path, "dimension");
  const bool has_dimension = d.size() == 5 && std::ranges::all_of(d, [](double e) { return std::abs(e) <= 100.0; });
  if (info.shape.empty() || info.shape[0] != count || !has_dimension || io::bytes_of(info.type) == 0) {
    throw FormatError(file.path().string(), path + " does not hold one row per particle; the file is damaged");
  }
  const auto exponent = [&d](std::size_t i) { return static_cast<int>(d[i]); };
  CarriedArray array{.name = name,
                     .shape = info.shape,
                     .type = info.type,
                     .values = file.read_bytes(path),
                     .description = file.text_attribute(path, "description"),
                     .dimension = {exponent(0), exponent(1), exponent(2), exponent(3), exponent(4)},
                     .attributes = {}};
  for (const std::string& attribute : file.attribute_names(path)) {
    if (!attribute.starts_with(own_mark)) continue;
    if (const auto value = read_attribute(file, path, attribute)) {
      array.attributes.emplace_back(attribute.substr(own_mark.size()), *value);
    }
  }
  return array;
}

}  // namespace

OtherParticles read_others(const FileSet& set, const GadgetHeader& header, const Conversion& conversion,
                           bool periodic) {
  OtherParticles others;
  for (std::size_t type = 1; type < particle_types; ++type) {
    if (set.total(type) > 0) others.types.push_back(TypeReader(set, type, header, conversion).read(periodic));
  }
  return others;
}

void save_others(io::FileWriter& file, const std::string& group, const OtherParticles& others) {
  file.group(group);
  for (const CarriedType& kind : others.types) {
    const std::string path = group + "/" + group_of(kind.type);
    file.group(path);
    file.attribute(path, "count", std::array{static_cast<std::int64_t>(kind.count)});
    file.attribute(path, "mass", std::array{kind.mass});
    for (const CarriedArray& array : kind.arrays) save_array(file, path + "/" + array.name, array);
  }
}

OtherParticles load_others(const io::FileReader& file, const std::string& group) {
  OtherParticles others;
  for (std::size_t type = 1; type < particle_types; ++type) {
    const std::string path = group + "/" + group_of(type);
    if (!file.has(path)) continue;
    const double count = file.attribute(path, "count").front();
    const double mass = file.attribute(path, "mass").front();
    if (!(count >= 1.0 && count < 0x1.0p53) || !std::isfinite(mass)) {
      throw FormatError(file.path().string(), path + " holds no number of particles; the file is damaged");
    }
    CarriedType kind{.type = type, .count = static_cast<std::uint64_t>(count), .mass = mass, .arrays = {}};
    for (const std::string& name : file.list(path)) {
      kind.arrays.push_back(load_array(file, path + "/" + name, name, kind.count));
    }
    const auto positions = std::ranges::find(kind.arrays, "Coordinates", &CarriedArray::name);
    if (positions == kind.arrays.end() || positions->shape != Shape{kind.count, 3} || !is_floating(positions->type)) {
      throw FormatError(file.path().string(), path + " has no positions; the file is damaged");
    }
    others.types.push_back(std::move(kind));
  }
  return others;
}

void write_attribute(io::FileWriter& file, const std::string& object, const std::string& name,
                     const CarriedArray::Attribute& value) {
  if (const auto* numbers = std::get_if<std::vector<double>>(&value)) {
    file.attribute(object, name, std::span<const double>(*numbers));
  } else {
    file.attribute(object, name, std::string_view(std::get<std::string>(value)));
  }
}

void gather_rows(const CarriedArray& array, std::span<const std::uint32_t> rows, std::span<std::byte> out) {
  const std::size_t bytes = numbers_per_row(array) * io::bytes_of(array.type);
  TACIT_EXPECT(out.size() == rows.size() * bytes);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::memcpy(out.data() + i * bytes, array.values.data() + rows[i] * bytes, bytes);
  }
}

void gather_numbers(const CarriedArray& array, std::span<const std::uint32_t> rows, std::span<double> out) {
  const std::size_t width = numbers_per_row(array);
  TACIT_EXPECT(is_floating(array.type) && out.size() == rows.size() * width);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = load(array, rows[i / width] * width + i % width);
}

std::string describe(const OtherParticles& others) {
  std::vector<std::string> texts;
  for (const CarriedType& kind : others.types) {
    texts.push_back(fmt::format("{} of {} ({})", kind.count, group_of(kind.type), type_names[kind.type]));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace tacit::sph
