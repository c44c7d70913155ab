// Potentials of many bodies whose numbers are made up, for tests: files of tests/data/md.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "support/source_folder.hpp"
#include "tacit/solvers/md/formats/eam_file.hpp"
#include "tacit/solvers/md/formats/stillinger_weber_file.hpp"
#include "unit/solvers/md/references.hpp"

namespace tacit::md::testing {

inline std::string md_data_file(const std::string& name) { return test::source_folder() + "/tests/data/md/" + name; }

inline MdParameters metal_for(const Configuration& atoms, std::size_t types) {
  MdParameters parameters = parameters_for(atoms, types);
  parameters.units = {.boltzmann = 8.617343e-5, .mass = 1.0364269e-4, .pressure = 1.6021765e6};
  for (double& mass : parameters.masses) mass = 40.0 * parameters.units.mass;
  parameters.skin = 0.4;
  return parameters;
}

/// Numbers of made_up.sw, where every triple differs. @param elements  of Aa and Bb
inline MdParameters made_up_bonds(const Configuration& atoms, const std::vector<std::string>& elements) {
  MdParameters parameters = metal_for(atoms, elements.size());
  parameters.potential = Potential::stillinger_weber;
  parameters.stillinger_weber = read_stillinger_weber_file(md_data_file("made_up.sw"), elements, {});
  return parameters;
}

/// Functions of made_up.eam.alloy or made_up.eam.fs.
inline MdParameters made_up_metal(const Configuration& atoms, const std::vector<std::string>& elements,
                                  EamFormat format = EamFormat::fs) {
  MdParameters parameters = metal_for(atoms, elements.size());
  parameters.potential = Potential::eam;
  const std::string name = format == EamFormat::fs ? "made_up.eam.fs" : "made_up.eam.alloy";
  parameters.embedded = kernels::EmbeddedAtoms(read_setfl(md_data_file(name), format, elements, {}).tables);
  return parameters;
}

}  // namespace tacit::md::testing
