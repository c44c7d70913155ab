// Gas out of arrays in files, averaged or taken apart for cells of any level.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/config/parameters.hpp"
#include "tacit/io/part.hpp"
#include "tacit/solvers/amr/setups/setups.hpp"

namespace tacit::amr {

/// An array of a file, in NumPy's format or HDF5.
class ArraySource {
 public:
  virtual ~ArraySource() = default;
  /// "gas.npy", "gas.hdf5, array density"
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual const std::vector<std::uint64_t>& shape() const = 0;
  virtual void read_part(const io::Part& part, std::span<double> out) const = 0;
};

/// The array that a key names: "gas.npy", "gas.hdf5" with an array of the last part of the key's name, or
/// "gas.hdf5:group/array".
/// @throws config::Error naming file, key and array
[[nodiscard]] std::unique_ptr<ArraySource> open_array(const config::Parameters& parameters, std::string_view key);

/// Density, velocity, pressure and mass fractions in the cells of one level of a domain, in code units.
class GasArrays {
 public:
  struct Keys {
    std::array<const char*, 5>
        gas;  ///< density, velocity along x, y and z, pressure; those of velocities may be absent
    std::array<const char*, 7> fractions;
  };
  /// @throws config::Error where a file is none, or has another shape than the cells of any level
  GasArrays(const config::Parameters& parameters, const Keys& keys, const Domain& domain, double gamma);

  /// Means of the gas in the cells of a sub-grid: of cells of the arrays that are finer, to rounding; of coarser ones
  /// what these have. Several threads may call it.
  /// @param first  cell of the sub-grid among those of its level
  /// @throws base::FormatError where a number is none that gas can have
  [[nodiscard]] std::vector<GasMeans> means(std::uint32_t level, const std::array<std::int64_t, 3>& first) const;
  [[nodiscard]] std::size_t species() const noexcept { return fractions_ == 0 ? 0 : fractions_ + 1; }
  /// Of the cells of the arrays.
  [[nodiscard]] std::uint32_t level() const noexcept { return level_; }

 private:
  struct Box;
  void set_level(const config::Parameters& parameters, const char* key, const ArraySource& array);
  [[nodiscard]] Box read(const std::array<std::int64_t, 3>& first, const std::array<std::int64_t, 3>& count) const;

  Domain domain_;
  double gamma_;
  std::uint32_t level_ = 0;
  std::size_t fractions_ = 0;
  /// By number of a cell: density, velocities, pressure, fractions; null: 0 everywhere.
  std::vector<std::unique_ptr<ArraySource>> arrays_;
  mutable std::mutex mutex_;  // one part is read at a time
};

}  // namespace tacit::amr
