// Gauge fields in the format of the International Lattice Data Grid: a LIME file with SciDAC's checksums.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "tacit/solvers/qcd/division.hpp"
#include "tacit/solvers/qcd/gauge_field.hpp"

namespace tacit::qcd {

/// SciDAC's checksums: of each site the CRC-32 c of its bytes, rotated by its number in the order of the file,
///
///     a = xor_x rotl(c_x, x mod 29),    b = xor_x rotl(c_x, x mod 31)
struct ScidacChecksum {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  void add(std::size_t site, std::span<const std::byte> bytes) noexcept;
  friend bool operator==(const ScidacChecksum&, const ScidacChecksum&) = default;
};
/// @param site_bytes  of a site
[[nodiscard]] ScidacChecksum scidac_checksum(std::span<const std::byte> data, std::size_t site_bytes) noexcept;

/// Whether a file begins as LIME files do.
[[nodiscard]] bool is_lime(const std::filesystem::path& path);

/// What the record ildg-format says.
/// @throws base::SystemError; base::FormatError naming the record, as the next
[[nodiscard]] Extents read_ildg_extents(const std::filesystem::path& path);

/// Reads what a rank has of a field, and holds all of it against the record scidac-checksum, and against plaquette and
/// link trace in scidac-record-xml, where they are there. All ranks call it. Links in single precision are made unitary
/// to double precision.
/// @throws base::SystemError; base::FormatError, on all ranks alike, naming the record that is missing, cut off or
/// wrong
/// @pre division is of the lattice that read_ildg_extents tells
[[nodiscard]] GaugeField read_ildg(const std::filesystem::path& path, const Division& division);

/// What an ILDG file of a field holds, in double precision.
/// @param name  what it is, for people
[[nodiscard]] std::string ildg_file(const GaugeField& field, const std::string& name);

}  // namespace tacit::qcd
