// The links of a field as files have them: bytes in either order, two or three rows, single or double precision.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tacit/solvers/qcd/formats/nersc.hpp"
#include "tacit/solvers/qcd/gauge_field.hpp"

namespace tacit::qcd {

/// Along an axis: what a file may say before memory is asked for.
inline constexpr std::uint32_t longest_extent = 4096;

/// The sum of all 32-bit words modulo 2^32, each read in that order.
[[nodiscard]] std::uint32_t word_sum(std::span<const std::byte> data, bool is_big_endian) noexcept;

/// The field of links in file order.
/// @param rows  of each link: of two, the third follows
/// @pre data has as many bytes as that takes
/// @throws base::FormatError naming the first link that is not in SU(3), within 1e-5 in single and 1e-8 in double
/// precision
[[nodiscard]] GaugeField links_of(const std::string& path, const Extents& extents, const NumberFormat& numbers,
                                  std::size_t rows, std::span<const std::byte> data);

/// The links in file order, three rows each.
[[nodiscard]] std::vector<std::byte> bytes_of_links(const GaugeField& field, const NumberFormat& numbers);

}  // namespace tacit::qcd
