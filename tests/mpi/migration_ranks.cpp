// Elements that go to random owners on the ranks that a launcher started: none is lost, each comes once.
// SPDX-License-Identifier: Apache-2.0
//
// usage: migration_ranks [NODES [COUNT [TURNS]]]
//   NODES: found, or a digit for each rank, to pretend that they are on other nodes
#include <algorithm>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "mpi/collectives.hpp"
#include "tacit/base/clock.hpp"
#include "tacit/comm/bootstrap/launcher.hpp"
#include "unit/exchange/travellers.hpp"

namespace tacit::exchange {
namespace {

/// @return the longest time of a turn but the first [s]
double travel(comm::Communicator& world, testing::Neighbours kind, std::uint64_t count, std::uint64_t turns) {
  trace::Recorder recorder(1);
  tasks::Scheduler scheduler(1, recorder);
  Migration<testing::Traveller> migration(world, scheduler, testing::neighbours_of(kind, world));
  std::vector<testing::Traveller> mine = testing::born_on(world.rank(), world.size(), count);
  double longest_s = 0.0;
  for (std::uint64_t turn = 1; turn <= turns; ++turn) {
    const base::Stopwatch watch;
    testing::move_on(mine, migration, world.size());
    if (turn > 1) longest_s = std::max(longest_s, watch.seconds());
    const std::string faults = testing::faults(mine, world.rank(), world.size(), count, turn);
    if (!faults.empty()) throw base::Error("turn " + std::to_string(turn) + ": " + faults);
  }
  world.synchronise();
  return longest_s;
}

}  // namespace
}  // namespace tacit::exchange

int main(int argc, char** argv) {
  using namespace tacit;
  using exchange::testing::Neighbours;
  try {
    const auto launch = comm::find_launch([](const char* variable) -> const char* { return std::getenv(variable); });
    const auto nodes = comm::conformance::nodes_of(argc > 1 ? argv[1] : "found", launch ? launch->size : 1);
    const std::uint64_t count = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 100000;
    const std::uint64_t turns = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 3;
    comm::Communicator world({.setup_deadline_s = 60.0, .deadline_s = 60.0, .nodes = nodes});
    for (const Neighbours kind : {Neighbours::all, Neighbours::ring, Neighbours::none}) {
      const double longest_s = exchange::travel(world, kind, count, turns);
      if (number(world.rank()) == 0) std::cout << "a turn takes up to " << 1e3 * longest_s << " ms" << std::endl;
    }
    if (number(world.rank()) == 0) std::cout << "none of " << count << " is lost on " << world.size() << " ranks\n";
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::cerr << error.what() << std::endl;
    std::_Exit(EXIT_FAILURE);  // the other ranks may wait for this one: the launcher ends them
  }
}
