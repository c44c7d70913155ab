// Parameter files of the potential of Stillinger and Weber as LAMMPS has them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "tacit/solvers/md/formats/triple_entries.hpp"
#include "tacit/solvers/md/potentials/stillinger_weber.hpp"

namespace tacit::md {

/// The entries of these elements, of 14 words: three elements, epsilon [eV], sigma [Angstrom], a, lambda, gamma,
/// cos theta0, A, B, p, q, tolerance.
/// @throws base::SystemError if it cannot be read; base::FormatError with the line, what is wrong and what to do; also
///         where the two orders of a pair contradict each other
[[nodiscard]] kernels::StillingerWeber read_stillinger_weber_file(const std::filesystem::path& path,
                                                                  std::span<const std::string> elements,
                                                                  const FileScale& scale);
/// The same of a text. @param name  what messages call it
[[nodiscard]] kernels::StillingerWeber parse_stillinger_weber(std::string_view text, const std::string& name,
                                                              std::span<const std::string> elements,
                                                              const FileScale& scale);

}  // namespace tacit::md
