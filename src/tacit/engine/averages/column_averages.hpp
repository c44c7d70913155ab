// Means and errors of the columns of statistics.csv.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/engine/averages/block_averages.hpp"

namespace tacit::engine {

struct ColumnAverages {
  struct Column {
    std::string name;
    BlockEstimate estimate;
  };
  double from = 0.0;                 ///< on the axis of the run
  std::uint64_t lines = 0;           ///< that were averaged
  std::vector<Column> columns = {};  ///< in the order of the file; those with a number in every line
};

/// Averages the lines of a statistics.csv from a point of the axis on: as doubles are written there with all their
/// digits, and the file goes on where a run is continued, so do the averages.
/// @param axis  name of its column; it and the counts of steps, their lengths and wall-clock times are left out
/// @throws base::SystemError if the file cannot be read
[[nodiscard]] ColumnAverages column_averages(const std::filesystem::path& path, std::string_view axis, double from);

/// Lines for a person: each column's mean and error.
[[nodiscard]] std::string to_text(const ColumnAverages& averages, std::string_view at);

}  // namespace tacit::engine
