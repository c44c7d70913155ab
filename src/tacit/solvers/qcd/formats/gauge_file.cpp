// Tells the formats of gauge fields apart.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/formats/gauge_file.hpp"

#include "tacit/solvers/qcd/formats/ildg.hpp"
#include "tacit/solvers/qcd/formats/nersc.hpp"

namespace tacit::qcd {

Extents read_gauge_extents(const std::filesystem::path& path) {
  return is_lime(path) ? read_ildg_extents(path) : read_nersc_header(path).extents;
}

GaugeField read_gauge_file(const std::filesystem::path& path, const Division& division) {
  return is_lime(path) ? read_ildg(path, division) : read_nersc(path, division);
}

GaugeField read_gauge_file(const std::filesystem::path& path) {
  return read_gauge_file(path, Division(read_gauge_extents(path)));
}

}  // namespace tacit::qcd
