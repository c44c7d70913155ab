// MPI-IO.
// SPDX-License-Identifier: Apache-2.0
#include <mpi.h>

#include <stdexcept>

#include "io/peers/writes.hpp"

namespace tacit::bench {
namespace {

void require(int code) {
  if (code != MPI_SUCCESS) throw std::runtime_error("a call of MPI-IO failed");
}

}  // namespace

void write_by_mpi(const PeerJob& job) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_File file = MPI_FILE_NULL;
  const auto path = (job.folder / "mpi").string();
  require(MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file));
  const auto offset = static_cast<MPI_Offset>(job.mine.size()) * rank;
  require(MPI_File_write_at_all(file, offset, job.mine.data(), static_cast<int>(job.mine.size() / sizeof(double)),
                                MPI_DOUBLE, MPI_STATUS_IGNORE));
  require(MPI_File_sync(file));
  require(MPI_File_close(&file));
}

}  // namespace tacit::bench
