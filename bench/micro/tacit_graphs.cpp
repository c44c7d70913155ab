// Builds our graphs from accesses alone.
// SPDX-License-Identifier: Apache-2.0
#include "micro/tacit_graphs.hpp"

#include <utility>
#include <vector>

namespace tacit::bench {
namespace {

using tasks::DatumId;
using tasks::Graph;
using tasks::reads;
using tasks::StepContext;
using tasks::writes;

std::vector<DatumId> add_data(Graph& graph, std::size_t count) {
  std::vector<DatumId> data(count);
  for (DatumId& datum : data) datum = graph.add_datum();
  return data;
}

auto call(const Body& body, std::uint32_t task) {
  return [&body, task](StepContext& /*step*/) { body(task); };
}

ReadyGraph ready(Graph graph) {
  tasks::Activation all = graph.activate_all();
  return {std::move(graph), std::move(all)};
}

}  // namespace

ReadyGraph independent_graph(const Body& body, std::uint32_t tasks) {
  Graph graph;
  const auto kind = graph.kind("task");
  for (std::uint32_t task = 0; task < tasks; ++task) {
    graph.add(kind, writes(graph.add_datum()), call(body, task), {.key = task});
  }
  return ready(std::move(graph));
}

ReadyGraph stencil_graph(const Body& body, Grid grid) {
  Graph graph;
  const auto kind = graph.kind("task");
  // One beyond each end, which no task writes.
  std::vector<DatumId> from = add_data(graph, grid.columns + 2);
  std::vector<DatumId> to = add_data(graph, grid.columns + 2);
  for (std::uint32_t row = 0; row < grid.rows; ++row) {
    for (std::uint32_t column = 0; column < grid.columns; ++column) {
      const std::uint32_t task = grid.number(row, column);
      graph.add(kind, reads(from[column], from[column + 1], from[column + 2]) + writes(to[column + 1]),
                call(body, task), {.key = task});
    }
    std::swap(from, to);
  }
  return ready(std::move(graph));
}

ReadyGraph wavefront_graph(const Body& body, Grid grid) {
  Graph graph;
  graph.reserve(grid.size() + 1, grid.size(), 3 * grid.size());
  const auto kind = graph.kind("task");
  const DatumId outside = graph.add_datum();  // above the first row and left of the first column; no task writes it
  const std::vector<DatumId> data = add_data(graph, grid.size());
  for (std::uint32_t row = 0; row < grid.rows; ++row) {
    for (std::uint32_t column = 0; column < grid.columns; ++column) {
      const std::uint32_t task = grid.number(row, column);
      const DatumId above = row > 0 ? data[task - grid.columns] : outside;
      const DatumId left = column > 0 ? data[task - 1] : outside;
      graph.add(kind, reads(above, left) + writes(data[task]), call(body, task), {.key = task});
    }
  }
  return ready(std::move(graph));
}

ReadyGraph locking_graph(const Body& body, std::span<const Pair> locks, std::uint32_t data) {
  Graph graph;
  const auto kind = graph.kind("task");
  const std::vector<DatumId> ids = add_data(graph, data);
  for (std::uint32_t task = 0; task < locks.size(); ++task) {
    const auto [first, second] = locks[task];
    graph.add(kind, tasks::commutes(ids[first], ids[second]), call(body, task), {.key = task});
  }
  return ready(std::move(graph));
}

}  // namespace tacit::bench
