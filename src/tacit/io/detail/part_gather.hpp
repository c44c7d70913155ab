// Gathers a distributed array on rank 0, some rows at a time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tacit/io/part.hpp"

namespace tacit::comm {
class Communicator;
}

namespace tacit::io::detail {

/// Copies some rows of a part to where they belong among whole rows.
///
/// @param shape  of the whole array
/// @param rows   of the part, shape (n, part.count[1], ...)
/// @param first  the row of the whole with which `rows` begins
/// @param piece  whole rows, from `piece_first` on
void place_rows(std::span<const std::uint64_t> shape, const Part& part, std::span<const double> rows,
                std::uint64_t first, std::uint64_t piece_first, std::span<double> piece);

/// Gathers one array on rank 0. All ranks construct it collectively; rank 0 then collects piece by piece, and each
/// other sends its part.
class PartGather {
 public:
  /// @param rows    of a piece; all pieces but the last have as many
  /// @param values  of the part of this rank; it outlives this
  PartGather(comm::Communicator& ranks, std::span<const std::uint64_t> shape, std::uint64_t rows, const Part& mine,
             std::span<const double> values);
  ~PartGather();
  PartGather(const PartGather&) = delete;
  PartGather& operator=(const PartGather&) = delete;

  /// Fills a piece. @pre on the first rank; the pieces come in order
  void collect(std::uint64_t first, std::span<double> piece);
  /// Sends all that this rank has; it may be overwritten then. @pre not on the first rank
  void hand_over();

 private:
  struct Sender;
  /// Rows of a part within a piece that begins with `first`: [begin, end), in rows of the whole.
  struct Overlap {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  [[nodiscard]] Overlap overlap(const Part& part, std::uint64_t first) const noexcept;
  [[nodiscard]] std::uint64_t longest(const Part& part) const noexcept;

  comm::Communicator& ranks_;
  std::vector<std::uint64_t> shape_;
  std::uint64_t rows_;
  Part mine_;
  std::span<const double> values_;
  std::vector<std::unique_ptr<Sender>> senders_;  // on the first rank: the others that have anything
};

}  // namespace tacit::io::detail
