// The halo of a lattice in four dimensions: eight faces out and eight in, alone and while something is computed.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <deque>
#include <optional>
#include <string>

#include "comm/halo_spec.hpp"
#include "comm/mpi_peers.hpp"
#include "comm/turns.hpp"
#include "tacit/comm/cartesian.hpp"
#include "tacit/comm/window.hpp"

namespace tacit::bench {
namespace {

using comm::number;
using comm::Side;

/// Keys of connections that no other halo has.
std::uint32_t next_keys() {
  static thread_local std::uint32_t next = 1000;
  next += HaloSpec::faces;
  return next;
}

class Halo {
 public:
  Halo(comm::Communicator& world, const HaloSpec& spec)
      : work_(spec.work),
        connections_(std::make_unique<Connections>()),
        send_(std::make_unique<std::deque<comm::SendWindow<std::byte>>>()),
        receive_(std::make_unique<std::deque<comm::RecvWindow<std::byte>>>()) {
    if (spec.who == Faces::grid) {
      add_grid(world, spec.bytes);
    } else {
      add_peer(world, spec.bytes);
    }
    for (auto& window : *receive_) window.init();
    world.synchronise();
  }
  void operator()(std::uint64_t turn) {
    for (auto& window : *send_) {
      touch(window.data(), turn);
      window.post();
    }
    result_ += compute(work_);
    for (auto& window : *receive_) {
      sum_ += read_touched(window.wait(), turn);
      window.init();
    }
    for (auto& window : *send_) window.wait();
  }

 private:
  struct Connections {
    std::optional<comm::NeighbourConnections> neighbours;
    std::optional<comm::Connection> peer;
  };
  void add_grid(comm::Communicator& world, std::size_t bytes) {
    const std::array<std::uint32_t, HaloSpec::dimensions> ranks{2, 1, 1, 1};
    auto& neighbours = connections_->neighbours;
    neighbours.emplace(world, comm::Cartesian(world, ranks, comm::Boundary::periodic), next_keys());
    for (std::size_t dimension = 0; dimension < HaloSpec::dimensions; ++dimension) {
      for (const Side side : {Side::low, Side::high}) {
        send_->emplace_back(*neighbours->to(dimension, side), bytes);
        receive_->emplace_back(*neighbours->from(dimension, side), bytes);
      }
    }
  }
  void add_peer(comm::Communicator& world, std::size_t bytes) {
    connections_->peer.emplace(world, comm::Target{.rank = comm::RankId{1 - number(world.rank())}, .key = next_keys()});
    for (std::size_t face = 0; face < HaloSpec::faces; ++face) {
      send_->emplace_back(*connections_->peer, bytes);
      receive_->emplace_back(*connections_->peer, bytes);
    }
  }

  std::size_t work_;
  std::unique_ptr<Connections> connections_;
  std::unique_ptr<std::deque<comm::SendWindow<std::byte>>> send_;
  std::unique_ptr<std::deque<comm::RecvWindow<std::byte>>> receive_;
  std::uint64_t sum_ = 0;
  double result_ = 0.0;
};

std::unique_ptr<PingPong> only_computing(std::size_t loops) {
  return repeated([loops](std::uint64_t /*turn*/) { static_cast<void>(compute(loops)); });
}

enum Index : std::size_t { alone, fresh, started, beside, fresh_beside, started_beside, computing, flag };

Contestants contestants_for(comm::Communicator& world, const HaloSpec& spec) {
  HaloSpec bare = spec;
  bare.work = 0;
  Contestants all;
  all.emplace_back("halo", repeated(Halo(world, bare)));
  all.emplace_back("MPI_Isend", mpi_halo(world, MpiRequests::fresh, bare));
  all.emplace_back("MPI_Startall", mpi_halo(world, MpiRequests::persistent, bare));
  if (spec.work != 0) {
    all.emplace_back("halo and work", repeated(Halo(world, spec)));
    all.emplace_back("MPI_Isend and work", mpi_halo(world, MpiRequests::fresh, spec));
    all.emplace_back("MPI_Startall and work", mpi_halo(world, MpiRequests::persistent, spec));
    all.emplace_back("work", only_computing(spec.work));
  }
  all.emplace_back("flag", flag_ping_pong(world));
  return all;
}

/// What is left of a time when the computation is taken away, over the whole: what communication costs.
std::vector<double> exposed_share(const std::vector<double>& whole, const std::vector<double>& work) {
  std::vector<double> shares;
  for (std::size_t i = 0; i < whole.size(); ++i) shares.push_back((whole[i] - work[i]) / whole[i]);
  return shares;
}

/// 1 - exposed / alone.
std::vector<double> hidden_fraction(const std::vector<double>& whole, const std::vector<double>& work,
                                    const std::vector<double>& serial) {
  std::vector<double> fractions;
  for (std::size_t i = 0; i < whole.size(); ++i) fractions.push_back(1.0 - (whole[i] - work[i]) / serial[i]);
  return fractions;
}

void add_beside(const Plan& plan, const std::string& name, const Times& seconds, double flag_ns) {
  Result time{.name = name + "_overlapped_us", .unit = "us", .ours = summarise(scaled(seconds[beside], 1e6))};
  Result share{.name = name + "_exposed_share",
               .unit = "1",
               .ours = summarise(exposed_share(seconds[beside], seconds[computing]))};
  Result hidden{.name = name + "_hidden_fraction",
                .unit = "1",
                .better = Better::higher,
                .ours = summarise(hidden_fraction(seconds[beside], seconds[computing], seconds[alone]))};
  const auto add_peer = [&](const char* peer, Index whole, Index serial) {
    if (seconds[whole].empty()) return;
    time.peers.emplace_back(peer, median_of(seconds[whole], 1e6));
    share.peers.emplace_back(peer, summarise(exposed_share(seconds[whole], seconds[computing])).median);
    hidden.peers.emplace_back(peer,
                              summarise(hidden_fraction(seconds[whole], seconds[computing], seconds[serial])).median);
  };
  add_peer("MPI_Isend", fresh_beside, fresh);
  add_peer("MPI_Startall", started_beside, started);
  for (Result* result : {&time, &share, &hidden}) {
    result->flag_ns = flag_ns;
    plan.add(*result);
  }
}

void measure(const Plan& plan, const std::string& name, const HaloSpec& spec, std::size_t calls) {
  const Contestants contestants = contestants_for(*plan.world, spec);
  const Times seconds = take_turns(plan, contestants, plan.size(calls, 3));
  const double flag_ns = median_of(seconds.back(), 1e9);
  Result time{.name = name + "_us", .unit = "us", .ours = summarise(scaled(seconds[alone], 1e6))};
  time.flag_ns = flag_ns;
  if (!seconds[fresh].empty()) {
    time.peers.emplace_back("MPI_Isend", median_of(seconds[fresh], 1e6));
    time.peers.emplace_back("MPI_Startall", median_of(seconds[started], 1e6));
  }
  plan.add(time);
  const auto& mpi = seconds[faster(seconds, fresh, started)];
  if (!mpi.empty()) add_ratio(plan, name + "_vs_mpi", ratios(mpi, seconds[alone]), Better::higher, 1.0, flag_ns);
  if (spec.work != 0) add_beside(plan, name, seconds, flag_ns);
}

void measure(const Plan& plan, std::size_t bytes, const std::string& size, std::size_t work, std::size_t calls) {
  measure(plan, "halo_" + size, {.bytes = bytes, .who = Faces::grid, .work = work}, calls);
  measure(plan, "halo_" + size + "_peer", {.bytes = bytes, .who = Faces::peer}, calls);
}

}  // namespace

// The work takes a few times as long as MPI needs for the faces.
void measure_halo(const Plan& plan) {
  measure(plan, 64, "64B", 5'000, 500);
  measure(plan, std::size_t{1} << 10U, "1KB", 10'000, 300);
  measure(plan, std::size_t{8} << 10U, "8KB", 20'000, 150);
  measure(plan, std::size_t{64} << 10U, "64KB", 100'000, 30);
}

}  // namespace tacit::bench
