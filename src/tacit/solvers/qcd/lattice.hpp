// The sites of a four-dimensional lattice: their places in folded fields, their neighbours, and the blocks of sums.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tacit::qcd {

/// Axes are x, y, z, t: 0 to 3. x is the fastest in files.
inline constexpr std::size_t axes = 4;
using Coordinates = std::array<std::uint32_t, axes>;

/// Points along each axis, all even.
struct Extents {
  Coordinates n{};

  [[nodiscard]] std::size_t sites() const noexcept { return std::size_t{n[0]} * n[1] * n[2] * n[3]; }
  /// "16 x 16 x 16 x 32", x first
  [[nodiscard]] std::string text() const;
  /// x fastest: the order of files.
  [[nodiscard]] std::size_t index(const Coordinates& at) const noexcept {
    return ((std::size_t{at[3]} * n[2] + at[2]) * n[1] + at[1]) * n[0] + at[0];
  }
  [[nodiscard]] Coordinates at(std::size_t index) const noexcept;
  /// The next site along an axis; the lattice is periodic.
  [[nodiscard]] Coordinates next(Coordinates at, std::size_t axis) const noexcept;
  [[nodiscard]] Coordinates before(Coordinates at, std::size_t axis) const noexcept;
};

/// So many lanes at most can a lattice be folded into: along each axis of a multiple of four points into two parts.
[[nodiscard]] std::size_t most_lanes(const Extents& extents) noexcept;

/// Where a number of a site lies in a field: site `place` of the folded lattice, and which lane.
struct Place {
  std::size_t site = 0;
  std::size_t lane = 0;
};

/// A neighbour of a folded site: its number, and in the highest bit whether lanes are exchanged on the way.
struct Neighbour {
  static constexpr std::uint32_t crossing = 0x80000000U;
};

/// A lattice folded into lanes. Along some axes it is cut in two halves, which lie in two lanes of the same packs, so
/// that a pack holds as many sites far from each other, all with the same neighbours but for the exchange of lanes
/// where a half ends.
///
/// A folded site is numbered by parity (even first), block of 2^4 sites (x fastest), and place among the eight of its
/// parity in the block. Halves begin at even coordinates, so that all lanes of a site have its parity, and the sites of
/// a block in one lane are a block of the whole lattice: sums over blocks do not depend on the folding.
class Lattice {
 public:
  /// @param lanes  1, 2, 4, 8 or 16, at most most_lanes(extents). The last axes are folded first: in t the halves meet
  ///               least often
  Lattice(const Extents& extents, std::size_t lanes);

  static constexpr std::size_t sites_of_half_block = 8;

  [[nodiscard]] const Extents& extents() const noexcept { return extents_; }
  [[nodiscard]] std::size_t lanes() const noexcept { return lanes_; }
  /// Folded sites, of both parities.
  [[nodiscard]] std::size_t sites() const noexcept { return extents_.sites() / lanes_; }
  /// The same in groups of eight of one parity in a block: those of even sites, then those of odd ones.
  [[nodiscard]] std::size_t half_blocks() const noexcept { return sites() / sites_of_half_block; }
  /// Where a site of the whole lattice lies.
  [[nodiscard]] Place place(const Coordinates& at) const noexcept;
  /// The site of the whole lattice that lies there.
  [[nodiscard]] Coordinates site_at(const Place& place) const noexcept;
  /// Eight of each folded site: forward and backward along x, y, z, t.
  [[nodiscard]] const std::uint32_t* neighbours() const noexcept { return neighbours_.data(); }
  /// By how much the numbers of lanes differ that are exchanged along each axis; 0 along an axis that is not folded.
  [[nodiscard]] const std::array<std::uint32_t, axes>& strides() const noexcept { return strides_; }

 private:
  [[nodiscard]] std::size_t folded_site(const Coordinates& inner) const noexcept;
  void find_neighbours();

  Extents extents_;
  std::size_t lanes_;
  Coordinates inner_{};                        // extents of a lane's part
  std::array<std::uint32_t, axes> strides_{};  // of lanes
  std::vector<std::uint32_t> neighbours_;
};

}  // namespace tacit::qcd
