// Runs the checks of the collectives on the ranks that a launcher started, on nodes as found or emulated.
// SPDX-License-Identifier: Apache-2.0
//
// usage: comm_collectives NODES [REPETITIONS [LEVEL [ROUTES]]]
//   NODES: found, or a digit for each rank; between emulated nodes MPI carries the messages
//   LEVEL: single, funneled, serialized, as a user starts MPI; multiple: as Tacit starts it
//   ROUTES: a file that says otherwise what carries them
#include <cstdlib>
#include <exception>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>

#include "mpi/collectives.hpp"
#include "mpi/mpi_level.hpp"
#include "tacit/comm/bootstrap/launcher.hpp"

int main(int argc, char** argv) {
  using namespace tacit;
  comm::conformance::Setting setting{.exchanges = 60, .longest = std::size_t{1} << 22U};
  if (argc > 2) setting.exchanges = std::strtoull(argv[2], nullptr, 10);
  std::string at = "set-up";
  try {
    std::optional<comm::conformance::MpiAtLevel> mpi;
    if (argc > 3 && std::string_view(argv[3]) != "multiple") mpi.emplace(argv[3]);
    const auto launch = comm::find_launch([](const char* variable) -> const char* { return std::getenv(variable); });
    const auto nodes = comm::conformance::nodes_of(argc > 1 ? argv[1] : "found", launch ? launch->size : 1);
    comm::Communicator world(
        {.setup_deadline_s = 60.0, .deadline_s = 60.0, .nodes = nodes, .routes = argc > 4 ? argv[4] : ""});
    for (const auto& [name, check] : comm::conformance::collective_checks()) {
      at = name;
      check(world, setting);
      if (number(world.rank()) == 0) std::cout << at << ": good on " << world.size() << " ranks" << std::endl;
    }
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::cerr << at << ": " << error.what() << std::endl;
    std::_Exit(EXIT_FAILURE);  // the other ranks may wait for this one: the launcher ends them
  }
}
