// A scheduler that asks for the completions of a communicator as long as this lives.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tacit/comm/communicator.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::comm::testing {

/// Made behind the scheduler and before what runs on it.
struct Polling {
  Polling(tasks::Scheduler& of, Communicator& ranks) : scheduler(of), world(ranks) {
    scheduler.attach(world.completions());
  }
  ~Polling() { scheduler.detach(world.completions()); }
  Polling(const Polling&) = delete;
  Polling& operator=(const Polling&) = delete;
  tasks::Scheduler& scheduler;
  Communicator& world;
};

}  // namespace tacit::comm::testing
