// Which rank writes which rows of a distributed array, and how it gets them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "tacit/comm/communicator.hpp"
#include "tacit/io/detail/part_gather.hpp"
#include "tacit/io/part.hpp"

namespace tacit::io::detail {

/// Cuts an array into pieces of whole rows, each of which one rank writes: who has all of it, or else one of those who
/// have some of it, in turn, to whom the others send theirs.
class RowExchange {
 public:
  /// Fills rows, from `first` on.
  using Fill = std::function<void(std::uint64_t first, std::span<std::byte> out)>;
  /// Writes rows, which `fill` gives; it is called once.
  using Write = std::function<void(std::uint64_t first, std::uint64_t rows, const Fill& fill)>;

  /// Made by all ranks. @param rows  of a piece. @param mine  outlives this
  RowExchange(comm::Communicator& ranks, std::span<const std::uint64_t> shape, std::size_t element_bytes,
              std::uint64_t rows, const PartsOfRank& mine);
  ~RowExchange();
  RowExchange(const RowExchange&) = delete;
  RowExchange& operator=(const RowExchange&) = delete;

  /// Writes the pieces of this rank, in order, and sends what others write of it. Called by all ranks.
  void run(const Write& write);

 private:
  /// What a rank has of a piece.
  struct Share {
    std::uint64_t piece = 0;
    std::uint32_t rank = 0;
    std::uint64_t bytes = 0;
  };
  /// A piece: those who have some of it, and who writes it.
  struct Piece {
    std::span<const Share> shares;
    std::uint32_t writer = 0;
  };
  void find_shares();
  void find_pieces();
  void make_streams();
  [[nodiscard]] RankStream& stream(std::uint32_t from, std::uint32_t to) { return *streams_.at({from, to}); }
  void collect(const Piece& piece, std::uint64_t first, std::span<std::byte> out);

  comm::Communicator& ranks_;
  std::vector<std::uint64_t> shape_;
  std::size_t element_bytes_;
  std::uint64_t rows_;
  PartsOfRank mine_;
  std::vector<std::vector<Part>> parts_;  // by rank
  std::vector<Share> shares_;             // by piece and rank
  std::vector<Piece> pieces_;             // in which this rank has a part
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::unique_ptr<RankStream>> streams_;  // by sender and receiver
};

}  // namespace tacit::io::detail
