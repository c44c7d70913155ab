// Words for mpirun and for tools/nodes/nodes.py.
// SPDX-License-Identifier: Apache-2.0
#include "comm/launch.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <utility>

#include "sph/child.hpp"
#include "tacit/base/error.hpp"
#include "tacit/topology/cpus.hpp"

namespace tacit::bench {
namespace {

Words node_words(int nodes, const Wire& wire) {
  Words words{"/usr/bin/env",
              "python3",
              TACIT_NODES_SCRIPT,
              "--nodes",
              std::to_string(nodes),
              "--rate",
              fmt::format("{}mbit", wire.mbit_per_s)};
  if (wire.delay_us == 0) return words;
  words.emplace_back("--delay");
  words.push_back(std::to_string(wire.delay_us));
  return words;
}

Words operator+(Words words, const Words& rest) {
  words.insert(words.end(), rest.begin(), rest.end());
  return words;
}

}  // namespace

Words launched(int ranks, const Words& rank) {
  // Every launcher understands these words; Open MPI reads the rest from the environment.
  Words words{"/usr/bin/env", "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
              "OMPI_MCA_hwloc_base_binding_policy=none"};
  // With it Open MPI yields when it waits, which is no match where each rank has a processor.
  if (topology::allowed_cpus().size() < static_cast<std::size_t>(ranks))
    words.emplace_back("OMPI_MCA_rmaps_base_oversubscribe=1");
  return std::move(words) + Words{"mpirun", "-n", std::to_string(ranks)} + rank;
}

Words on_nodes(int nodes, int ranks, const Words& rank, const Wire& wire) {
  return node_words(nodes, wire) + Words{"--ranks", std::to_string(ranks), "--"} + rank;
}

bool can_emulate_nodes(const Wire& wire) {
  if (geteuid() != 0) return false;
  try {
    Child(node_words(1, wire) + Words{"--", "true"}).wait_for_end();
    return true;
  } catch (const base::SystemError&) {
    return false;
  }
}

std::string write_routes(std::string_view transport) {
  std::string path = fmt::format("/dev/shm/routes-{}", getpid());
  std::ofstream(path) << "between nodes " << transport << (transport == "ofi" ? " tcp e0\n" : "\n");
  return path;
}

double wire_s(double bytes, const Wire& wire) noexcept {
  // A segment of TCP carries 1448 bytes in a frame of 1514.
  constexpr double frame_per_payload = 1514.0 / 1448.0;
  const double bytes_per_s = 1e6 / 8.0 * wire.mbit_per_s;
  return bytes * frame_per_payload / bytes_per_s;
}

}  // namespace tacit::bench
