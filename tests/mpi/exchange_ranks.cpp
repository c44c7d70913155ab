// Random exchanges and a stencil on the ranks that a launcher started, through any transport.
// SPDX-License-Identifier: Apache-2.0
//
// usage: exchange_ranks [NODES [STEPS [SEED [THREADS [ROUTES]]]]]
//   NODES: found, or a digit for each rank, to pretend that they are on other nodes
//   ROUTES: a file that says what carries messages
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <span>
#include <string>

#include "mpi/collectives.hpp"
#include "tacit/base/error.hpp"
#include "tacit/comm/bootstrap/launcher.hpp"
#include "unit/exchange/stencil.hpp"
#include "unit/exchange/synthetic.hpp"

namespace tacit::exchange {
namespace {

/// The cells of this rank must have the bits that a plain loop gives; ghosts that are reversed must be found.
void check_stencil(comm::Communicator& world, std::size_t threads) {
  constexpr std::size_t steps = 20;
  const std::vector<double> alone = testing::stencil_alone(steps);
  const auto is_same = [&](testing::Unpack how) {
    const std::vector<double> mine = testing::stencil_on(world, threads, steps, how);
    const std::size_t first = number(world.rank()) * mine.size();
    return std::memcmp(mine.data(), alone.data() + first, mine.size() * sizeof(double)) == 0;
  };
  if (!is_same(testing::Unpack::as_sent)) throw base::Error("a stencil has other bits than on one rank");
  if (is_same(testing::Unpack::reversed)) throw base::Error("ghosts that are reversed are not found");
}

}  // namespace
}  // namespace tacit::exchange

int main(int argc, char** argv) {
  using namespace tacit;
  const std::span words(argv, static_cast<std::size_t>(argc));
  const auto number_at = [&](std::size_t i, std::uint64_t otherwise) -> std::uint64_t {
    return i < words.size() ? std::strtoull(words[i], nullptr, 10) : otherwise;
  };
  try {
    const auto launch = comm::find_launch([](const char* variable) -> const char* { return std::getenv(variable); });
    const auto nodes = comm::conformance::nodes_of(argc > 1 ? words[1] : "found", launch ? launch->size : 1);
    const std::size_t threads = number_at(4, 1);
    comm::Communicator world({.setup_deadline_s = 60.0,
                              .deadline_s = 60.0,
                              .nodes = nodes,
                              .routes = argc > 5 ? words[5] : std::string_view{}});
    exchange::testing::Client(world, {.seed = number_at(3, 1), .steps = number_at(2, 200), .threads = threads}).run();
    exchange::check_stencil(world, threads);
    world.synchronise();
    if (number(world.rank()) == 0) std::cout << "all messages were right on " << world.size() << " ranks" << std::endl;
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::cerr << error.what() << std::endl;
    std::_Exit(EXIT_FAILURE);  // the other ranks may wait for this one: the launcher ends them
  }
}
