// Attaches a communicator to the shim as if its ranks were on several nodes, which C cannot ask for.
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string_view>
#include <vector>

#include "tacit/comm/c/shim/registry.hpp"

/// @param nodes  a digit for the node of each rank; all that are missing are on the first
/// @return       whether it could be attached
extern "C" int attach_on_nodes(MPI_Comm comm, double deadline_s, const char* nodes);

extern "C" int attach_on_nodes(MPI_Comm comm, double deadline_s, const char* nodes) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  std::vector<std::uint32_t> numbers;
  for (const char digit : std::string_view(nodes)) numbers.push_back(static_cast<std::uint32_t>(digit - '0'));
  numbers.resize(static_cast<std::size_t>(size));
  try {
    tacit::comm::shim::Registry::instance().attach(
        comm, {.setup_deadline_s = 60.0, .deadline_s = deadline_s, .nodes = numbers});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "attach_on_nodes: %s\n", error.what());
    return 0;
  }
  return 1;
}
