// The links of a field as files have them: bytes in either order, two or three rows, single or double precision.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "tacit/comm/collectives/reduce.hpp"
#include "tacit/solvers/qcd/division.hpp"
#include "tacit/solvers/qcd/formats/nersc.hpp"
#include "tacit/solvers/qcd/gauge_field.hpp"

namespace tacit::qcd {

/// Along an axis: what a file may say before memory is asked for.
inline constexpr std::uint32_t longest_extent = 4096;

/// The sum of all 32-bit words modulo 2^32, each read in that order.
[[nodiscard]] std::uint32_t word_sum(std::span<const std::byte> data, bool is_big_endian) noexcept;

/// Where the links of a file are, and how they are written.
struct LinksInFile {
  std::filesystem::path path;
  Extents extents;
  NumberFormat numbers;
  std::size_t rows = 3;     ///< of each link: of two, the third follows
  std::uint64_t begin = 0;  ///< of the first one [byte]

  [[nodiscard]] std::size_t site_bytes() const noexcept {
    return axes * rows * 6 * (numbers.is_double ? sizeof(double) : sizeof(float));
  }
};

/// Links of a rank that have been read and not yet held against anything.
struct LinksRead {
  GaugeField field;
  std::uint64_t first_flaw;  ///< the number in the file of the first link of this rank's part that is not in SU(3)
};

/// Is given the bytes of a site, and its number in the file.
using SeeSite = std::function<void(std::size_t site, std::span<const std::byte> bytes)>;

/// Reads what a rank has of a field, some sites at a time. Links in single precision become unitary to double
/// precision.
/// @param see  is given each site of this rank's part
/// @pre the file has as many bytes as its sites take   @throws base::SystemError
[[nodiscard]] LinksRead read_links(const LinksInFile& file, const Division& division, const SeeSite& see);

/// All ranks call it. @throws base::FormatError on all of them naming the first link of the file that is not in SU(3),
/// within 1e-5 in single and 1e-8 in double precision
void require_su3(const LinksInFile& file, const Division& division, std::uint64_t first_flaw);

/// a and b of all ranks, each combined by a function.
template <class Function>
[[nodiscard]] std::array<std::uint32_t, 2> of_all_ranks(const Division& division, std::array<std::uint32_t, 2> mine,
                                                        const Function& function) {
  if (division.ranks() != nullptr) comm::AllReduce<std::uint32_t>(*division.ranks(), mine, function).run();
  return mine;
}

/// The links in file order, three rows each. @pre field is that of a whole lattice
[[nodiscard]] std::vector<std::byte> bytes_of_links(const GaugeField& field, const NumberFormat& numbers);

}  // namespace tacit::qcd
