// Files of embedded atoms as LAMMPS has them: funcfl, of one element, and setfl, of several.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/solvers/md/formats/triple_entries.hpp"
#include "tacit/solvers/md/potentials/eam.hpp"

namespace tacit::md {

enum class EamFormat : std::uint8_t {
  funcfl,  ///< one element: F, Z(r) of effective charges, rho
  alloy,   ///< setfl: of each element F and rho, of each pair r u
  fs,      ///< setfl of Finnis and Sinclair: of each element F, and a rho for each element at which it adds to
};

/// What the name of a file says: of "X.eam.alloy" alloy, of "X.eam.fs" fs, else funcfl.
[[nodiscard]] EamFormat eam_format_of(const std::filesystem::path& path);

struct EamFile {
  kernels::EamTables tables;   ///< by type, in code units
  std::vector<double> masses;  ///< by type [g/mol]
};

/// The functions of these elements from a setfl file, in eV and Angstrom.
/// @param format  alloy or fs
/// @throws base::SystemError if it cannot be read; base::FormatError with the line, what is wrong and what to do
[[nodiscard]] EamFile read_setfl(const std::filesystem::path& path, EamFormat format,
                                 std::span<const std::string> elements, const FileScale& scale);
/// A text instead. @param name  what messages call it
[[nodiscard]] EamFile parse_setfl(std::string_view text, const std::string& name, EamFormat format,
                                  std::span<const std::string> elements, const FileScale& scale);

/// Of types of one element each, from a funcfl file for each. Tables of different spacing are brought to the widest one
/// by cubic interpolation; u is that of the effective charges, 27.2 eV * 0.529 A * Z_i Z_j / r.
[[nodiscard]] EamFile read_funcfl(std::span<const std::filesystem::path> paths, const FileScale& scale);
struct NamedText {
  std::string name;
  std::string text;
};
[[nodiscard]] EamFile parse_funcfl(std::span<const NamedText> texts, const FileScale& scale);

}  // namespace tacit::md
