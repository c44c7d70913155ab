// What ranks decide together from arrays of theirs, blocking: sums, maxima, order statistics, and blocks for each
// other.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "tacit/comm/communicator.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::exchange {

// All ranks call these in the same order, with arrays of the same length, from one thread, outside of runs of the
// scheduler. One rank alone communicates nothing. All throw what comm::AllReduce throws.

/// Each number becomes the sum of those of all ranks.
void add_over(comm::Communicator& ranks, std::span<std::uint64_t> values);
/// Each number becomes the largest of those of all ranks; NaN if any is.
void take_largest(comm::Communicator& ranks, std::span<double> values);
/// The same of whole numbers.
void take_largest(comm::Communicator& ranks, std::span<std::uint64_t> values);

/// The k-th smallest (from 0) of the numbers of all ranks, which bring as many as they have: exact, and so the same
/// however they are divided among ranks.
/// @param room     of the same shape as `values`; overwritten
/// @param workers  that share the work of one rank alone; null: the caller does it
/// @pre no number is NaN, and there are more than k in all
/// Cost: one rank: O(n). Several: up to six passes over the numbers, each with a sum of 2048 counts over ranks.
[[nodiscard]] double kth_smallest(comm::Communicator& ranks, std::span<const double> values, std::uint64_t k,
                                  std::span<double> room, tasks::Scheduler* workers = nullptr);

/// Gives every rank what all have, by rank.
[[nodiscard]] std::vector<std::uint64_t> gather_all(comm::Communicator& ranks, std::uint64_t mine);

/// How many each rank has for this one, of what this one has for each. @param mine  shape (ranks)
[[nodiscard]] std::vector<std::uint64_t> counts_from_all(comm::Communicator& ranks,
                                                         std::span<const std::uint64_t> mine);

/// Blocks of bytes that have come, by the rank from which.
struct Blocks {
  std::vector<std::byte> bytes;
  std::vector<std::size_t> begins;  ///< shape (ranks + 1)
  [[nodiscard]] std::span<const std::byte> from(std::size_t rank) const {
    return std::span(bytes).subspan(begins[rank], begins[rank + 1] - begins[rank]);
  }
};

/// Sends a block to each rank, this one included.
/// @param blocks  shape (ranks): of any lengths
[[nodiscard]] Blocks send_blocks(comm::Communicator& ranks, std::span<const std::vector<std::byte>> blocks);

/// Sends fields of elements to other ranks, a few at a time, so that little memory is needed beside them.
///
///     FieldRounds rounds(ranks, leaving, coming);
///     for each field: rounds.append(rank, values) for what goes to each rank; then rounds.add<T>(take)
///     rounds.finish();
///
/// All ranks make it and call `add` for the same fields in the same order, and `finish`.
class FieldRounds {
 public:
  /// @param leaving  elements that this rank sends in all
  /// @param coming   shape (ranks): elements that come from each
  FieldRounds(comm::Communicator& ranks, std::uint64_t leaving, std::vector<std::uint64_t> coming);

  /// Appends values of the next field to what goes to a rank.
  template <class T>
  void append(std::size_t rank, std::span<const T> values) {
    const auto bytes = std::as_bytes(values);
    blocks_[rank].insert(blocks_[rank].end(), bytes.begin(), bytes.end());
  }
  /// Ends a field of values of type T.
  /// @param take  (std::size_t rank, std::span<const std::byte>): the values that have come from each rank, by rank;
  /// called
  ///              now or later, until `finish` returns
  template <class T>
  void add(std::function<void(std::size_t, std::span<const std::byte>)> take) {
    fields_.push_back({sizeof(T), std::move(take)});
    bytes_of_element_ += sizeof(T);
    if (bytes_of_element_ * most_ >= most_bytes) run();
  }
  /// Sends what is left.
  void finish() {
    if (!fields_.empty()) run();
  }

 private:
  /// Of a rank's fields that travel together.
  static constexpr std::size_t most_bytes = std::size_t{4} << 20U;
  struct Field {
    std::size_t bytes = 0;
    std::function<void(std::size_t, std::span<const std::byte>)> take;
  };
  void run();

  comm::Communicator& ranks_;
  std::vector<std::uint64_t> coming_;
  std::uint64_t most_ = 0;  // elements that any rank sends or gets
  std::vector<std::vector<std::byte>> blocks_;
  std::vector<Field> fields_;
  std::size_t bytes_of_element_ = 0;
};

}  // namespace tacit::exchange
