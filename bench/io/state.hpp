// The state that the ranks of `tacit bench io` write: two arrays of doubles, of which each rank has some rows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>

#include "io/rank.hpp"
#include "io/raw_file.hpp"
#include "tacit/io/file.hpp"

namespace tacit::bench {

class State {
 public:
  static constexpr std::array arrays{"Gas/Coordinates", "Gas/Velocities"};
  static constexpr std::uint64_t row_doubles = 4096;

  explicit State(const Writing& writing);
  /// What this rank has of one array; the other one is written from the same memory.
  [[nodiscard]] std::span<const double> mine() const noexcept {
    return {reinterpret_cast<const double*>(memory_.bytes().data()), memory_.bytes().size() / sizeof(double)};
  }
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return memory_.bytes(); }
  [[nodiscard]] std::array<std::uint64_t, 2> shape() const noexcept { return {rows_, row_doubles}; }
  [[nodiscard]] const io::Part& part() const noexcept { return part_; }
  /// Of all arrays, of all ranks.
  [[nodiscard]] double all_bytes() const noexcept {
    return static_cast<double>(arrays.size() * rows_ * row_doubles * sizeof(double));
  }
  /// Returns when the file is durable, on all ranks.
  void write(const std::filesystem::path& path, io::Output& output) const;

 private:
  std::uint64_t rows_;
  io::Part part_;
  Pages memory_;
};

/// As a run has it by default: a share of what is free.
[[nodiscard]] std::uint64_t staging_memory(const Writing& writing);

}  // namespace tacit::bench
