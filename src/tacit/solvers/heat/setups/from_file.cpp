// Temperature, and optionally diffusivity and source, of an HDF5 file.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/engine/input_fields.hpp"
#include "tacit/solvers/heat/field_rows.hpp"
#include "tacit/solvers/heat/setups/setups.hpp"

namespace tacit::heat {

Initial make_from_file(const config::Parameters& p, const Domain& domain) {
  const engine::InputFields file(p, "initial.file",
                                 {.cells = domain.cells, .dimensions = domain.dimensions, .key = "heat.cells"});
  Initial initial{.temperature = file.field(temperature_row),
                  .origin = {.input = file.path().string(), .checksum = file.checksum()}};
  if (file.has(diffusivity_row)) initial.diffusivity = file.field(diffusivity_row, 0.0);
  if (file.has(source_row)) initial.source = file.field(source_row);
  return initial;
}

}  // namespace tacit::heat
