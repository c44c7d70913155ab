// Gathers a distributed array on rank 0, some rows at a time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "tacit/comm/communicator.hpp"
#include "tacit/io/part.hpp"

namespace tacit::io::detail {

/// Copies some rows of a part to where they belong among whole rows.
///
/// @param shape  of the whole array, and bytes of an element
/// @param rows   of the part, shape (n, part.count[1], ...)
/// @param first  the row of the whole with which `rows` begins
/// @param piece  whole rows, from `piece_first` on
void place_rows(std::span<const std::uint64_t> shape, std::size_t element_bytes, const Part& part,
                std::span<const std::byte> rows, std::uint64_t first, std::uint64_t piece_first,
                std::span<std::byte> piece);

/// What a rank has of an array: its parts, and their elements, one part after the other.
struct PartsOfRank {
  std::span<const Part> parts;
  std::span<const std::byte> values;
};

/// Copies what a rank has of whole rows from `first` on.
void place_parts(std::span<const std::uint64_t> shape, std::size_t element_bytes, const PartsOfRank& of_rank,
                 std::uint64_t first, std::span<std::byte> rows);

/// What every rank has, by rank; on all of them. Called by all.
[[nodiscard]] std::vector<std::vector<Part>> parts_of_all(comm::Communicator& ranks, std::span<const Part> mine,
                                                          std::size_t axes);
[[nodiscard]] std::uint64_t elements_of(std::span<const Part> parts);

/// Calls `use(piece, bytes)` for what these parts have of each piece of `rows` rows: in any order, and for each part.
void for_pieces_of(std::span<const Part> parts, std::size_t element_bytes, std::uint64_t rows,
                   const std::function<void(std::uint64_t piece, std::uint64_t bytes)>& use);
/// What a rank has of `rows` rows from `first` on, part after part: what another one places by `place_message`.
[[nodiscard]] std::vector<std::byte> message_of(const PartsOfRank& of_rank, std::size_t element_bytes,
                                                std::uint64_t first, std::uint64_t rows);
/// Copies such a message to where it belongs. @param parts  of the rank that has sent it
void place_message(std::span<const std::uint64_t> shape, std::size_t element_bytes, std::span<const Part> parts,
                   std::span<const std::byte> message, std::uint64_t first, std::span<std::byte> rows);

/// Bytes from one rank to another, in pieces that both know the lengths of. Each end makes it.
class RankStream {
 public:
  /// @param bytes  of all pieces; none is sent where there are none
  RankStream(comm::Communicator& ranks, comm::RankId peer, std::uint64_t bytes);
  ~RankStream();
  RankStream(const RankStream&) = delete;
  RankStream& operator=(const RankStream&) = delete;

  /// Sends pieces of `piece` bytes each, the last one shorter. They may be overwritten then.
  void send(std::span<const std::byte> bytes, std::uint64_t piece);
  /// Takes one piece, of exactly that length.
  void receive(std::span<std::byte> out);

 private:
  struct Windows;
  std::unique_ptr<Windows> windows_;
};

/// Gathers one array on rank 0. All ranks construct it collectively; rank 0 then collects piece by piece, and each
/// other sends its parts.
class PartGather {
 public:
  /// @param rows  of a piece; all pieces but the last have as many
  /// @param mine  outlives this
  PartGather(comm::Communicator& ranks, std::span<const std::uint64_t> shape, std::size_t element_bytes,
             std::uint64_t rows, const PartsOfRank& mine);
  ~PartGather();
  PartGather(const PartGather&) = delete;
  PartGather& operator=(const PartGather&) = delete;

  /// Fills a piece. @pre on the first rank; the pieces come in order
  void collect(std::uint64_t first, std::span<std::byte> piece);
  /// Sends all that this rank has; it may be overwritten then. @pre not on the first rank
  void hand_over();

 private:
  struct Sender;
  [[nodiscard]] std::vector<std::uint64_t> bytes_by_piece(std::span<const Part> parts) const;

  comm::Communicator& ranks_;
  std::vector<std::uint64_t> shape_;
  std::size_t element_bytes_;
  std::uint64_t rows_;
  PartsOfRank mine_;
  std::vector<std::unique_ptr<Sender>> senders_;  // on the first rank: the others that have anything
};

}  // namespace tacit::io::detail
