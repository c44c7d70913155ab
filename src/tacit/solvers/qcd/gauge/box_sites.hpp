// The sites of a rank's box of links: their neighbours, its own ones by parity, and what it shares with other ranks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "tacit/solvers/qcd/fields.hpp"
#include "tacit/solvers/qcd/gauge_field.hpp"

namespace tacit::qcd {

/// Sites by their numbers in a GaugeBox.
using SiteList = std::vector<std::uint32_t>;

/// What a rank sends to, and gets from, one side: sites of one parity, in an order that both ends have.
struct BoxFace {
  std::size_t axis = 0;
  bool is_high = false;
  SiteList sent = {};      ///< own ones, and those along earlier axes that have come from other ranks
  SiteList received = {};  ///< those beyond
};

/// Neighbours of all sites of a box, and which of them the rank owns.
class BoxSites {
 public:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  explicit BoxSites(const GaugeField& field);

  [[nodiscard]] std::size_t count() const noexcept { return next_.size() / axes; }
  /// The next site along an axis; none where the box ends.
  [[nodiscard]] std::uint32_t next(std::uint32_t site, std::size_t axis) const noexcept {
    return next_[site * axes + axis];
  }
  [[nodiscard]] std::uint32_t before(std::uint32_t site, std::size_t axis) const noexcept {
    return before_[site * axes + axis];
  }
  /// The number of a site in the whole lattice.
  [[nodiscard]] std::uint64_t in_lattice(std::uint32_t site) const noexcept { return in_lattice_[site]; }
  /// Those of the rank, x fastest.
  [[nodiscard]] const SiteList& own() const noexcept { return own_; }
  /// Own ones of a parity that no other rank has in its box.
  [[nodiscard]] const SiteList& interior(Parity parity) const noexcept { return interior_[index(parity)]; }
  /// Own ones of a parity that other ranks have.
  [[nodiscard]] const SiteList& rim(Parity parity) const noexcept { return rim_[index(parity)]; }
  /// In the order in which they are exchanged: both sides of each axis that ranks divide.
  [[nodiscard]] const std::vector<BoxFace>& faces(Parity parity) const noexcept { return faces_[index(parity)]; }

 private:
  static std::size_t index(Parity parity) noexcept { return parity == Parity::even ? 0 : 1; }
  void find_faces(const GaugeField& field);

  SiteList next_;
  SiteList before_;
  std::vector<std::uint64_t> in_lattice_;
  SiteList own_;
  std::array<SiteList, 2> interior_;
  std::array<SiteList, 2> rim_;
  std::array<std::vector<BoxFace>, 2> faces_;
};

}  // namespace tacit::qcd
