// What is needed to make an activation of a graph.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tacit/tasks/detail/replay.hpp"
#include "tacit/tasks/graph.hpp"

namespace tacit::tasks::detail {

/// Kept for the forms of Graph::activate that allocate nothing.
struct ActivationScratch {
  Replay replay;
  std::vector<TaskId> chosen;
  std::vector<float> priority;           // per node
  std::vector<float> relation_priority;  // of the task that comes later
};

}  // namespace tacit::tasks::detail
