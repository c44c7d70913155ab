// Potentials of pairs that are tables: splines through them, their keys, and what acts between atoms.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tacit/base/pack_memory.hpp"
#include "tacit/config/parameters.hpp"
#include "tacit/solvers/md/interaction.hpp"
#include "tacit/solvers/md/potentials/table_file.hpp"

namespace tacit::md {

/// What stands between the values of a table. All go through n values at equal steps of r^2, which cubic splines in r
/// through those of the file give.
enum class Interpolation : std::uint8_t {
  linear,  ///< straight lines of u and of f / r, as LAMMPS' `linear`
  spline,  ///< cubic splines of each, as LAMMPS' `spline`
  cubic,   ///< a cubic spline of u, whose derivative is the force: so that energy is conserved
};

/// A cubic spline with given slopes at its ends.
class ClampedSpline {
 public:
  /// @param x  rising, at least two  @param y  of the same length
  ClampedSpline(std::span<const double> x, std::span<const double> y, double first_slope, double last_slope);
  [[nodiscard]] double at(double x) const;
  /// Of each value.
  [[nodiscard]] std::span<const double> second_derivatives() const noexcept { return second_; }

 private:
  std::vector<double> x_, y_, second_;
};

/// Records of the intervals of a table, as kernels::TabulatedPair wants them: shape (points - 1, 2, 4).
/// @param cutoff  where the last one ends, at most the last distance of the table
[[nodiscard]] std::vector<double> table_intervals(const PairTable& table, Interpolation interpolation,
                                                  std::size_t points, double cutoff);

/// A pair of types, in code units.
struct TabulatedTypes {
  double begin = 0.0;
  double cutoff = 0.0;    ///< 0: none acts
  std::size_t first = 0;  ///< interval
};

struct TableParameters {
  std::size_t types = 0;
  std::size_t points = 0;
  std::vector<TabulatedTypes> pairs = {};   ///< shape (types, types), symmetric
  base::PackVector<double> intervals = {};  ///< of all tables
  std::string checksum = {};                ///< of the file
};

[[nodiscard]] std::unique_ptr<Interaction> make_table(const TableParameters& parameters);

[[nodiscard]] std::span<const config::Key> table_keys();
/// @param may_leave_out  whether pairs that are not named have none
/// @throws config::Error where pairs are not named, are wrong, or reach beyond their table; what files throw
[[nodiscard]] TableParameters read_table(const config::Parameters& parameters, std::span<const std::string> elements,
                                         bool may_leave_out);

}  // namespace tacit::md
