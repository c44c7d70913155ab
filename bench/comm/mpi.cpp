// The same messages with MPI's own calls.
// SPDX-License-Identifier: Apache-2.0
#include <mpi.h>

#include <array>
#include <vector>

#include "comm/mpi_there.hpp"
#include "comm/pingpong.hpp"

namespace tacit::bench {
namespace {

using comm::number;

/// With persistent requests, or with new ones each time. The receive is posted before its message can be sent.
class MpiPingPong final : public PingPong {
 public:
  MpiPingPong(comm::Communicator& world, MpiRequests requests, std::size_t bytes, Source source)
      : rank_(static_cast<int>(number(world.rank()))),
        requests_(requests),
        source_(source),
        out_(bytes),
        in_(bytes),
        tag_(next_tags(1)) {
    if (requests_ == MpiRequests::persistent) {
      MPI_Send_init(out_.data(), size(), MPI_BYTE, 1 - rank_, tag_, MPI_COMM_WORLD, &send_);
      MPI_Recv_init(in_.data(), size(), MPI_BYTE, 1 - rank_, tag_, MPI_COMM_WORLD, &receive_);
    }
    start_receive();
    world.synchronise();
  }
  ~MpiPingPong() override {
    MPI_Cancel(&receive_);
    MPI_Wait(&receive_, MPI_STATUS_IGNORE);
    if (requests_ == MpiRequests::fresh) return;
    MPI_Request_free(&receive_);
    MPI_Request_free(&send_);
  }
  void run(std::size_t round_trips) override {
    for (std::size_t i = 0; i < round_trips; ++i) {
      if (rank_ == 0) start_send();
      MPI_Wait(&receive_, MPI_STATUS_IGNORE);
      sum_ = sum_ + read_all(in_);
      start_receive();
      if (rank_ != 0) start_send();
      MPI_Wait(&send_, MPI_STATUS_IGNORE);
    }
  }

 private:
  [[nodiscard]] int size() const { return static_cast<int>(out_.size()); }
  void start_send() {
    if (source_ == Source::written) touch(out_, ++turn_);
    if (requests_ == MpiRequests::persistent) {
      MPI_Start(&send_);
    } else {
      MPI_Isend(out_.data(), size(), MPI_BYTE, 1 - rank_, tag_, MPI_COMM_WORLD, &send_);
    }
  }
  void start_receive() {
    if (requests_ == MpiRequests::persistent) {
      MPI_Start(&receive_);
    } else {
      MPI_Irecv(in_.data(), size(), MPI_BYTE, 1 - rank_, tag_, MPI_COMM_WORLD, &receive_);
    }
  }

  int rank_;
  MpiRequests requests_;
  Source source_;
  std::uint64_t turn_ = 0;
  std::vector<std::byte> out_;
  std::vector<std::byte> in_;
  int tag_;
  MPI_Request send_ = MPI_REQUEST_NULL;
  MPI_Request receive_ = MPI_REQUEST_NULL;
  volatile std::uint64_t sum_ = 0;
};

/// Blocks of 64 sends, or receives, at once.
class MpiStream final : public PingPong {
 public:
  MpiStream(comm::Communicator& world, std::size_t bytes)
      : rank_(static_cast<int>(number(world.rank()))),
        memory_(bytes * stream_depth),
        bytes_(bytes),
        tag_(next_tags(1)) {
    world.synchronise();
  }
  void run(std::size_t messages) override {
    for (std::size_t i = 0; i < messages; i += stream_depth) {
      for (std::size_t k = 0; k < stream_depth; ++k) {
        std::byte* at = memory_.data() + k * bytes_;
        if (rank_ == 0) {
          MPI_Isend(at, static_cast<int>(bytes_), MPI_BYTE, 1, tag_, MPI_COMM_WORLD, &requests_[k]);
        } else {
          MPI_Irecv(at, static_cast<int>(bytes_), MPI_BYTE, 0, tag_, MPI_COMM_WORLD, &requests_[k]);
        }
      }
      MPI_Waitall(static_cast<int>(stream_depth), requests_.data(), MPI_STATUSES_IGNORE);
      if (rank_ != 0) sum_ = sum_ + read_all(memory_);
    }
  }

 private:
  int rank_;
  std::vector<std::byte> memory_;
  std::size_t bytes_;
  int tag_;
  std::array<MPI_Request, stream_depth> requests_{};
  volatile std::uint64_t sum_ = 0;
};

}  // namespace

int next_tags(int count) {
  static int next = 100;
  next += count;
  return next - count;
}

bool is_mpi_there() {
  int is_started = 0;
  MPI_Initialized(&is_started);
  return is_started != 0;
}

std::unique_ptr<PingPong> mpi_ping_pong(comm::Communicator& world, MpiRequests requests, std::size_t bytes,
                                        Source source) {
  if (!is_mpi_there()) return nullptr;
  return std::make_unique<MpiPingPong>(world, requests, bytes, source);
}

std::unique_ptr<PingPong> mpi_stream(comm::Communicator& world, std::size_t bytes) {
  if (!is_mpi_there()) return nullptr;
  return std::make_unique<MpiStream>(world, bytes);
}

std::string mpi_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  const std::string version(text.data(), static_cast<std::size_t>(length));
  return version.substr(0, version.find_first_of(",\n"));
}

}  // namespace tacit::bench
