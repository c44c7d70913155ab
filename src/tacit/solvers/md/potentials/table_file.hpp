// Tables of potentials of pairs, in the format of LAMMPS.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tacit::md {

/// A section of such a file: energies and forces at rising distances, in code units.
struct PairTable {
  std::vector<double> r = {};                                ///< [length], at least four
  std::vector<double> u = {};                                ///< [energy]
  std::vector<double> f = {};                                ///< -u'(r) [energy/length]
  double begin = 0.0;                                        ///< [length]
  std::optional<std::pair<double, double>> end_slopes = {};  ///< f' at both ends [energy/length^2]
  std::size_t line = 0;                                      ///< of the keyword
};

/// The sections of some names. A section is a line with its name; one with "N count", optionally "R low high" or "RSQ
/// low high" (distances at equal steps of r or r^2, from which they follow) and "FP low high" (slopes of the force at
/// the ends); then lines of number, r, u and f. Empty lines, and lines that begin with #, are passed over.
/// @throws base::FormatError with file and line: a section that is missing or ends too early, words for numbers,
///         distances that do not rise or are not at the steps that are named
[[nodiscard]] std::map<std::string, PairTable> parse_pair_tables(std::string_view text, const std::string& name,
                                                                 const std::set<std::string>& wanted);
/// @throws what base::read_text throws
[[nodiscard]] std::map<std::string, PairTable> read_pair_tables(const std::filesystem::path& path,
                                                                const std::set<std::string>& wanted);

}  // namespace tacit::md
