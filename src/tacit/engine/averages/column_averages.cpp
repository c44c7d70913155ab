// Reads statistics.csv line by line, and averages its columns.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/engine/averages/column_averages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <system_error>

#include "tacit/base/error.hpp"

namespace tacit::engine {
namespace {

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t end = std::min(line.find(',', at), line.size());
    cells.push_back(line.substr(at, end - at));
    at = end + 1;
  }
  return cells;
}

/// NaN where there is no number.
double number_in(std::string_view cell) {
  double value = std::numeric_limits<double>::quiet_NaN();
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  return error == std::errc{} && end == cell.data() + cell.size() ? value : std::numeric_limits<double>::quiet_NaN();
}

bool is_averaged(std::string_view column, std::string_view axis) {
  constexpr std::array<std::string_view, 3> others{"step", "dt", "wall_s"};
  return column != axis && std::ranges::find(others, column) == others.end();
}

}  // namespace

ColumnAverages column_averages(const std::filesystem::path& path, std::string_view axis, double from) {
  std::ifstream file(path);
  if (!file) throw base::SystemError(path.string(), "cannot be read for its averages", errno);
  ColumnAverages result{.from = from};
  std::string line;
  if (!std::getline(file, line)) return result;
  const std::string header = line;
  const std::vector<std::string_view> names = cells_of(header);
  const auto place = static_cast<std::size_t>(std::ranges::find(names, axis) - names.begin());
  const double earliest = from - 1e-9 * std::abs(from);  // times are sums of steps
  BlockAverages averages(names.size());
  std::vector<double> values(names.size());
  while (std::getline(file, line)) {
    const std::vector<std::string_view> cells = cells_of(line);
    if (cells.size() != names.size()) continue;  // a line that was cut off
    std::ranges::transform(cells, values.begin(), number_in);
    if (place < values.size() && values[place] >= earliest) averages.add(values);
  }
  result.lines = averages.count();
  if (result.lines == 0) return result;
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (!is_averaged(names[k], axis) || !std::isfinite(averages.mean(k))) continue;
    result.columns.push_back({std::string(names[k]), averages.estimate(k)});
  }
  return result;
}

std::string to_text(const ColumnAverages& averages, std::string_view at) {
  if (averages.lines == 0) return fmt::format("averages: statistics.csv has no line from {} on", at);
  std::string text =
      fmt::format("averages of {} line(s) from {} on, with standard errors by blocking:", averages.lines, at);
  std::size_t width = 0;
  for (const ColumnAverages::Column& column : averages.columns) width = std::max(width, column.name.size());
  bool is_short = false;
  for (const auto& [name, estimate] : averages.columns) {
    is_short = is_short || !estimate.is_reliable;
    text += fmt::format("\n  {:<{}}  {:>13.6g} +- {:.2g}{}", name, width, estimate.mean, estimate.error,
                        estimate.is_reliable ? "" : " *");
  }
  if (is_short) text += "\n  * of too few lines that do not depend on each other: the error is a lower bound";
  return text;
}

}  // namespace tacit::engine
