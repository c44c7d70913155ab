// Random actions on the ranks that a launcher started, through any transport.
// SPDX-License-Identifier: Apache-2.0
//
// usage: actions_ranks [NODES [CALLS [SEED [THREADS [ROUTES]]]]]
//   NODES: found, or a digit for each rank, to pretend that they are on other nodes
//   ROUTES: a file that says what carries messages
#include <cstdlib>
#include <exception>
#include <iostream>
#include <span>
#include <string>

#include "mpi/collectives.hpp"
#include "tacit/comm/bootstrap/launcher.hpp"
#include "unit/actions/crowd.hpp"

int main(int argc, char** argv) {
  using namespace tacit;
  const std::span words(argv, static_cast<std::size_t>(argc));
  const auto number_at = [&](std::size_t i, std::uint64_t otherwise) -> std::uint64_t {
    return i < words.size() ? std::strtoull(words[i], nullptr, 10) : otherwise;
  };
  try {
    const auto launch = comm::find_launch([](const char* variable) -> const char* { return std::getenv(variable); });
    const auto nodes = comm::conformance::nodes_of(argc > 1 ? words[1] : "found", launch ? launch->size : 1);
    const actions::testing::CrowdOptions options{
        .seed = number_at(3, 1), .calls = number_at(2, 1000), .threads = number_at(4, 1)};
    comm::Communicator world({.setup_deadline_s = 60.0,
                              .deadline_s = 60.0,
                              .nodes = nodes,
                              .routes = argc > 5 ? words[5] : std::string_view{}});
    actions::testing::Crowd(world, options).run();
    world.synchronise();
    if (number(world.rank()) == 0) std::cout << "all actions were right on " << world.size() << " ranks" << std::endl;
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::cerr << error.what() << std::endl;
    std::_Exit(EXIT_FAILURE);  // the other ranks may wait for this one: the launcher ends them
  }
}
