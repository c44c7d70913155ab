// A lattice divided among ranks: which part each has, and who is beside whom.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "tacit/comm/communicator.hpp"
#include "tacit/comm/rank.hpp"
#include "tacit/mesh/block_grid.hpp"
#include "tacit/solvers/qcd/lattice.hpp"

namespace tacit::qcd {

/// Ranks along each axis; 0: chosen so that the least is sent.
using RanksPerAxis = std::array<std::uint32_t, axes>;

/// The lattice as a periodic grid in blocks that begin at even coordinates; axes that no rank divides have no ghosts.
/// @throws base::Error that says which number of ranks, or which division, fits
[[nodiscard]] mesh::BlockGrid divide(const Extents& extents, const RanksPerAxis& along, std::size_t ranks,
                                     comm::RankId own);
[[nodiscard]] LatticePart part_of(const mesh::BlockGrid& grid);

/// The part of a rank, and the ranks around it.
class Division {
 public:
  /// One rank has all. Not explicit: what takes a division takes a lattice of one rank.
  Division(const Extents& extents);  // NOLINT(google-explicit-constructor)
  /// @param world  outlives this   @throws as divide
  Division(const Extents& extents, const RanksPerAxis& along, comm::Communicator& world);

  [[nodiscard]] const LatticePart& part() const noexcept { return part_; }
  /// Null on one rank alone: there is nothing to say to anyone.
  [[nodiscard]] comm::Communicator* ranks() const noexcept { return ranks_; }
  /// Who has what is beyond a face.
  [[nodiscard]] comm::RankId beyond(const Face& face) const noexcept {
    return beyond_[face.axis][face.is_high ? 1 : 0];
  }

 private:
  LatticePart part_;
  comm::Communicator* ranks_ = nullptr;
  std::array<std::array<comm::RankId, 2>, axes> beyond_{};
};

}  // namespace tacit::qcd
