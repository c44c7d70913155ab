// Fields of initial conditions on a grid of cells, out of an HDF5 file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tacit/config/parameters.hpp"
#include "tacit/engine/field_row.hpp"
#include "tacit/io/file.hpp"

namespace tacit::engine {

/// The cells that files of initial conditions are to have.
struct InputGrid {
  std::array<std::int64_t, 3> cells{1, 1, 1};  ///< along x, y and z
  std::size_t dimensions = 3;
  std::string_view key = {};  ///< that says so
};

/// A file that has fields by name, of shape (z, y, x), (y, x) or (x), or that is a snapshot.
class InputFields {
 public:
  /// @param key  that names the file
  /// @throws config::Error if it is none, base::SystemError if it cannot be read
  InputFields(const config::Parameters& parameters, std::string_view key, const InputGrid& grid);

  [[nodiscard]] bool has(const FieldRow& row) const { return file_->is_array(array_of(row)); }
  /// The numbers of a field by cell: planes are read as they are asked for, and the last one is kept.
  /// @param above  if given, all are more than that
  /// @return       throws base::FormatError where a number is not finite, or not more than `above`
  /// @throws base::FormatError if it is not there, or has another shape
  [[nodiscard]] std::function<double(const std::array<std::int64_t, 3>& cell)> field(
      const FieldRow& row, std::optional<double> above = {}) const;
  [[nodiscard]] const std::filesystem::path& path() const { return file_->path(); }
  /// Of the whole file.
  [[nodiscard]] std::string checksum() const;

 private:
  [[nodiscard]] std::string array_of(const FieldRow& row) const;
  std::shared_ptr<const io::FileReader> file_;
  InputGrid grid_;
};

}  // namespace tacit::engine
