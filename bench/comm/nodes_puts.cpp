// Measures messages back and forth between two emulated nodes, beside those of MPI.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/nodes_rank.hpp"
#include "comm/pingpong.hpp"
#include "tacit/topology/cpus.hpp"

namespace tacit::bench {
namespace {

struct Size {
  const char* name;
  std::size_t bytes;
  std::size_t trips;
};

constexpr std::array<Size, 4> sizes{{{"8B", 8, 200},
                                     {"1KB", std::size_t{1} << 10U, 200},
                                     {"64KB", std::size_t{64} << 10U, 30},
                                     {"1MB", std::size_t{1} << 20U, 4}}};

void measure_size(const NodesPlan& plan, const Size& size) {
  const auto ours = window_ping_pong(*plan.world, plan.via, size.bytes);
  const auto mpi = mpi_ping_pong(*plan.world, MpiRequests::fresh, size.bytes);
  const std::size_t trips = plan.size(size.trips, 2);
  const auto one_way = [&](PingPong& contestant) {
    return slowest([&] { contestant.run(trips); }) / (contestant.times_per_trip() * static_cast<double>(trips));
  };
  one_way(*ours);
  one_way(*mpi);
  std::vector<double> our_times;
  std::vector<double> mpi_times;
  for (std::size_t sample = 0; sample < plan.size(21, 2); ++sample) {
    our_times.push_back(one_way(*ours));
    mpi_times.push_back(one_way(*mpi));
  }
  add_beside_mpi(plan, std::string("put_") + size.name, our_times, mpi_times);
}

}  // namespace

void measure_puts(const NodesPlan& plan) {
  // As in the halo.
  std::optional<topology::Binding> binding;
  const auto cpus = topology::allowed_cpus();
  if (cpus.size() >= plan.world->size()) binding.emplace(cpus[comm::number(plan.world->rank())]);
  for (const Size& size : sizes) measure_size(plan, size);
}

}  // namespace tacit::bench
