// Deals out the pieces of an array, and sends rows to those who write them.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/io/detail/row_exchange.hpp"

#include <algorithm>
#include <tuple>

namespace tacit::io::detail {

RowExchange::RowExchange(comm::Communicator& ranks, std::span<const std::uint64_t> shape, std::size_t element_bytes,
                         std::uint64_t rows, const PartsOfRank& mine)
    : ranks_(ranks),
      shape_(shape.begin(), shape.end()),
      element_bytes_(element_bytes),
      rows_(rows),
      mine_(mine),
      parts_(parts_of_all(ranks, mine.parts, shape.size())) {
  find_shares();
  find_pieces();
  make_streams();
}

RowExchange::~RowExchange() = default;

void RowExchange::find_shares() {
  for (std::uint32_t rank = 0; rank < parts_.size(); ++rank) {
    for_pieces_of(parts_[rank], element_bytes_, rows_, [&](std::uint64_t piece, std::uint64_t bytes) {
      shares_.push_back({piece, rank, bytes});
    });
  }
  std::ranges::sort(shares_, {}, [](const Share& share) { return std::tuple(share.piece, share.rank); });
  // Several parts of one rank are one share.
  std::vector<Share> joined;
  for (const Share& share : shares_) {
    const bool continues = !joined.empty() && joined.back().piece == share.piece && joined.back().rank == share.rank;
    if (continues) {
      joined.back().bytes += share.bytes;
    } else {
      joined.push_back(share);
    }
  }
  shares_ = std::move(joined);
}

void RowExchange::find_pieces() {
  std::size_t mixed = 0;
  for (std::span<const Share> left = shares_; !left.empty();) {
    const auto end = std::ranges::find_if(left, [&](const Share& share) { return share.piece != left.front().piece; });
    const std::span<const Share> shares = left.first(static_cast<std::size_t>(end - left.begin()));
    left = left.subspan(shares.size());
    const std::uint32_t writer = shares.size() == 1 ? shares.front().rank : shares[mixed++ % shares.size()].rank;
    const bool is_ours = std::ranges::find(shares, number(ranks_.rank()), &Share::rank) != shares.end();
    if (is_ours) pieces_.push_back({shares, writer});
  }
}

void RowExchange::make_streams() {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> bytes;
  const std::uint32_t own = number(ranks_.rank());
  for (const Piece& piece : pieces_) {
    for (const Share& share : piece.shares) {
      if (share.rank == piece.writer || (share.rank != own && piece.writer != own)) continue;
      bytes[{share.rank, piece.writer}] += share.bytes;
    }
  }
  // In the same order at both ends, by which they meet.
  for (const auto& [pair, all] : bytes) {
    const std::uint32_t peer = pair.first == own ? pair.second : pair.first;
    streams_.emplace(pair, std::make_unique<RankStream>(ranks_, comm::RankId{peer}, all));
  }
}

void RowExchange::collect(const Piece& piece, std::uint64_t first, std::span<std::byte> out) {
  place_parts(shape_, element_bytes_, mine_, first, out);
  std::vector<std::byte> message;
  for (const Share& share : piece.shares) {
    if (share.rank == piece.writer) continue;
    message.resize(share.bytes);
    stream(share.rank, piece.writer).receive(message);
    place_message(shape_, element_bytes_, parts_[share.rank], message, first, out);
  }
}

/// All go through the pieces in the same order, so that nobody waits for one who waits for a later piece.
void RowExchange::run(const Write& write) {
  const std::uint32_t own = number(ranks_.rank());
  for (const Piece& piece : pieces_) {
    const std::uint64_t first = piece.shares.front().piece * rows_;
    const std::uint64_t rows = std::min(rows_, shape_[0] - first);
    if (piece.writer == own) {
      write(first, rows, [&](std::uint64_t, std::span<std::byte> out) { collect(piece, first, out); });
    } else {
      const std::vector<std::byte> message = message_of(mine_, element_bytes_, first, rows);
      stream(own, piece.writer).send(message, message.size());
    }
  }
}

}  // namespace tacit::io::detail
