// Tasks that are prepared apart from their graph, by several threads at once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <span>
#include <type_traits>
#include <utility>

#include "tacit/tasks/graph.hpp"

namespace tacit::tasks {

/// Tasks to be added to a graph together: what each touches is checked and noted here, so that several threads, with a
/// batch each, share most of the work of adding many tasks.
///
///     std::vector<Batch> batches(parts, Batch(graph));
///     (by any threads, for each part) batches[part].add(density, accesses, function, options);
///     for (Batch& batch : batches) graph.add(std::move(batch));
///
/// The graph is as if its tasks had been added one by one, batch after batch.
/// @pre the graph gets no data, kinds or tasks but those of batches as long as a batch waits to be added
class Batch {
 public:
  /// @param graph  outlives the batch, and stays where it is
  explicit Batch(const Graph& graph) noexcept : graph_(&graph) {}
  Batch(Batch&&) noexcept = default;
  Batch& operator=(Batch&&) noexcept = default;

  /// As Graph::add.
  /// @throws base::PreconditionError likewise
  template <class Function>
  void add(TaskKind kind, std::span<const Access> accesses, Function&& function, TaskOptions options = {}) {
    graph_->check_task(kind, accesses, options, Graph::is_empty(function));
    tasks_.add(*graph_, kind, accesses, options, std::forward<Function>(function));
  }
  [[nodiscard]] std::size_t size() const noexcept { return tasks_.tasks.size(); }

 private:
  friend class Graph;
  const Graph* graph_;
  Graph::TaskList tasks_;
};

}  // namespace tacit::tasks
