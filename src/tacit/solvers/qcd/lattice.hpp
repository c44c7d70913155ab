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

/// What a rank has of a lattice: a box of even extents that begins at even coordinates.
struct LatticePart {
  Extents whole;
  Coordinates begin{};
  Extents own;
  std::array<bool, axes> is_divided{};  ///< whether other ranks have the rest along an axis
  std::array<bool, axes> can_fold{};    ///< where the parts of all ranks are multiples of four sites long

  /// All of it. Not explicit: what takes a part takes a lattice of one rank.
  LatticePart(const Extents& extents) noexcept;  // NOLINT(google-explicit-constructor)
  /// Whether a site is in it.
  [[nodiscard]] bool has(const Coordinates& at) const noexcept;
  /// The site with that number in it, x fastest.
  [[nodiscard]] Coordinates at(std::size_t index) const noexcept;
};

/// So many lanes at most can a part be folded into: along each axis of a multiple of four points into two parts.
[[nodiscard]] std::size_t most_lanes(const LatticePart& part) noexcept;

/// Where a number of a site lies in a field: site `place` of the folded lattice, and which lane.
struct Place {
  std::size_t site = 0;
  std::size_t lane = 0;
};

/// A neighbour of a folded site: its number, and in the highest bits whether lanes are exchanged on the way, and
/// whether some or all lanes of it are on another rank.
struct Neighbour {
  static constexpr std::uint32_t crossing = 0x80000000U;
  static constexpr std::uint32_t ghost = 0x40000000U;
};

/// The sites of one parity at an end of a rank's part where another rank's begins, whose half spinors that one needs;
/// and the ghosts, the half spinors of that parity that come from there. Both are as many, in the order of the other
/// three coordinates, which is the same at both ends.
struct Face {
  std::size_t axis = 0;
  bool is_high = false;
  std::uint32_t parity = 0;
  std::vector<std::uint32_t> sites;  ///< folded
  std::size_t first_ghost = 0;
};

/// A lattice folded into lanes. Along some axes it is cut in two halves, which lie in two lanes of the same packs, so
/// that a pack holds as many sites far from each other, all with the same neighbours but for the exchange of lanes
/// where a half ends.
///
/// A folded site is numbered by parity (even first), block of 2^4 sites (x fastest), and place among the eight of its
/// parity in the block. Halves begin at even coordinates, so that all lanes of a site have its parity, and the sites of
/// a block in one lane are a block of the whole lattice: sums over blocks do not depend on the folding. The same holds
/// for the parts of ranks, each of which is folded by itself.
class Lattice {
 public:
  /// @param lanes  1, 2, 4, 8 or 16, at most most_lanes(part), and the same on all ranks. The last axes are folded
  ///               first: in t the halves meet least often
  Lattice(const LatticePart& part, std::size_t lanes);

  static constexpr std::size_t sites_of_half_block = 8;

  /// Of the whole lattice.
  [[nodiscard]] const Extents& extents() const noexcept { return part_.whole; }
  [[nodiscard]] const LatticePart& part() const noexcept { return part_; }
  [[nodiscard]] std::size_t lanes() const noexcept { return lanes_; }
  /// Folded sites of this rank, of both parities.
  [[nodiscard]] std::size_t sites() const noexcept { return part_.own.sites() / lanes_; }
  /// The same in groups of eight of one parity in a block: those of even sites, then those of odd ones.
  [[nodiscard]] std::size_t half_blocks() const noexcept { return sites() / sites_of_half_block; }
  /// Where a site of the whole lattice lies. @pre part().has(at)
  [[nodiscard]] Place place(const Coordinates& at) const noexcept;
  /// The site of the whole lattice that lies there.
  [[nodiscard]] Coordinates site_at(const Place& place) const noexcept;
  /// Eight of each folded site: forward and backward along x, y, z, t.
  [[nodiscard]] const std::uint32_t* neighbours() const noexcept { return neighbours_.data(); }
  /// By how much the numbers of lanes differ that are exchanged along each axis; 0 along an axis that is not folded.
  [[nodiscard]] const std::array<std::uint32_t, axes>& strides() const noexcept { return strides_; }

  /// Where other ranks begin: none on one rank alone.
  [[nodiscard]] const std::vector<Face>& faces() const noexcept { return faces_; }
  /// Lanes of a site at a face that lie at that end.
  [[nodiscard]] std::size_t lanes_at(const Face& face) const noexcept {
    return strides_[face.axis] != 0 ? lanes_ / 2 : lanes_;
  }
  /// Folded half spinors that come from other ranks.
  [[nodiscard]] std::size_t ghosts() const noexcept { return ghosts_; }
  /// Which of them each neighbour with the bit Neighbour::ghost is; none on one rank alone.
  [[nodiscard]] const std::uint32_t* ghost_places() const noexcept { return ghost_places_.data(); }
  /// Blocks of both parities, by number, that have no neighbours on other ranks.
  [[nodiscard]] const std::vector<std::uint32_t>& interior_blocks() const noexcept { return interior_blocks_; }
  /// The others.
  [[nodiscard]] const std::vector<std::uint32_t>& rim_blocks() const noexcept { return rim_blocks_; }

 private:
  [[nodiscard]] std::size_t folded_site(const Coordinates& inner) const noexcept;
  void find_neighbours();
  void find_faces();
  void find_blocks();

  LatticePart part_;
  std::size_t lanes_;
  Coordinates inner_{};                        // extents of a lane's part
  std::array<std::uint32_t, axes> strides_{};  // of lanes
  std::vector<std::uint32_t> neighbours_;
  std::vector<Face> faces_;
  std::size_t ghosts_ = 0;
  std::vector<std::uint32_t> ghost_places_;
  std::vector<std::uint32_t> interior_blocks_;
  std::vector<std::uint32_t> rim_blocks_;
};

}  // namespace tacit::qcd
