// Which numbers the ranks of a grid exchange in which message, as arithmetic alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "tacit/fft/pencils.hpp"

namespace tacit::fft {

/// Into how many messages the exchange of all fields is divided, so that it hides behind the transforms.
struct Division {
  std::size_t chunks = 1;  ///< of the planes of a rank: what has come is transformed while the next is under way
  std::size_t groups = 1;  ///< of the wave numbers kx of a rank, between the transforms along z and y
  friend bool operator==(const Division&, const Division&) = default;
};

/// The division of a pass, with what is left open (0) chosen: one rank exchanges nothing; several exchange a few
/// messages, each of which hides behind the transforms of the next.
[[nodiscard]] Division settled(const Pencils& pencils, const Division& wanted);

/// Blocks of the exchanges of one rank; all numbers count complex values, in 64 bits.
///
///     column, y and z   (field, kx of a group, z of a chunk, ky)   ky fastest; ky of one rank, z of the other
///     row, x and y      (field, z of a chunk, y, kx)               kx fastest; kx of one rank, y of the other
///
/// Both ways of an exchange have the same blocks. Places number the ranks of a row or of a column.
class ExchangePlan {
 public:
  /// @pre division has at least one chunk and one group
  ExchangePlan(const Pencils& pencils, const Division& division);

  [[nodiscard]] const Pencils& pencils() const noexcept { return pencils_; }
  [[nodiscard]] const Division& division() const noexcept { return division_; }

  /// Points along z of a chunk of the rank at a place of the column, or of this one.
  [[nodiscard]] const Range& z_of(std::size_t place, std::size_t chunk) const noexcept {
    return z_[place * division_.chunks + chunk];
  }
  [[nodiscard]] const Range& z(std::size_t chunk) const noexcept { return z_of(pencils_.place_in_column(), chunk); }
  [[nodiscard]] const Range& ky_of(std::size_t place) const noexcept { return ky_[place]; }
  /// Points along y, and indices of wave numbers kx, of the rank at a place of the row.
  [[nodiscard]] const Range& y_of(std::size_t place) const noexcept { return y_[place]; }
  [[nodiscard]] const Range& kx_of(std::size_t place) const noexcept { return kx_[place]; }
  /// Indices of wave numbers kx of a group of this rank, and the group of one of them.
  [[nodiscard]] const Range& kx(std::size_t group) const noexcept { return groups_[group]; }
  [[nodiscard]] std::size_t group_of(std::size_t kx_index) const noexcept {
    return group_of_[kx_index - pencils_.kx().begin];
  }

  /// Numbers of a block between the rank that has the modes and the one that has the points.
  [[nodiscard]] std::size_t column_block(std::size_t fields, std::size_t modes_at, std::size_t points_at,
                                         std::size_t group, std::size_t chunk) const noexcept {
    return fields * kx(group).size() * z_of(points_at, chunk).size() * ky_of(modes_at).size();
  }
  /// Where in such a block the line along y of one field, kx and z begins; kx and z are of the whole.
  [[nodiscard]] std::size_t column_line(std::size_t field, std::size_t kx_index, std::size_t z_index,
                                        std::size_t modes_at, std::size_t points_at, std::size_t group,
                                        std::size_t chunk) const noexcept {
    const Range& x = kx(group);
    const Range& planes = z_of(points_at, chunk);
    return ((field * x.size() + (kx_index - x.begin)) * planes.size() + (z_index - planes.begin)) *
           ky_of(modes_at).size();
  }
  /// Numbers of a block between the rank of the row that has some kx and the one that has some y.
  [[nodiscard]] std::size_t row_block(std::size_t fields, std::size_t kx_at, std::size_t y_at,
                                      std::size_t chunk) const noexcept {
    return fields * z(chunk).size() * y_of(y_at).size() * kx_of(kx_at).size();
  }
  /// Where in such a block the line along kx of one field, z and y begins; y and z are of the whole.
  [[nodiscard]] std::size_t row_line(std::size_t field, std::size_t z_index, std::size_t y_index, std::size_t kx_at,
                                     std::size_t y_at, std::size_t chunk) const noexcept {
    const Range& planes = z(chunk);
    const Range& rows = y_of(y_at);
    return ((field * planes.size() + (z_index - planes.begin)) * rows.size() + (y_index - rows.begin)) *
           kx_of(kx_at).size();
  }

 private:
  Pencils pencils_;
  Division division_;
  // Looked up rather than divided: a line of a transform takes no longer than a few divisions.
  std::vector<Range> z_;       // by place and chunk
  std::vector<Range> ky_;      // by place
  std::vector<Range> y_;       // by place
  std::vector<Range> kx_;      // by place
  std::vector<Range> groups_;  // of this rank
  std::vector<std::size_t> group_of_;
};

}  // namespace tacit::fft
