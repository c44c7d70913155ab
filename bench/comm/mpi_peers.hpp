// What MPI has in place of our collectives and of a halo; null where this build has no MPI or the ranks are threads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

#include "comm/halo_spec.hpp"
#include "comm/pingpong.hpp"

namespace tacit::bench {

enum class MpiCalls : std::uint8_t { blocking, nonblocking };

/// @param bytes  that each rank has for each
[[nodiscard]] std::unique_ptr<PingPong> mpi_all_to_all(MpiCalls calls, std::size_t bytes);
/// A sum of doubles.
[[nodiscard]] std::unique_ptr<PingPong> mpi_all_reduce(std::size_t count);
[[nodiscard]] std::unique_ptr<PingPong> mpi_barrier();
/// One from each rank, one after the other, per call.
[[nodiscard]] std::unique_ptr<PingPong> mpi_broadcasts(comm::Communicator& world, std::size_t bytes);
/// @param bytes  that each rank brings
[[nodiscard]] std::unique_ptr<PingPong> mpi_all_gather(std::size_t bytes);
[[nodiscard]] std::unique_ptr<PingPong> mpi_halo(comm::Communicator& world, MpiRequests requests, const HaloSpec& spec);

}  // namespace tacit::bench
