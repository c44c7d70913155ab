// Waits for what may never come, as what another rank may ask of this one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tacit/tasks/scheduler.hpp"

namespace tacit::tasks {

/// An awaiter for Scheduler::expect whose operation may never end: sources are polled for it, but workers that find
/// nothing to do are idle and do not wait for it, and its end is no transfer in the trace.
class Listener : public Awaiter {
 protected:
  ~Listener() = default;
};

}  // namespace tacit::tasks
