// Runs the checks of one-sided windows on the ranks that a launcher started, on nodes as found or emulated.
// SPDX-License-Identifier: Apache-2.0
//
// usage: comm_one_sided NODES ACCESS [EXCHANGES [LEVEL]]
//   NODES: found, or a digit for each rank; between emulated nodes MPI carries the messages
//   ACCESS: direct, messages; LEVEL: single, funneled, serialized, as a user starts MPI
#include <cstdlib>
#include <exception>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>

#include "mpi/collectives.hpp"
#include "mpi/mpi_level.hpp"
#include "mpi/one_sided.hpp"
#include "tacit/comm/bootstrap/launcher.hpp"

int main(int argc, char** argv) {
  using namespace tacit;
  comm::conformance::Setting setting{.exchanges = 1000};
  const bool is_direct = argc < 3 || std::string_view(argv[2]) == "direct";
  const comm::Access access = is_direct ? comm::Access::direct : comm::Access::messages;
  if (argc > 3) setting.exchanges = std::strtoull(argv[3], nullptr, 10);
  std::string at = "set-up";
  try {
    std::optional<comm::conformance::MpiAtLevel> mpi;
    if (argc > 4) mpi.emplace(argv[4]);
    const auto launch = comm::find_launch([](const char* variable) -> const char* { return std::getenv(variable); });
    const auto nodes = comm::conformance::nodes_of(argc > 1 ? argv[1] : "found", launch ? launch->size : 1);
    comm::Communicator world({.setup_deadline_s = 60.0, .deadline_s = 60.0, .nodes = nodes});
    for (const auto& [name, check] : comm::conformance::one_sided_checks()) {
      at = name;
      check(world, setting, access);
      if (number(world.rank()) == 0) std::cout << at << ": good on " << world.size() << " ranks" << std::endl;
    }
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::cerr << at << ": " << error.what() << std::endl;
    std::_Exit(EXIT_FAILURE);  // the other ranks may wait for this one: the launcher ends them
  }
}
