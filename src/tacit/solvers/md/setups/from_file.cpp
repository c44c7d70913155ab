// Atoms of a file in extended XYZ.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/base/checksum.hpp"
#include "tacit/solvers/md/formats/extended_xyz.hpp"
#include "tacit/solvers/md/setups/setups.hpp"

namespace tacit::md {

Initial make_from_file(const config::Parameters& p) {
  const std::filesystem::path path = p.existing_file("initial.file");
  Initial result;
  result.elements = elements_or(p, {});
  result.atoms = read_extended_xyz(path, result.elements);
  result.from = path.string();
  result.checksum = base::file_checksum(path);
  return result;
}

}  // namespace tacit::md
