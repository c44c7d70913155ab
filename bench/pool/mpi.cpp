// Plain MPI: the products of the example, and MPI_Fetch_and_op.
// SPDX-License-Identifier: Apache-2.0
#include <mpi.h>

#include "plain_mpi.hpp"
#include "pool/rank.hpp"

namespace tacit::bench {
namespace {

bool is_mpi_there() {
  int is_started = 0;
  MPI_Initialized(&is_started);
  return is_started != 0;
}

/// One epoch for all draws, as one writes it for many of them.
class MpiTickets final : public Tickets {
 public:
  MpiTickets() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::uint64_t* number = nullptr;
    const MPI_Aint bytes = rank == 0 ? sizeof(std::uint64_t) : 0;
    MPI_Win_allocate(bytes, sizeof(std::uint64_t), MPI_INFO_NULL, MPI_COMM_WORLD, static_cast<void*>(&number),
                     &window_);
    if (rank == 0) *number = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, window_);
  }
  ~MpiTickets() override {
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
  }
  void draw(std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t one = 1;
      std::uint64_t before = 0;
      MPI_Fetch_and_op(&one, &before, MPI_UINT64_T, 0, 0, MPI_SUM, window_);
      MPI_Win_flush(0, window_);
      sum_ = sum_ + before;
    }
  }

 private:
  MPI_Win window_ = MPI_WIN_NULL;
  volatile std::uint64_t sum_ = 0;
};

}  // namespace

std::unique_ptr<product::Method> mpi_master(const product::Problem& problem) {
  if (!is_mpi_there()) return nullptr;
  return product::by_master(MPI_COMM_WORLD, problem);
}
std::unique_ptr<product::Method> mpi_division(const product::Problem& problem) {
  if (!is_mpi_there()) return nullptr;
  return product::by_division(MPI_COMM_WORLD, problem);
}
std::unique_ptr<Tickets> mpi_tickets() {
  if (!is_mpi_there()) return nullptr;
  return std::make_unique<MpiTickets>();
}

}  // namespace tacit::bench
