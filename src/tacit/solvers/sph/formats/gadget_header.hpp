// What the header of a GADGET / SWIFT file says of the space, the time and the units of its particles.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tacit/base/units.hpp"
#include "tacit/base/vec3.hpp"
#include "tacit/io/file.hpp"
#include "tacit/solvers/sph/formats/gadget.hpp"

namespace tacit::sph {

struct GadgetHeader {
  base::UnitSystem units;          ///< of the file's numbers, factors of the Hubble parameter included
  int dimension = 3;               ///< of the space
  base::Vec3 box;                  ///< in the file's units; sides beyond the dimension are as long as the first
  double time = 0.0;               ///< in the file's units
  std::vector<double> mass_table;  ///< by type, in the file's units; empty if the file has none
};

/// @throws base::FormatError for what would be read without complaint and give a wrong run
[[nodiscard]] GadgetHeader read_gadget_header(const io::FileReader& file, const GadgetOptions& options);

/// From the file's numbers to those of the run.
class Conversion {
 public:
  Conversion(const base::UnitSystem& from, const base::UnitSystem& to) : from_(from), to_(to) {}
  [[nodiscard]] double factor(const base::Dimension& dimension) const {
    return from_.in_cgs(dimension) / to_.in_cgs(dimension);
  }
  /// @throws base::FormatError in the name of `path` if the result underflows or overflows
  [[nodiscard]] double convert(double value, const base::Dimension& dimension, const std::filesystem::path& path) const;
  void convert_all(std::span<double> values, const base::Dimension& dimension, const std::filesystem::path& path) const;

 private:
  base::UnitSystem from_;
  base::UnitSystem to_;
};

}  // namespace tacit::sph
