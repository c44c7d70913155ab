// No MPI to compare with in this build.
// SPDX-License-Identifier: Apache-2.0
#include "pool/rank.hpp"

namespace tacit::bench {

std::unique_ptr<product::Method> mpi_master(const product::Problem& /*problem*/) { return nullptr; }
std::unique_ptr<product::Method> mpi_division(const product::Problem& /*problem*/) { return nullptr; }
std::unique_ptr<Tickets> mpi_tickets() { return nullptr; }

}  // namespace tacit::bench
