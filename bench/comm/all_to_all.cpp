// The all-to-all beside what shared memory allows, and beside MPI.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/collectives/all_to_all.hpp"

#include <array>
#include <atomic>
#include <new>
#include <string>

#include "comm/mpi_peers.hpp"
#include "comm/shared_pair.hpp"
#include "comm/turns.hpp"

namespace tacit::bench {
namespace {

using comm::number;

/// An all-to-all of two ranks with nothing but shared memory: one flag per call and rank, and one copy of each block.
///
/// There are two halves for calls with even and with odd numbers. Who has set the flag of call n - 1 has read what it
/// got in call n - 2, so that one flag says both "it is there" and "you may write".
class Direct {
 public:
  Direct(comm::Communicator& world, std::size_t bytes)
      : own_(number(world.rank())), bytes_(bytes), memory_(world, sizeof(Flag) + 4 * bytes) {
    mine_ = new (memory_.mine()) Flag;
    world.synchronise();
    theirs_ = std::launder(reinterpret_cast<const Flag*>(memory_.theirs()));
    world.synchronise();
  }

 protected:
  struct alignas(128) Flag {
    std::atomic<std::uint64_t> turn{0};
  };
  [[nodiscard]] std::size_t other() const noexcept { return 1 - own_; }
  /// Two blocks.
  [[nodiscard]] std::byte* half(std::byte* memory, std::uint64_t turn) const noexcept {
    return memory + sizeof(Flag) + (turn % 2) * 2 * bytes_;
  }
  void set(std::uint64_t turn) const noexcept { mine_->turn.store(turn, std::memory_order_release); }
  void await(std::uint64_t turn) const noexcept {
    while (theirs_->turn.load(std::memory_order_acquire) < turn) {
    }
  }

  std::size_t own_;
  std::size_t bytes_;
  SharedPair memory_;
  Flag* mine_ = nullptr;
  const Flag* theirs_ = nullptr;
};

/// Blocks are written where the other rank reads them, and copied from there.
class DirectPull : private Direct {
 public:
  DirectPull(comm::Communicator& world, std::size_t bytes) : Direct(world, bytes), out_(2 * bytes) {}
  void operator()(std::uint64_t turn) {
    std::byte* in = half(memory_.mine(), turn);
    touch({in, 2 * bytes_}, turn);
    set(turn);
    std::memcpy(out_.data() + own_ * bytes_, in + own_ * bytes_, bytes_);
    await(turn);
    std::memcpy(out_.data() + other() * bytes_, half(memory_.theirs(), turn) + own_ * bytes_, bytes_);
    sum_ += read_touched(out_, turn);
  }

 private:
  std::vector<std::byte> out_;
  std::uint64_t sum_ = 0;
};

/// Blocks are copied to where the other rank reads what it got.
class DirectPut : private Direct {
 public:
  DirectPut(comm::Communicator& world, std::size_t bytes) : Direct(world, bytes), in_(2 * bytes) {}
  void operator()(std::uint64_t turn) {
    touch(in_, turn);
    std::memcpy(half(memory_.theirs(), turn) + own_ * bytes_, in_.data() + other() * bytes_, bytes_);
    set(turn);
    std::byte* out = half(memory_.mine(), turn);
    std::memcpy(out + own_ * bytes_, in_.data() + own_ * bytes_, bytes_);
    await(turn);
    sum_ += read_touched({out, 2 * bytes_}, turn);
  }

 private:
  std::vector<std::byte> in_;
  std::uint64_t sum_ = 0;
};

template <class Exchange>
std::unique_ptr<PingPong> ours(comm::Communicator& world, Exchange exchange) {
  static_cast<void>(exchange.input());  // it waits for the other rank
  world.synchronise();
  return repeated([exchange = std::move(exchange)](std::uint64_t turn) mutable {
    touch(exchange.input(), turn);
    exchange.run();
    static_cast<void>(read_touched(exchange.output(), turn));
  });
}

enum Index : std::size_t { same, varying, pull, put, flag, blocking, nonblocking };

Contestants contestants_for(comm::Communicator& world, std::size_t bytes) {
  const std::array<std::size_t, 2> counts{bytes, bytes};
  Contestants all;
  all.emplace_back("all-to-all", ours(world, comm::AllToAll<std::byte>(world, bytes)));
  all.emplace_back("all-to-all-v", ours(world, comm::AllToAllV<std::byte>(world, counts)));
  all.emplace_back("pull", repeated(DirectPull(world, bytes)));
  all.emplace_back("put", repeated(DirectPut(world, bytes)));
  all.emplace_back("flag", flag_ping_pong(world));
  all.emplace_back("MPI_Alltoall", mpi_all_to_all(MpiCalls::blocking, bytes));
  all.emplace_back("MPI_Ialltoall", mpi_all_to_all(MpiCalls::nonblocking, bytes));
  return all;
}

void measure(const Plan& plan, std::size_t bytes, const std::string& size, std::size_t calls) {
  const Contestants contestants = contestants_for(*plan.world, bytes);
  const Times seconds = take_turns(plan, contestants, plan.size(calls, 3));
  const double flag_ns = median_of(seconds[flag], 1e9);
  const std::string name = "alltoall_" + size;
  Result time = figure(contestants, seconds, name + "_us", "us", 1e6);
  time.flag_ns = flag_ns;
  time.peers.emplace_back("shared memory, pull", median_of(seconds[pull], 1e6));
  time.peers.emplace_back("shared memory, put", median_of(seconds[put], 1e6));
  plan.add(time);
  const auto& bound = seconds[faster(seconds, pull, put)];
  add_ratio(plan, name + "_bound_ratio", ratios(seconds[same], bound), Better::lower, 1.3, flag_ns);
  add_ratio(plan, "alltoallv_" + size + "_ratio", ratios(seconds[varying], seconds[same]), Better::lower, 1.1, flag_ns);
  const auto& mpi = seconds[faster(seconds, blocking, nonblocking)];
  if (!mpi.empty()) add_ratio(plan, name + "_vs_mpi", ratios(mpi, seconds[same]), Better::higher, 1.0, flag_ns);
}

}  // namespace

void measure_all_to_all(const Plan& plan) {
  measure(plan, 512, "512B", 2000);
  measure(plan, std::size_t{4} << 10U, "4KB", 1000);
  measure(plan, std::size_t{64} << 10U, "64KB", 200);
  measure(plan, std::size_t{256} << 10U, "256KB", 50);
  measure(plan, std::size_t{1} << 20U, "1MB", 15);
}

}  // namespace tacit::bench
