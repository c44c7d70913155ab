// The table of ranks in the report: what each sent, and how evenly they worked.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tacit/trace/report.hpp"

namespace tacit::trace::detail {

/// Up to so many ranks have a row each; of more, the first, the last, and some that stand out.
inline constexpr std::size_t most_rank_rows = 16;

/// A rank that is shown, and why.
struct ShownRank {
  std::size_t rank = 0;
  std::string why = {};  ///< "least load, last"; empty where all are shown
};

/// The ranks that have a row, ascending.
[[nodiscard]] std::vector<ShownRank> ranks_to_show(const Report& report);

/// The table with its legend and a line on imbalance. Of one rank only that line, and nothing of one worker.
[[nodiscard]] std::string rank_table(const Report& report);

}  // namespace tacit::trace::detail
