// The collectives and the halo of MPI.
// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi_peers.hpp"

#include <mpi.h>

#include <array>
#include <vector>

#include "comm/mpi_there.hpp"

namespace tacit::bench {
namespace {

using Memory = std::vector<std::byte>;

int as_int(std::size_t value) { return static_cast<int>(value); }

/// Eight sends and eight receives. They are made for each call, or once and started for each.
class MpiHalo {
 public:
  MpiHalo(comm::Communicator& world, MpiRequests requests, const HaloSpec& spec)
      : own_(as_int(comm::number(world.rank()))),
        requests_(requests),
        spec_(spec),
        tag_(next_tags(HaloSpec::faces)),
        out_(HaloSpec::faces * spec.bytes),
        in_(out_.size()) {
    world.synchronise();
    if (requests_ == MpiRequests::fresh) return;
    for (std::size_t i = 0; i < HaloSpec::faces; ++i) {
      MPI_Recv_init(face(in_, i), bytes(), MPI_BYTE, neighbour(i), tag(i), MPI_COMM_WORLD, &all_[i]);
      MPI_Send_init(face(out_, i), bytes(), MPI_BYTE, neighbour(i), tag(opposite(i)), MPI_COMM_WORLD, &sends()[i]);
    }
  }
  MpiHalo(MpiHalo&& other) noexcept
      : own_(other.own_),
        requests_(std::exchange(other.requests_, MpiRequests::fresh)),
        spec_(other.spec_),
        tag_(other.tag_),
        out_(std::move(other.out_)),
        in_(std::move(other.in_)),
        all_(other.all_) {}
  MpiHalo(const MpiHalo&) = delete;
  MpiHalo& operator=(const MpiHalo&) = delete;
  MpiHalo& operator=(MpiHalo&&) = delete;
  ~MpiHalo() {
    if (requests_ == MpiRequests::fresh) return;
    for (MPI_Request& request : all_) MPI_Request_free(&request);
  }
  void operator()(std::uint64_t turn) {
    start_receives();
    for (std::size_t i = 0; i < HaloSpec::faces; ++i) {
      touch({face(out_, i), spec_.bytes}, turn);
      start_send(i);
    }
    result_ += compute(spec_.work);
    MPI_Waitall(as_int(all_.size()), all_.data(), MPI_STATUSES_IGNORE);
    for (std::size_t i = 0; i < HaloSpec::faces; ++i) sum_ += read_touched({face(in_, i), spec_.bytes}, turn);
  }

 private:
  void start_receives() {
    if (requests_ == MpiRequests::persistent) {
      MPI_Startall(as_int(HaloSpec::faces), all_.data());
      return;
    }
    for (std::size_t i = 0; i < HaloSpec::faces; ++i) {
      MPI_Irecv(face(in_, i), bytes(), MPI_BYTE, neighbour(i), tag(i), MPI_COMM_WORLD, &all_[i]);
    }
  }
  void start_send(std::size_t i) {
    if (requests_ == MpiRequests::persistent) {
      MPI_Start(&sends()[i]);
      return;
    }
    MPI_Isend(face(out_, i), bytes(), MPI_BYTE, neighbour(i), tag(opposite(i)), MPI_COMM_WORLD, &sends()[i]);
  }
  [[nodiscard]] MPI_Request* sends() noexcept { return all_.data() + HaloSpec::faces; }
  [[nodiscard]] std::byte* face(Memory& memory, std::size_t i) const { return memory.data() + i * spec_.bytes; }
  [[nodiscard]] int bytes() const { return as_int(spec_.bytes); }
  /// Faces 2 d and 2 d + 1 are the two sides of dimension d.
  [[nodiscard]] static std::size_t opposite(std::size_t i) { return i ^ 1U; }
  [[nodiscard]] int tag(std::size_t i) const { return tag_ + as_int(i); }
  [[nodiscard]] int neighbour(std::size_t i) const { return spec_.who == Faces::peer || i < 2 ? 1 - own_ : own_; }

  int own_;
  MpiRequests requests_;
  HaloSpec spec_;
  int tag_;
  Memory out_;
  Memory in_;
  std::array<MPI_Request, 2 * HaloSpec::faces> all_{};  // receives, then sends
  std::uint64_t sum_ = 0;
  double result_ = 0.0;
};

void all_to_all(MpiCalls calls, const Memory& in, Memory& out) {
  const int bytes = as_int(in.size() / 2);
  if (calls == MpiCalls::blocking) {
    MPI_Alltoall(in.data(), bytes, MPI_BYTE, out.data(), bytes, MPI_BYTE, MPI_COMM_WORLD);
    return;
  }
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ialltoall(in.data(), bytes, MPI_BYTE, out.data(), bytes, MPI_BYTE, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

}  // namespace

std::unique_ptr<PingPong> mpi_all_to_all(MpiCalls calls, std::size_t bytes) {
  if (!is_mpi_there()) return nullptr;
  return repeated([calls, in = Memory(2 * bytes), out = Memory(2 * bytes)](std::uint64_t turn) mutable {
    touch(in, turn);
    all_to_all(calls, in, out);
    static_cast<void>(read_touched(out, turn));
  });
}

std::unique_ptr<PingPong> mpi_all_reduce(std::size_t count) {
  if (!is_mpi_there()) return nullptr;
  return repeated([in = std::vector<double>(count), out = std::vector<double>(count)](std::uint64_t turn) mutable {
    in.front() = static_cast<double>(turn);
    MPI_Allreduce(in.data(), out.data(), as_int(in.size()), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  });
}

std::unique_ptr<PingPong> mpi_barrier() {
  if (!is_mpi_there()) return nullptr;
  return repeated([](std::uint64_t /*turn*/) { MPI_Barrier(MPI_COMM_WORLD); });
}

std::unique_ptr<PingPong> mpi_broadcasts(comm::Communicator& world, std::size_t bytes) {
  if (!is_mpi_there()) return nullptr;
  const bool is_first = comm::number(world.rank()) == 0;
  return repeated([is_first, data = Memory(bytes)](std::uint64_t turn) mutable {
    if (is_first) touch(data, turn);
    MPI_Bcast(data.data(), as_int(data.size()), MPI_BYTE, 0, MPI_COMM_WORLD);
    if (!is_first) static_cast<void>(read_touched(data, turn));
    if (!is_first) touch(data, turn + 1);
    MPI_Bcast(data.data(), as_int(data.size()), MPI_BYTE, 1, MPI_COMM_WORLD);
    if (is_first) static_cast<void>(read_touched(data, turn + 1));
  });
}

std::unique_ptr<PingPong> mpi_all_gather(std::size_t bytes) {
  if (!is_mpi_there()) return nullptr;
  return repeated([in = Memory(bytes), out = Memory(2 * bytes)](std::uint64_t turn) mutable {
    touch(in, turn);
    const int count = as_int(in.size());
    MPI_Allgather(in.data(), count, MPI_BYTE, out.data(), count, MPI_BYTE, MPI_COMM_WORLD);
    static_cast<void>(read_touched(out, turn));
  });
}

std::unique_ptr<PingPong> mpi_halo(comm::Communicator& world, MpiRequests requests, const HaloSpec& spec) {
  if (!is_mpi_there()) return nullptr;
  return repeated(MpiHalo(world, requests, spec));
}

}  // namespace tacit::bench
