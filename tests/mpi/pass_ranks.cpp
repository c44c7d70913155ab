// Passes of transforms on the ranks that a launcher started, on every grid of them: bitwise identical to one rank.
// SPDX-License-Identifier: Apache-2.0
//
// usage: fft_pass_ranks [NODES [THREADS]]
//   NODES: found, or a digit for each rank, to pretend that they are on other nodes
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "mpi/collectives.hpp"
#include "tacit/comm/bootstrap/launcher.hpp"
#include "unit/fft/products.hpp"

namespace tacit::fft {
namespace {

/// What this rank has kept must be what one rank has there; all else is as it was.
template <class Real>
bool is_right(const Pencils& pencils, const std::vector<std::complex<Real>>& kept,
              const std::vector<std::complex<Real>>& expected) {
  const auto untouched = testing::room_for<Real>(pencils.modes());
  const Modes& modes = pencils.modes();
  std::size_t at = 0;
  for (std::size_t field = 0; field < 2; ++field) {
    for (std::size_t kx = 0; kx < modes.count(0); ++kx) {
      for (std::size_t kz = 0; kz < modes.count(2); ++kz) {
        for (std::size_t ky = 0; ky < modes.count(1); ++ky, ++at) {
          const bool is_ours =
              kx >= pencils.kx().begin && kx < pencils.kx().end && ky >= pencils.ky().begin && ky < pencils.ky().end;
          const auto& other = is_ours ? expected[at] : untouched[at];
          if (std::memcmp(&kept[at], &other, sizeof(other)) != 0) return false;
        }
      }
    }
  }
  return true;
}

template <class Real>
void check(comm::Communicator& world, const Shape& shape, std::size_t threads) {
  const Modes modes(shape, Truncation::two_thirds);
  const auto expected = testing::alone<Real>(modes);
  trace::Recorder recorder(threads);
  tasks::Scheduler scheduler(threads, recorder);
  for (std::size_t row = 1; row <= world.size(); ++row) {
    if (world.size() % row != 0) continue;
    const ProcessGrid grid{.row_size = row, .column_size = world.size() / row};
    for (const Division& division : {Division{0, 0}, Division{3, 2}}) {
      GridCommunicators ranks(world, grid, scheduler);
      const Pencils pencils(modes, grid, number(world.rank()));
      auto kept = testing::room_for<Real>(modes);
      testing::run<Real>(pencils, kept, ranks, scheduler, division);
      if (!is_right<Real>(pencils, kept, expected)) {
        throw base::Error("other bits than on one rank with " + std::to_string(row) + " ranks in a row, " +
                          std::to_string(division.chunks) + " chunks of messages");
      }
    }
  }
}

}  // namespace
}  // namespace tacit::fft

int main(int argc, char** argv) {
  using namespace tacit;
  try {
    const auto launch = comm::find_launch([](const char* variable) -> const char* { return std::getenv(variable); });
    const auto nodes = comm::conformance::nodes_of(argc > 1 ? argv[1] : "found", launch ? launch->size : 1);
    const std::size_t threads = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
    comm::Communicator world({.setup_deadline_s = 60.0, .deadline_s = 60.0, .nodes = nodes});
    fft::check<double>(world, {18, 15, 14}, threads);
    fft::check<double>(world, {3, 3, 3}, threads);  // some ranks of four have nothing
    fft::check<float>(world, {16, 20, 18}, threads);
    if (number(world.rank()) == 0) std::cout << "bitwise identical on " << world.size() << " ranks" << std::endl;
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::cerr << error.what() << std::endl;
    std::_Exit(EXIT_FAILURE);  // the other ranks may wait for this one: the launcher ends them
  }
}
