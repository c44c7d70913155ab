// Calls MPI_Init_thread and MPI_Finalize.
// SPDX-License-Identifier: Apache-2.0
#include "mpi/mpi_level.hpp"

#include <mpi.h>

#include <stdexcept>

namespace tacit::comm::conformance {

MpiAtLevel::MpiAtLevel(const std::string& level) {
  int wanted = MPI_THREAD_SERIALIZED;
  if (level == "single") wanted = MPI_THREAD_SINGLE;
  if (level == "funneled") wanted = MPI_THREAD_FUNNELED;
  int granted = -1;
  MPI_Init_thread(nullptr, nullptr, wanted, &granted);
  if (granted != wanted) throw std::runtime_error("MPI grants another level than " + level);
}

MpiAtLevel::~MpiAtLevel() { MPI_Finalize(); }

}  // namespace tacit::comm::conformance
