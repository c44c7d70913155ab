// Parameter files of Tersoff's potential as LAMMPS has them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "tacit/solvers/md/formats/triple_entries.hpp"
#include "tacit/solvers/md/kernels/tersoff.hpp"

namespace tacit::md {

/// The entries of these elements: of each triple one, with 17 words on one line or several; # begins a comment. Entries
/// of other elements are passed over.
/// @throws base::SystemError if it cannot be read; base::FormatError with the line, what is wrong and what to do
[[nodiscard]] kernels::TersoffTable read_tersoff_file(const std::filesystem::path& path,
                                                      std::span<const std::string> elements, const FileScale& scale);
/// The same of a text. @param name  what messages call it
[[nodiscard]] kernels::TersoffTable parse_tersoff(std::string_view text, const std::string& name,
                                                  std::span<const std::string> elements, const FileScale& scale);

}  // namespace tacit::md
