// What the ranks on emulated nodes have in common: where figures go, and times that all agree on.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include "comm/rank.hpp"
#include "tacit/base/clock.hpp"

namespace tacit::bench {

/// How often, and where the figures go.
struct NodesPlan {
  comm::Communicator* world;
  Effort effort;
  std::ostream* out;
  std::string prefix;    ///< of the names of figures
  comm::ProviderId via;  ///< between nodes

  [[nodiscard]] std::size_t size(std::size_t full, std::size_t quick) const {
    return effort == Effort::full ? full : quick;
  }
  void add(Result result) const {
    result.name = prefix + "_" + result.name;
    if (comm::number(world->rank()) == 0) *out << to_line(result) << '\n' << std::flush;
  }
};

/// The time that `function` takes on the slowest rank, which all ranks learn [s].
template <class Function>
double slowest(Function&& function) {
  MPI_Barrier(MPI_COMM_WORLD);
  const base::Stopwatch watch;
  function();
  const double mine = watch.seconds();
  double all = 0.0;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return all;
}

/// Adds NAME_us and NAME_vs_mpi. Through libfabric the same bytes go over the same TCP as MPI's, and may not take
/// longer.
/// @param ours, mpi  times, in pairs [s]
void add_beside_mpi(const NodesPlan& plan, const std::string& name, const std::vector<double>& ours,
                    const std::vector<double>& mpi);

void measure_collectives(const NodesPlan& plan);
void measure_halo(const NodesPlan& plan);
void measure_puts(const NodesPlan& plan);

}  // namespace tacit::bench
