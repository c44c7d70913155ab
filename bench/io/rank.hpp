// What each of the ranks does that `tacit bench io` starts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

#include "comm/crew.hpp"
#include "framework/benchmark.hpp"

namespace tacit::bench {

/// The first word that makes the program one of the ranks; not for users.
inline constexpr std::string_view io_rank = "--io-rank";
/// The line after the last figure.
inline constexpr std::string_view io_end = "end";

/// What the ranks write together, and how often.
struct Writing {
  Crew* crew;
  Effort effort;
  const Sink* sink;
  std::filesystem::path folder;  ///< theirs alone, empty
  std::string label;             ///< in the names of the figures: "4", or "flat_4x1"
  std::size_t workers = 1;       ///< of each rank

  [[nodiscard]] std::size_t size(std::size_t full, std::size_t quick) const {
    return effort == Effort::full ? full : quick;
  }
  [[nodiscard]] std::size_t ranks() const { return crew->world().size(); }
  /// Rows of 32 KiB of each array: 256 MiB in all.
  [[nodiscard]] std::uint64_t rows() const { return size(std::size_t{1} << 12U, 1U << 8U); }
  [[nodiscard]] std::size_t samples() const { return size(7, 2); }
  void add(const Result& result) const {
    if (crew->is_first()) (*sink)(result);
  }
};

/// A rank that was started; rank 0 writes each figure as a line.
/// @param words  after io_rank: "full" or "quick", the folder, the label, workers, and what to measure: "strategies",
///               "all" (that one alone) or "restart"
void serve_io(std::span<const std::string_view> words, std::ostream& out);

// Its sections.

/// Durable writes by every strategy, beside plain files (writes.cpp).
void measure_writes(const Writing& writing, std::string_view which);
/// What a restart reads, beside plain reads, on one rank (restart.cpp).
void measure_restart(const Writing& writing);

}  // namespace tacit::bench
