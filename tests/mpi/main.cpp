// Runs the conformance suite on the ranks that a launcher started: one check after the other, on one transport.
// SPDX-License-Identifier: Apache-2.0
//
// usage: comm_conformance PROVIDER [EXCHANGES [SEED [LEVEL]]]
//   PROVIDER: self, shm, ofi, mpi, or any: what locality suggests
//   LEVEL: single, funneled, serialized, as a user starts MPI, or pmix: ranks find each other through that, MPI or not
#include <cstdlib>
#include <exception>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>

#include "mpi/conformance.hpp"
#include "mpi/mpi_level.hpp"
#include "tacit/comm/bootstrap/pmix.hpp"

namespace {

using namespace tacit;

comm::conformance::Setting setting_of(int argc, char** argv) {
  comm::conformance::Setting setting;
  const std::string provider = argc > 1 ? argv[1] : "any";
  for (const auto id : comm::conformance::providers) {
    if (comm::name(id) == provider) setting.via = id;
  }
  if (!setting.via && provider != "any") throw std::runtime_error("there is no provider " + provider);
  if (argc > 2) setting.exchanges = std::strtoull(argv[2], nullptr, 10);
  if (argc > 3) setting.seed = std::strtoull(argv[3], nullptr, 10);
  return setting;
}

/// As asked for, or as launchers start programs.
comm::Communicator world_of(const std::string& level) {
  const comm::Options options{.setup_deadline_s = 60.0, .deadline_s = 60.0};
  return level == "pmix" ? comm::Communicator(comm::bootstrap_pmix(), options) : comm::Communicator(options);
}

}  // namespace

int main(int argc, char** argv) {
  std::string at = "set-up";
  try {
    const auto setting = setting_of(argc, argv);
    std::optional<comm::conformance::MpiAtLevel> mpi;
    const std::string level = argc > 4 ? argv[4] : "";
    if (!level.empty() && level != "pmix") mpi.emplace(level);
    comm::Communicator world = world_of(level);
    for (const auto& [name, check] : comm::conformance::checks()) {
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
