// Gauge fields in the format of the NERSC archive: a header of text and the links of all sites.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "tacit/solvers/qcd/division.hpp"
#include "tacit/solvers/qcd/gauge_field.hpp"

namespace tacit::qcd {

/// How numbers stand in a file.
struct NumberFormat {
  bool is_double = true;
  bool is_big_endian = true;
};

/// A number that a text tells, with as many digits as its writer chose.
struct ToldNumber {
  double value = 0.0;
  double rounding = 0.0;  ///< half of a unit of the last digit

  /// Whether a number of the links may be what was told. @param numbers  in which the links are
  [[nodiscard]] bool agrees(double found, const NumberFormat& numbers) const noexcept;
};
/// Nothing if a text is no finite number.
[[nodiscard]] std::optional<ToldNumber> told_number(std::string_view text);

/// What the header of a NERSC file says. Keys are those of the archive; others are left alone.
struct NerscHeader {
  Extents extents;
  bool has_three_rows = true;  ///< DATATYPE: 4D_SU3_GAUGE has two rows of each link, 4D_SU3_GAUGE_3x3 three
  NumberFormat numbers;        ///< FLOATING_POINT: IEEE32BIG, IEEE64BIG, IEEE32LITTLE, IEEE64LITTLE
  std::uint32_t checksum = 0;  ///< sum of all 32-bit words of the links, in this machine's order, modulo 2^32
  ToldNumber link_trace;
  ToldNumber plaquette;
  std::uint64_t data_begin = 0;  ///< of the links in the file [byte]

  [[nodiscard]] std::uint64_t data_bytes() const noexcept;
};

/// @throws base::SystemError if the file cannot be read; base::FormatError naming the key that is missing or wrong
[[nodiscard]] NerscHeader read_nersc_header(const std::filesystem::path& path);

/// Reads what a rank has of a field, and holds all of it against the header, which all ranks call together. Links in
/// single precision are made unitary to double precision.
/// @throws base::SystemError, base::FormatError, on all ranks alike, naming what is wrong: the header, the length, the
///         checksum, the plaquette, the link trace, or the link that is not in SU(3)
/// @pre division is of the lattice that the header tells
[[nodiscard]] GaugeField read_nersc(const std::filesystem::path& path, const Division& division);

/// What a NERSC file of a field holds: three rows, double precision, big endian.
/// @param title  of the ensemble, on one line
[[nodiscard]] std::string nersc_file(const GaugeField& field, const std::string& title);

}  // namespace tacit::qcd
