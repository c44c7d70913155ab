// Steps of the heat solver on two emulated nodes, beside the wire and what could be hidden.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include "comm/launch.hpp"
#include "comm/overlap.hpp"
#include "exchange/heated_cube.hpp"
#include "exchange/rank.hpp"
#include "tacit/comm/window.hpp"

namespace tacit::bench {
namespace {

/// The faces of a step without its computation: one after the other, blocking.
class Faces {
 public:
  Faces(comm::Communicator& world, std::span<const std::size_t> bytes)
      : connection_(world, {.rank = comm::RankId{1 - comm::number(world.rank())}, .key = next_exchange_key()}) {
    for (const std::size_t one : bytes) {
      out_.emplace_back(connection_, one);
      in_.emplace_back(connection_, one);
    }
    for (auto& window : in_) window.init();
    world.synchronise();
  }
  void run() {
    for (std::size_t i = 0; i < out_.size(); ++i) {
      out_[i].post();
      in_[i].wait();
      in_[i].init();
      out_[i].wait();
    }
  }

 private:
  comm::Connection connection_;
  std::deque<comm::SendWindow<std::byte>> out_;
  std::deque<comm::RecvWindow<std::byte>> in_;
};

OverlappedSteps measure(const Plan& plan, Crew& crew, HeatedCube& cube, double wire) {
  Faces faces(*plan.world, cube.messages_of_step());
  const std::size_t steps = plan.size(4, 1);
  OverlappedSteps all;
  for (std::size_t sample = 0; sample <= plan.size(15, 3); ++sample) {
    const double serial = crew.time(Takes::all_ranks, [&] {
      for (std::size_t i = 0; i < steps; ++i) faces.run();
    }) / static_cast<double>(steps);
    const ExposedStep one = time_exposed(crew, cube, steps);
    if (sample == 0) continue;  // connections were made
    all.add(one.seconds, one.exposed, serial, wire);
  }
  return all;
}

}  // namespace

void measure_heat_nodes(const Plan& plan) {
  Crew crew(*plan.world);
  HeatedCube cube(*plan.world, plan.size(256, 32));
  double bytes = 0.0;
  for (const std::size_t one : cube.messages_of_step()) bytes += static_cast<double>(one);
  const double wire = wire_s(crew.largest(bytes));
  const OverlappedSteps all = measure(plan, crew, cube, wire);
  add_overlap(plan, "heat_2n", all, wire, {.over_longer = 1.1, .hidden = 0.9});
}

}  // namespace tacit::bench
