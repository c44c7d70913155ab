// The parallel HDF5 library.
// SPDX-License-Identifier: Apache-2.0
#include <hdf5.h>
#include <mpi.h>

#include <array>
#include <stdexcept>

#include "io/peers/writes.hpp"

namespace tacit::bench {
namespace {

hid_t require(hid_t id) {
  if (id < 0) throw std::runtime_error("a call of the parallel HDF5 library failed");
  return id;
}

}  // namespace

bool has_collective_hdf5() noexcept { return true; }

void write_by_hdf5(const PeerJob& job) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const hid_t access = require(H5Pcreate(H5P_FILE_ACCESS));
  require(H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL));
  const hid_t file = require(H5Fcreate((job.folder / "collective.hdf5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access));
  const hsize_t mine = job.mine.size() / sizeof(double);
  const hsize_t all = mine * static_cast<hsize_t>(ranks);
  const hsize_t first = mine * static_cast<hsize_t>(rank);
  const hid_t space = require(H5Screate_simple(1, &all, nullptr));
  const hid_t memory = require(H5Screate_simple(1, &mine, nullptr));
  require(H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, nullptr, &mine, nullptr));
  const hid_t array = require(H5Dcreate2(file, "values", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  const hid_t transfer = require(H5Pcreate(H5P_DATASET_XFER));
  require(H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE));
  require(H5Dwrite(array, H5T_NATIVE_DOUBLE, memory, space, transfer, job.mine.data()));
  require(H5Fflush(file, H5F_SCOPE_GLOBAL));
  H5Dclose(array);
  for (const hid_t properties : std::array{transfer, access}) H5Pclose(properties);
  for (const hid_t each : std::array{memory, space}) H5Sclose(each);
  require(H5Fclose(file));
}

}  // namespace tacit::bench
