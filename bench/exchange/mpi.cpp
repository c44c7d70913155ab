// The same messages by persistent requests of MPI.
// SPDX-License-Identifier: Apache-2.0
#include <mpi.h>

#include <utility>
#include <vector>

#include "comm/mpi_there.hpp"
#include "exchange/rank.hpp"

namespace tacit::bench {
namespace {

/// Requests that are made once; those that receive are started before those that send at the other end can be.
class Requests {
 public:
  Requests(const comm::Communicator& world, std::size_t count, std::size_t bytes)
      : bytes_(bytes), out_(count * bytes), in_(count * bytes), receives_(count), sends_(count) {
    const int peer = 1 - static_cast<int>(comm::number(world.rank()));
    const int length = static_cast<int>(bytes);
    const int first_tag = next_tags(static_cast<int>(count));
    for (std::size_t i = 0; i < count; ++i) {
      const int tag = first_tag + static_cast<int>(i);
      MPI_Recv_init(in(i).data(), length, MPI_BYTE, peer, tag, MPI_COMM_WORLD, &receives_[i]);
      MPI_Send_init(out(i).data(), length, MPI_BYTE, peer, tag, MPI_COMM_WORLD, &sends_[i]);
    }
  }
  Requests(const Requests&) = delete;
  Requests& operator=(const Requests&) = delete;
  ~Requests() {
    for (std::size_t i = 0; i < sends_.size(); ++i) {
      MPI_Request_free(&receives_[i]);
      MPI_Request_free(&sends_[i]);
    }
  }
  void start_receives() { MPI_Startall(static_cast<int>(receives_.size()), receives_.data()); }
  void start_sends() { MPI_Startall(static_cast<int>(sends_.size()), sends_.data()); }
  void wait() {
    MPI_Waitall(static_cast<int>(receives_.size()), receives_.data(), MPI_STATUSES_IGNORE);
    MPI_Waitall(static_cast<int>(sends_.size()), sends_.data(), MPI_STATUSES_IGNORE);
  }
  [[nodiscard]] std::span<std::byte> out(std::size_t i) noexcept { return {out_.data() + i * bytes_, bytes_}; }
  [[nodiscard]] std::span<std::byte> in(std::size_t i) noexcept { return {in_.data() + i * bytes_, bytes_}; }

 private:
  std::size_t bytes_;
  std::vector<std::byte> out_;
  std::vector<std::byte> in_;
  std::vector<MPI_Request> receives_;
  std::vector<MPI_Request> sends_;
};

}  // namespace

std::unique_ptr<PingPong> mpi_rim(comm::Communicator& world, std::size_t bytes) {
  if (!is_mpi_there()) return nullptr;
  return repeated(
      [requests = std::make_unique<Requests>(world, 1, bytes), rim = Rim(bytes)](std::uint64_t turn) mutable {
        requests->start_receives();
        rim.pack(turn, requests->out(0));
        requests->start_sends();
        requests->wait();
        rim.unpack(turn, requests->in(0));
      });
}

std::unique_ptr<PingPong> mpi_cells(comm::Communicator& world, std::size_t count) {
  if (!is_mpi_there()) return nullptr;
  return repeated([requests = std::make_unique<Requests>(world, count, Cells::bytes),
                   cells = Cells(count)](std::uint64_t turn) mutable {
    requests->start_receives();
    for (std::size_t i = 0; i < cells.count(); ++i) cells.pack(i, turn, requests->out(i));
    requests->start_sends();
    requests->wait();
    for (std::size_t i = 0; i < cells.count(); ++i) cells.unpack(i, turn, requests->in(i));
  });
}

}  // namespace tacit::bench
