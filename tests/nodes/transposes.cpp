// Transposes of three-dimensional transforms on emulated nodes: which of them cross wires, and that none changes a bit.
// SPDX-License-Identifier: Apache-2.0
//
// Each node has as many ranks as every other. Usage: dns_transposes rows|answer
//   rows: rows of ranks are nodes; what they exchange puts nothing on the wire, and whole transforms what their columns
//         must exchange
//   answer: a flow on all ranks is bitwise identical to one that each rank computes alone
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <exception>
#include <iostream>
#include <numbers>
#include <thread>

#include "mpi/collectives_support.hpp"
#include "nodes/wire_counters.hpp"
#include "tacit/base/clock.hpp"
#include "tacit/comm/bootstrap/threads.hpp"
#include "tacit/fft/exchange_plan.hpp"
#include "tacit/fft/process_grid.hpp"
#include "tacit/fft/transform.hpp"
#include "tacit/solvers/dns/flow.hpp"

namespace {

using namespace tacit;
using comm::conformance::all_of;
using comm::conformance::must;
using tests::Traffic;

constexpr fft::Shape points{64, 48, 40};
constexpr std::size_t transforms = 10;  // there and back

/// Seconds on the clock that all nodes of this machine share.
double now() { return 1e-9 * static_cast<double>(base::now_ns()); }

/// What every node sends while all run so often, in bytes: by node. Nodes agree on when to look at their counters:
/// who meets the others on the wire makes them answer there.
std::vector<std::size_t> count(comm::Communicator& world, fft::Transform<double>& transform, std::size_t times) {
  constexpr double settling = 2.0;           // the system acknowledges within 40 ms, on a busy machine later
  constexpr double running = 6.0;            // some thousand times what it takes on a machine that is not busy
  const auto clocks = all_of(world, now());  // of one machine: all nodes have the same
  const double begin = *std::ranges::max_element(clocks) + settling;
  while (now() < begin) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  const Traffic before = tests::traffic_sent("e0");
  while (now() < begin + settling) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  for (std::size_t i = 0; i < times; ++i) {
    transform.to_modes();
    transform.to_points();
  }
  const double left = begin + settling + running - now();
  while (now() < begin + settling + running) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  const Traffic sent = tests::traffic_sent("e0") - before;
  std::this_thread::sleep_for(std::chrono::duration<double>(settling));
  std::vector<std::size_t> by_node(comm::conformance::count_nodes(world));
  const auto all = all_of(world, sent.bytes);
  const auto margins = all_of(world, left);
  must(*std::ranges::min_element(margins) > 0.0, "the machine is too busy: transforms took seconds; run this again");
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    std::size_t& node = by_node[world.ranks()[rank].domain];
    node = std::max(node, all[rank]);
  }
  return by_node;
}

/// Ranks of a node transform among themselves, while those of other nodes do: no byte may leave the node.
void check_rows_alone(comm::Communicator& world, tasks::Scheduler& scheduler) {
  comm::Communicator row = world.split_by_node();
  fft::Transform<double> transform(
      points, scheduler, {.rigor = fft::Rigor::estimate, .grid = {.row_size = row.size(), .column_size = 1}}, row);
  transform.to_modes();  // windows are made
  const auto sent = count(world, transform, transforms);
  for (std::size_t node = 0; node < sent.size(); ++node) {
    must(sent[node] == 0, fmt::format("rows of ranks on node {} put {} B on the wire", node, sent[node]));
  }
  if (number(world.rank()) == 0) std::cout << "rows: not a byte on the wire\n";
}

/// Bytes that the ranks of this node must send to others in a transform there and one back.
std::size_t column_bytes(const fft::Pencils& pencils) {
  const fft::ExchangePlan plan(pencils, {.chunks = 1, .groups = 1});
  const std::size_t own = pencils.place_in_column();
  std::size_t count = 0;
  for (std::size_t other = 0; other < pencils.grid().column_size; ++other) {
    if (other == own) continue;
    count += plan.column_block(1, own, other, 0, 0) + plan.column_block(1, other, own, 0, 0);
  }
  return count * sizeof(std::complex<double>);
}

/// Transforms on all ranks, rows on nodes: what crosses the wires is what columns exchange.
void check_grid(comm::Communicator& world, tasks::Scheduler& scheduler) {
  const std::size_t nodes = comm::conformance::count_nodes(world);
  const fft::ProcessGrid grid{.row_size = world.size() / nodes, .column_size = nodes};
  fft::Transform<double> transform(points, scheduler, {.rigor = fft::Rigor::estimate, .grid = grid}, world);
  transform.to_modes();
  const auto sent = count(world, transform, transforms);
  std::vector<std::size_t> least(nodes);
  const auto all = all_of(world, transforms * column_bytes(transform.pencils()));
  for (std::size_t rank = 0; rank < all.size(); ++rank) least[world.ranks()[rank].domain] += all[rank];
  for (std::size_t node = 0; node < nodes; ++node) {
    if (number(world.rank()) == 0) {
      std::cout << fmt::format("node {}: {} B on the wire, columns exchange {} B\n", node, sent[node], least[node]);
    }
    must(sent[node] >= least[node], "less than what must be sent was counted: the counters are wrong");
    // Headers and acknowledgements are 2 x 66 bytes for 1448 at most: 9.2 %. Messages are of 10 KB and more: MPI's 100
    // bytes around each, and a segment that is not full, are 3 % of that at most. The other half of what is allowed is
    // for requests of MPI; rows would triple the bytes.
    must(static_cast<double>(sent[node]) <= 1.25 * static_cast<double>(least[node]),
         fmt::format("node {} puts {} B on the wire, its columns exchange {} B", node, sent[node], least[node]));
  }
}

/// Rows of the grid are nodes, so that what follows says something.
void check_nodes(comm::Communicator& world) {
  const std::size_t nodes = comm::conformance::count_nodes(world);
  must(nodes > 1, "there is one node: start this by tools/nodes/nodes.py");
  const std::size_t per_node = world.size() / nodes;
  for (std::size_t rank = 0; rank < world.size(); ++rank) {
    must(world.ranks()[rank].domain == world.ranks()[rank / per_node * per_node].domain,
         "a row has ranks of two nodes");
  }
}

dns::FlowParameters parameters(const fft::ProcessGrid& grid) {
  constexpr double side = 2.0 * std::numbers::pi;
  return {.points = {32, 24, 20},
          .box = {side, side, side},
          .viscosity = 0.01,
          .scheme = dns::Scheme::rk4,
          .rigor = fft::Rigor::estimate,
          .algorithm = {.grid = grid}};
}

void advance(dns::Flow& flow) {
  flow.set([](const base::Vec3& x) {
    return base::Vec3{std::sin(x.x) * std::cos(x.y) * std::cos(x.z), -std::cos(x.x) * std::sin(x.y) * std::cos(x.z),
                      0.1 * std::sin(x.x + x.y)};
  });
  for (int i = 0; i < 3; ++i) flow.step(0.02);
}

/// @param grid  zeros: as it is chosen
void check_answer(comm::Communicator& world, tasks::Scheduler& scheduler, const fft::ProcessGrid& grid) {
  comm::Communicator one(comm::bootstrap_alone());
  dns::Flow alone(parameters({}), scheduler, one);
  dns::Flow shared(parameters(grid), scheduler, world);
  advance(alone);
  advance(shared);
  const fft::Pencils& pencils = shared.pencils();
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t x = pencils.kx().begin; x < pencils.kx().end; ++x) {
      for (std::size_t z = 0; z < pencils.modes().count(2); ++z) {
        for (std::size_t y = pencils.ky().begin; y < pencils.ky().end; ++y) {
          const dns::Complex& mine = shared.modes(c)[pencils.spectral_place(x, y, z)];
          const dns::Complex& theirs = alone.modes(c)[alone.pencils().spectral_place(x, y, z)];
          must(std::memcmp(&mine, &theirs, sizeof(mine)) == 0,
               fmt::format("component {} of mode ({}, {}, {}) has other bits than on one rank", c, x, y, z));
        }
      }
    }
  }
  world.synchronise();
  if (number(world.rank()) == 0) {
    std::cout << fmt::format("a grid of {} x {} ranks: bitwise identical to one rank\n", pencils.grid().column_size,
                             pencils.grid().row_size);
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    must(argc == 2, "usage: dns_transposes rows|answer");
    const std::string what = argv[1];
    must(what == "rows" || what == "answer", "neither rows nor answer: " + what);
    // No heartbeats to other nodes: they would be counted, too.
    comm::Communicator world({.setup_deadline_s = 120.0, .deadline_s = 120.0, .silent_s = 0.0});
    check_nodes(world);
    trace::Recorder recorder(1);
    tasks::Scheduler scheduler(1, recorder);
    if (what == "rows") {
      check_rows_alone(world, scheduler);
      check_grid(world, scheduler);
    } else {
      const std::size_t nodes = comm::conformance::count_nodes(world);
      check_answer(world, scheduler, {.row_size = 0, .column_size = 0});
      check_answer(world, scheduler, {.row_size = world.size() / nodes, .column_size = nodes});
      check_answer(world, scheduler, {.row_size = world.size(), .column_size = 1});
    }
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::cerr << error.what() << std::endl;
    std::_Exit(EXIT_FAILURE);  // the other ranks may wait for this one: the launcher ends them
  }
}
