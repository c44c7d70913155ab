// Elements of a log as columns of numbers: what its reader returns.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/io/number.hpp"

namespace tacit::io {

/// One field of all rows, `count` numbers each.
struct LogColumn {
  std::string name;
  Number type = Number::float64;
  std::uint32_t count = 1;
  std::vector<std::byte> bytes;
};

/// Rows of a log: elements at one time, or one element at the times of its records.
struct LogTable {
  std::vector<std::uint64_t> id;
  std::vector<double> time;           ///< of the row, in the unit of rates
  std::vector<std::uint8_t> removed;  ///< 1 where the element does not exist from this time on; only in trajectories
  std::vector<LogColumn> columns;

  [[nodiscard]] std::size_t size() const noexcept { return id.size(); }

  /// Shape (rows, count) of the field.
  /// @throws base::PreconditionError if there is no such field of this type
  template <class T>
  [[nodiscard]] std::span<const T> column(std::string_view name) const {
    for (const LogColumn& column : columns) {
      if (column.name == name && column.type == number_type<T>()) {
        return {reinterpret_cast<const T*>(column.bytes.data()), column.bytes.size() / sizeof(T)};
      }
    }
    throw base::PreconditionError("the log has no field '" + std::string(name) + "' of this type");
  }
};

}  // namespace tacit::io
