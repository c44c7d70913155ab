// Reads and checks the header of a GADGET / SWIFT file.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/formats/gadget_header.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "tacit/base/error.hpp"

namespace tacit::sph {
namespace {

using base::FormatError;

[[noreturn]] void fail(const io::FileReader& file, const std::string& what) {
  throw FormatError(file.path().string(), what);
}

double header_value(const io::FileReader& file, const std::string& name, double absent) {
  if (!file.has_attribute("Header", name)) return absent;
  const double value = file.attribute("Header", name).front();
  if (std::isfinite(value)) return value;
  fail(file, fmt::format("Header: attribute '{}' is {}, expected a finite number", name, value));
}

/// Lengths, masses and times of files "per h" are smaller units by 1 / h; velocities and energies per mass are not.
base::UnitSystem without_h(base::UnitSystem units, double h) {
  units.length_in_cgs /= h;
  units.mass_in_cgs /= h;
  units.time_in_cgs /= h;
  return units;
}

/// One of the groups that programs use for what they know of a run, and an attribute that one of them may have.
constexpr std::array<const char*, 3> groups_of_settings{"Header", "Parameters", "Cosmology"};

/// Whether two numbers of a file say the same, but for their rounding.
bool do_agree(double a, double b) { return std::abs(a - b) <= 1e-5 * std::max(std::abs(a), std::abs(b)); }

[[noreturn]] void fail_contradicted(const io::FileReader& file, const std::string& one, double its,
                                    const std::string& other, double of_other) {
  fail(file,
       fmt::format("contradicts itself: {} is {}, but {} is {}; remove the wrong one", one, its, other, of_other));
}

/// The first group that has the attribute `name`; none if there is no such group.
/// @throws base::FormatError where others say something else
std::optional<std::string> group_with(const io::FileReader& file, const std::string& name) {
  std::optional<std::string> first;
  for (const char* group : groups_of_settings) {
    if (!file.has_attribute(group, name)) continue;
    if (!first) {
      first = group;
      continue;
    }
    const auto are_numbers = [&](const std::string& of) {
      return file.attribute_kind(of, name) == io::AttributeKind::numbers;
    };
    if (!are_numbers(*first) || !are_numbers(group)) continue;
    const double a = file.attribute(*first, name).front();
    const double b = file.attribute(group, name).front();
    if (!do_agree(a, b)) {
      fail_contradicted(file, fmt::format("{}: '{}'", *first, name), a, fmt::format("{}: '{}'", group, name), b);
    }
  }
  return first;
}

double hubble_parameter(const io::FileReader& file, const GadgetOptions& options) {
  if (options.hubble_parameter) return *options.hubble_parameter;
  if (group_with(file, "HubbleParam") != "Header") {
    fail(file,
         "has no HubbleParam in its Header, which initial.h_factors needs; set initial.hubble_parameter, for example "
         "0.7");
  }
  const double h = file.attribute("Header", "HubbleParam").front();
  if (std::isfinite(h) && h > 0.0) return h;
  fail(file, fmt::format("Header: attribute 'HubbleParam' is {}, expected a number > 0, such as 0.7", h));
}

double positive(const io::FileReader& file, const std::string& group, const std::string& name) {
  const std::vector<double> value = file.attribute(group, name);
  if (value.size() == 1 && std::isfinite(value[0]) && value[0] > 0.0) return value[0];
  fail(file, fmt::format("{}: attribute '{}' is {}, expected one number > 0", group, name, fmt::join(value, ", ")));
}

/// Length, mass and velocity in CGS: the names of GADGET-4 and AREPO, and those of GIZMO.
constexpr std::array<std::array<const char*, 3>, 2> names_of_units{{
    {"UnitLength_in_cm", "UnitMass_in_g", "UnitVelocity_in_cm_per_s"},
    {"UnitLength_In_CGS", "UnitMass_In_CGS", "UnitVelocity_In_CGS"},
}};

/// Length, mass and time in CGS, under which names they stand.
struct StatedUnits {
  base::UnitSystem units;
  std::string names;
};

/// All that the file states: SWIFT's group Units, and other names.
std::vector<StatedUnits> stated_units(const io::FileReader& file) {
  std::vector<StatedUnits> all;
  if (file.has("Units")) {
    base::UnitSystem units;
    units.length_in_cgs = positive(file, "Units", "Unit length in cgs (U_L)");
    units.mass_in_cgs = positive(file, "Units", "Unit mass in cgs (U_M)");
    units.time_in_cgs = positive(file, "Units", "Unit time in cgs (U_t)");
    all.push_back({units, "group Units"});
  }
  for (const auto& names : names_of_units) {
    std::array<double, 3> in_cgs{};
    std::vector<std::string> present;
    std::vector<std::string> absent;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::optional<std::string> group = group_with(file, names[i]);
      (group ? present : absent).emplace_back(names[i]);
      if (group) in_cgs[i] = positive(file, *group, names[i]);
    }
    if (present.empty()) continue;
    if (!absent.empty()) {
      fail(file, fmt::format("states units by {}, but not {}: expected all three, or none for a file in the units of "
                             "the run",
                             fmt::join(present, " and "), fmt::join(absent, " and ")));
    }
    base::UnitSystem units;
    units.length_in_cgs = in_cgs[0];
    units.mass_in_cgs = in_cgs[1];
    units.time_in_cgs = in_cgs[0] / in_cgs[2];
    all.push_back({units, fmt::format("{}", fmt::join(names, ", "))});
  }
  return all;
}

/// Those of the file, which may state them more than once; of the run where it states none.
base::UnitSystem read_units(const io::FileReader& file, const GadgetOptions& options) {
  const std::vector<StatedUnits> stated = stated_units(file);
  const base::UnitSystem units = stated.empty() ? options.units : stated.front().units;
  for (const StatedUnits& other : stated) {
    const std::array<std::tuple<const char*, double, double>, 3> pairs{
        {{"length", units.length_in_cgs, other.units.length_in_cgs},
         {"mass", units.mass_in_cgs, other.units.mass_in_cgs},
         {"time", units.time_in_cgs, other.units.time_in_cgs}}};
    for (const auto& [what, first, second] : pairs) {
      if (do_agree(first, second)) continue;
      fail_contradicted(file, fmt::format("the unit of {} by {}", what, stated.front().names), first,
                        "that by " + other.names, second);
    }
  }
  return options.h_factors ? without_h(units, hubble_parameter(file, options)) : units;
}

/// What says that positions are comoving; none in a file of another kind. SWIFT and GADGET-4 say it outright. Older
/// files have the density parameter of a universe whose scale factor is their time.
std::optional<std::string> sign_of_cosmology(const io::FileReader& file) {
  for (const char* name : {"Cosmological run", "ComovingIntegrationOn"}) {
    const std::optional<std::string> group = group_with(file, name);
    if (!group) continue;
    if (file.attribute(*group, name).front() == 0.0) return std::nullopt;
    return fmt::format("{}: '{}' is {}", *group, name, file.attribute(*group, name).front());
  }
  const std::optional<std::string> group = group_with(file, "Omega0");
  if (!group || !(file.attribute(*group, "Omega0").front() > 0.0) || !file.has_attribute("Header", "Time")) return {};
  if (std::abs(header_value(file, "Time", 0.0) - 1.0) > 1e-6) return {};
  return fmt::format(
      "{}: 'Omega0' is {}, and Header: 'Time' is the scale factor 1; of a file that is none, set "
      "'ComovingIntegrationOn' to 0",
      *group, file.attribute(*group, "Omega0").front());
}

void refuse_cosmology(const io::FileReader& file) {
  constexpr const char* advice = "the box expands only with cosmology.expanding = true";
  if (const auto sign = sign_of_cosmology(file)) {
    fail(file, fmt::format("comes from a cosmological run ({}); {}", *sign, advice));
  }
  if (const double z = header_value(file, "Redshift", 0.0); z != 0.0) {
    fail(file,
         fmt::format("Header: attribute 'Redshift' is {}, so it comes from a cosmological run; {}. Of a file that is "
                     "none, set the attribute to 0",
                     z, advice));
  }
}

void refuse_what_means_something_else(const io::FileReader& file, const GadgetOptions& options) {
  if (!options.cosmology) refuse_cosmology(file);
  if (header_value(file, "Flag_Entropy_ICs", 0.0) != 0.0) {
    fail(file,
         "Header: attribute 'Flag_Entropy_ICs' is 1, so InternalEnergy holds entropies, which cannot be converted "
         "without the densities; write internal energies and set the flag to 0");
  }
}

int read_dimension(const io::FileReader& file, const GadgetOptions& options) {
  const double dimension = header_value(file, "Dimension", options.dimension.value_or(3));
  if (file.has_attribute("Header", "Dimension") && file.has_attribute("HydroScheme", "Dimension")) {
    const double other = file.attribute("HydroScheme", "Dimension").front();
    if (other != dimension) {
      fail_contradicted(file, "Header: 'Dimension'", dimension, "HydroScheme: 'Dimension'", other);
    }
  }
  if (dimension != 1.0 && dimension != 2.0 && dimension != 3.0) {
    fail(file, fmt::format("Header: attribute 'Dimension' is {}, expected 1, 2 or 3", dimension));
  }
  if (dimension != options.dimension.value_or(dimension)) {
    fail(file,
         fmt::format("Header: attribute 'Dimension' is {}, but sph.dimension is {}; remove the key to take the file's",
                     dimension, *options.dimension));
  }
  return static_cast<int>(dimension);
}

/// The sides that a run does not use are as long as the first, whatever the file says. An open box only says what
/// pictures show, and may say nothing: then its sides are 0.
base::Vec3 read_box(const io::FileReader& file, int dimension, Boundary boundary) {
  const std::vector<double> size = file.attribute("Header", "BoxSize");
  static_cast<void>(group_with(file, "BoxSize"));
  const auto used = std::min(size.size(), static_cast<std::size_t>(dimension));
  const bool is_open = boundary == Boundary::open;
  const auto is_side = [is_open](double length) {
    return std::isfinite(length) && (length > 0.0 || (is_open && length == 0.0));
  };
  const bool are_sides = std::all_of(size.begin(), size.begin() + static_cast<std::ptrdiff_t>(used), is_side);
  if ((size.size() != 1 && size.size() != 3) || !are_sides) {
    fail(file, fmt::format("Header: attribute 'BoxSize' is {}, expected one or three lengths {} 0",
                           fmt::join(size, ", "), is_open ? ">=" : ">"));
  }
  if (is_open && std::ranges::find(size.begin(), size.begin() + static_cast<std::ptrdiff_t>(used), 0.0) !=
                     size.begin() + static_cast<std::ptrdiff_t>(used)) {
    return {};
  }
  if (is_open && header_value(file, box_is_only_shown, 0.0) != 0.0) return {};
  base::Vec3 box{size[0], size[0], size[0]};
  for (std::size_t axis = 1; axis < used; ++axis) box[axis] = size[axis];
  return box;
}

}  // namespace

GadgetHeader read_gadget_header(const io::FileReader& file, const GadgetOptions& options) {
  refuse_what_means_something_else(file, options);
  GadgetHeader header;
  header.units = read_units(file, options);
  header.dimension = read_dimension(file, options);
  header.box = read_box(file, header.dimension, options.boundary);
  header.time = header_value(file, "Time", 0.0);
  if (file.has_attribute("Header", "MassTable")) header.mass_table = file.attribute("Header", "MassTable");
  return header;
}

void require_masses_of_table(const GadgetHeader& header, std::size_t type, const FilePart& part,
                             const std::string& array, std::uint64_t first, std::span<const double> masses) {
  const double of_all = header.mass_table.size() > type ? header.mass_table[type] : 0.0;
  if (of_all == 0.0) return;
  const auto other = std::ranges::find_if(masses, [of_all](double m) { return !do_agree(m, of_all); });
  if (other == masses.end()) return;
  fail_contradicted(
      part.file,
      fmt::format("the mass of particle {} in {}", first + static_cast<std::uint64_t>(other - masses.begin()), array),
      *other, fmt::format("entry {} of Header: 'MassTable'", type), of_all);
}

double Conversion::convert(double value, const base::Dimension& dimension, const std::filesystem::path& path) const {
  convert_all({&value, 1}, dimension, path);
  return value;
}

void Conversion::convert_all(std::span<double> values, const base::Dimension& dimension,
                             const std::filesystem::path& path) const {
  const double scale = factor(dimension);
  if (scale == 1.0) return;
  for (double& value : values) {
    const double converted = value * scale;
    if (value != 0.0 && !std::isnormal(converted)) {
      throw FormatError(
          path.string(),
          fmt::format("{} in the file's units cannot be expressed as {} in the run's (factor {}): check group Units "
                      "and the units of the run",
                      value, base::describe(dimension), scale));
    }
    value = converted;
  }
}

}  // namespace tacit::sph
