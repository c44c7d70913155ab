// Parameter files of Tersoff's potential joined to the repulsion of nuclei, and Tersoff's for some of the types alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "tacit/solvers/md/formats/triple_entries.hpp"
#include "tacit/solvers/md/kernels/tersoff.hpp"

namespace tacit::md {

/// As files of Tersoff's potential (formats/tersoff_file.hpp), with four more numbers in each entry: Z_i, Z_j, where
/// both potentials have half of a part, and how steeply one follows the other (LAMMPS' *.tersoff.zbl).
/// @param name  what messages call the text
/// @throws base::FormatError with the line, what is wrong and what to do
[[nodiscard]] kernels::TersoffTable parse_tersoff_zbl(std::string_view text, const std::string& name,
                                                      std::span<const std::string> elements, const FileScale& scale);
[[nodiscard]] kernels::TersoffTable read_tersoff_zbl_file(const std::filesystem::path& path,
                                                          std::span<const std::string> elements,
                                                          const FileScale& scale);

/// A table for all types, of which the others have no bonds.
/// @param some   of the first types that it is made for
/// @param types  shape (types of `some`): their numbers among all
[[nodiscard]] kernels::TersoffTable among_types(const kernels::TersoffTable& some, std::span<const std::size_t> types,
                                                std::size_t all);

}  // namespace tacit::md
