// What a collective without arithmetic copies from where to where, worked out once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "tacit/comm/collectives/detail/team.hpp"

namespace tacit::comm::detail {

/// Something that one rank has for another, or for all.
struct Parcel {
  std::optional<RankId> to = {};  ///< nothing: every rank
  std::size_t from = 0;           ///< where it begins in what its rank brings [byte]
  std::size_t bytes = 0;
  std::size_t lands = 0;  ///< where it begins in what the receiver gets [byte]
};

/// A collective, in terms of ranks: the same description on all ranks.
struct Routes {
  std::string_view kind;
  std::function<std::size_t(RankId)> brings;           ///< bytes that a rank brings
  std::function<std::vector<Parcel>(RankId)> parcels;  ///< what they are made of
  std::optional<RankId> keeps = {};                    ///< a rank that gets no parcel of its own
  std::optional<RankId> root = {};                     ///< to which, or from which, all is carried
  enum class Reading : std::uint8_t {
    copies,
    views
  } reading = Reading::copies;  ///< views: parcels stay on the shared buffers
  bool is_all_to_all = false;   ///< every rank has one parcel for each
};

// What the collectives that only copy have to copy.

/// Every rank has `bytes` for all; they land by rank.
[[nodiscard]] Routes routes_all_gather(std::string_view kind, std::size_t bytes, Routes::Reading reading);
/// The root has `bytes` for all others.
[[nodiscard]] Routes routes_broadcast(RankId root, std::size_t bytes);
/// Every rank has `bytes` for the root; they land by rank.
[[nodiscard]] Routes routes_gather(RankId root, std::size_t bytes);
/// The root has `bytes` for each rank, by rank.
[[nodiscard]] Routes routes_scatter(RankId root, std::size_t ranks, std::size_t bytes);
/// Every rank has `bytes` for every rank; they lie and land by rank. Keeps nothing that grows with the ranks.
[[nodiscard]] Routes routes_all_to_all(std::size_t ranks, std::size_t bytes);
/// Rank i has bytes[i][j] for rank j; they lie by j and land by i.
[[nodiscard]] Routes routes_all_to_all(std::string_view kind, std::vector<std::vector<std::size_t>> bytes);
/// Rank i has counts(i, j) elements of `element` bytes for rank j, which lie by j and are read where they lie. Keeps
/// nothing that grows with the ranks.
[[nodiscard]] Routes routes_all_to_all_view(const std::function<std::size_t(RankId, RankId)>& counts, std::size_t ranks,
                                            std::size_t element);

/// A piece of a shared buffer, and where it goes.
struct BufferPiece {
  std::uint32_t member = 0;  ///< whose shared buffer, by place on the node
  std::size_t from = 0;      ///< in a half of it [byte]
  std::size_t bytes = 0;
  std::size_t to = 0;  ///< in the message, or in what the rank gets [byte]
  RankId source{};     ///< where it comes from
};

/// What a rank exchanges with another node as the gateway to it: a message in each direction, or a part of a long one.
struct Passage {
  RankId peer{};
  std::optional<std::size_t> sends = {};     ///< bytes; nothing: there is none
  std::optional<std::size_t> receives = {};  ///< likewise
  std::vector<BufferPiece> pack = {};        ///< what is sent
  std::size_t lands = 0;                     ///< where on our shared buffer what is received is put [byte]
};

/// The part of one rank.
struct Plan {
  std::size_t brings = 0;              ///< bytes, at the begin of a half of our shared buffer
  std::size_t half = 0;                ///< bytes of a half of our shared buffer
  std::vector<Passage> passages = {};  ///< parts of a message side by side
  std::vector<BufferPiece> near = {};  ///< read from shared buffers where ranks of our node have put them
  std::vector<BufferPiece> far = {};   ///< read from shared buffers of gateways, which have received them
};

/// Cost: the parcels of all ranks are looked at once, per node.
[[nodiscard]] Plan make_plan(const Team& team, RankId own, const Routes& routes);

}  // namespace tacit::comm::detail
