// The workloads of `tacit bench tasks` as graphs of ours.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "micro/body.hpp"
#include "micro/runtime.hpp"
#include "tacit/tasks/graph.hpp"

namespace tacit::bench {

/// A graph and all of its tasks, ready to run.
struct ReadyGraph {
  tasks::Graph graph;
  tasks::Activation all;
};

/// Each task writes a datum of its own.
[[nodiscard]] ReadyGraph independent_graph(const Body& body, std::uint32_t tasks);
/// Two data per column, read and written in turn: a task reads three of one and writes one of the other.
[[nodiscard]] ReadyGraph stencil_graph(const Body& body, Grid grid);
/// One datum per task, which reads the data above and to the left and writes its own.
[[nodiscard]] ReadyGraph wavefront_graph(const Body& body, Grid grid);
/// Each task commutes on its two data.
[[nodiscard]] ReadyGraph locking_graph(const Body& body, std::span<const Pair> locks, std::uint32_t data);

}  // namespace tacit::bench
