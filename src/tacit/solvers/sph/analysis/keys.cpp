// What is measured beside snapshots: its keys.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/keys.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace tacit::sph {
namespace {

constexpr std::array analysis_keys{
    Key::flag("analysis.power_spectrum", false,
              "Whether the power spectrum of all matter is measured and written with each snapshot, into files "
              "power_STEP.hdf5. It needs a periodic box.")
        .changeable(),
    Key::integer("analysis.mesh", {8, 8192},
                 "Points of its mesh along each side. Without it: twice as many as bodies, or particles of gas, lie "
                 "along one.")
        .needs("analysis.power_spectrum", "true")
        .changeable(),
    Key::flag(
        "analysis.groups", false,
        "Whether groups are found and written with each snapshot (friends of friends), into files groups_STEP.hdf5. "
        "Bodies make them, and gas joins the group of the nearest body; without bodies gas makes them. It needs a "
        "periodic box.")
        .changeable(),
    Key::real("analysis.linking_length", config::above(0.0, 1.0),
              "How near friends are, over the mean distance V^(1/3) N^(-1/3) of particles that make groups.", "0.2")
        .needs("analysis.groups", "true")
        .changeable(),
    Key::integer("analysis.least_particles", {2, 1000000}, "Bodies of the smallest group that is written.", "32")
        .needs("analysis.groups", "true")
        .changeable(),
};

}  // namespace

std::span<const Key> analysis_table() { return analysis_keys; }

Analysis read_analysis(const config::Parameters& p, const SphParameters& sph) {
  Analysis analysis{.has_power = p.flag("analysis.power_spectrum"), .has_groups = p.flag("analysis.groups")};
  if (p.has("analysis.mesh")) analysis.mesh = p.count("analysis.mesh");
  analysis.linking = p.real("analysis.linking_length");
  analysis.least = p.count("analysis.least_particles");
  const char* key = analysis.has_power ? "analysis.power_spectrum" : "analysis.groups";
  if (!analysis.has_power && !analysis.has_groups) return analysis;
  if (sph.boundary != Boundary::periodic || sph.dimension != 3) {
    throw config::Error(p.where(key), key, "is measured in periodic boxes of three dimensions",
                        "set sph.boundary = \"periodic\" and sph.dimension = 3, or remove the line");
  }
  return analysis;
}

}  // namespace tacit::sph
