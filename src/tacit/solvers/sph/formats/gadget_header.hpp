// What the header of a GADGET / SWIFT file says of the space, the time and the units of its particles.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tacit/base/units.hpp"
#include "tacit/base/vec3.hpp"
#include "tacit/io/file.hpp"
#include "tacit/solvers/sph/formats/file_set.hpp"
#include "tacit/solvers/sph/formats/gadget.hpp"

namespace tacit::sph {

/// An attribute of Header in snapshots of open runs without a box: 1 where BoxSize was made for pictures alone.
inline constexpr const char* box_is_only_shown = "BoxSize is only shown";

struct GadgetHeader {
  base::UnitSystem units;          ///< of the file's numbers, factors of the Hubble parameter included
  int dimension = 3;               ///< of the space
  base::Vec3 box;                  ///< in the file's units; sides beyond the dimension are as long as the first
  double time = 0.0;               ///< in the file's units
  std::vector<double> mass_table;  ///< by type, in the file's units; empty if the file has none
};

/// @throws base::FormatError for what would be read without complaint and give a wrong run
[[nodiscard]] GadgetHeader read_gadget_header(const io::FileReader& file, const GadgetOptions& options);

/// Where MassTable gives a mass for all particles of a type, GADGET looks at no other.
/// @param array   a dataset of masses
/// @param first   row of the first of `masses`
/// @throws base::FormatError where both are given and contradict each other
void require_masses_of_table(const GadgetHeader& header, std::size_t type, const FilePart& part,
                             const std::string& array, std::uint64_t first, std::span<const double> masses);

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
