// Reads and checks the header of a GADGET / SWIFT file.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/formats/gadget_header.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string>

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

double hubble_parameter(const io::FileReader& file, const GadgetOptions& options) {
  if (options.hubble_parameter) return *options.hubble_parameter;
  if (!file.has_attribute("Header", "HubbleParam")) {
    fail(file,
         "has no HubbleParam in its Header, which initial.h_factors needs; set initial.hubble_parameter, for example "
         "0.7");
  }
  const double h = file.attribute("Header", "HubbleParam").front();
  if (std::isfinite(h) && h > 0.0) return h;
  fail(file, fmt::format("Header: attribute 'HubbleParam' is {}, expected a number > 0, such as 0.7", h));
}

base::UnitSystem read_units(const io::FileReader& file, const GadgetOptions& options) {
  base::UnitSystem units = options.units;
  if (file.has("Units")) {
    const auto unit = [&file](const std::string& name) {
      const std::vector<double> value = file.attribute("Units", name);
      if (value.size() == 1 && std::isfinite(value[0]) && value[0] > 0.0) return value[0];
      fail(file, fmt::format("Units: attribute '{}' is {}, expected one number > 0", name, fmt::join(value, ", ")));
    };
    units = {};
    units.length_in_cgs = unit("Unit length in cgs (U_L)");
    units.mass_in_cgs = unit("Unit mass in cgs (U_M)");
    units.time_in_cgs = unit("Unit time in cgs (U_t)");
  }
  return options.h_factors ? without_h(units, hubble_parameter(file, options)) : units;
}

void refuse_what_means_something_else(const io::FileReader& file) {
  if (file.has_attribute("Cosmology", "Cosmological run") &&
      file.attribute("Cosmology", "Cosmological run").front() != 0.0) {
    fail(file,
         "comes from a cosmological run (Cosmology: 'Cosmological run' is 1); expanding space is not supported yet");
  }
  if (const double z = header_value(file, "Redshift", 0.0); z != 0.0) {
    fail(file,
         fmt::format("Header: attribute 'Redshift' is {}, so it comes from a cosmological run; expanding space is "
                     "not supported yet. Of a file that is none, set the attribute to 0",
                     z));
  }
  if (header_value(file, "Flag_Entropy_ICs", 0.0) != 0.0) {
    fail(file,
         "Header: attribute 'Flag_Entropy_ICs' is 1, so InternalEnergy holds entropies, which cannot be converted "
         "without the densities; write internal energies and set the flag to 0");
  }
}

int read_dimension(const io::FileReader& file, const GadgetOptions& options) {
  const double dimension = header_value(file, "Dimension", options.dimension.value_or(3));
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

// The sides that a run does not use are as long as the first, whatever the file says.
base::Vec3 read_box(const io::FileReader& file, int dimension) {
  const std::vector<double> size = file.attribute("Header", "BoxSize");
  const auto used = std::min(size.size(), static_cast<std::size_t>(dimension));
  const bool is_positive = std::all_of(size.begin(), size.begin() + static_cast<std::ptrdiff_t>(used),
                                       [](double length) { return std::isfinite(length) && length > 0.0; });
  if ((size.size() != 1 && size.size() != 3) || !is_positive) {
    fail(file,
         fmt::format("Header: attribute 'BoxSize' is {}, expected one or three lengths > 0", fmt::join(size, ", ")));
  }
  base::Vec3 box{size[0], size[0], size[0]};
  for (std::size_t axis = 1; axis < used; ++axis) box[axis] = size[axis];
  return box;
}

}  // namespace

GadgetHeader read_gadget_header(const io::FileReader& file, const GadgetOptions& options) {
  refuse_what_means_something_else(file);
  GadgetHeader header;
  header.units = read_units(file, options);
  header.dimension = read_dimension(file, options);
  header.box = read_box(file, header.dimension);
  header.time = header_value(file, "Time", 0.0);
  if (file.has_attribute("Header", "MassTable")) header.mass_table = file.attribute("Header", "MassTable");
  return header;
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
