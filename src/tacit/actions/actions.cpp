// Makes the core of actions; waits for room without a coroutine.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/actions/actions.hpp"

namespace tacit::actions {

Actions::Actions(comm::Communicator& world, tasks::Scheduler& scheduler, const Table& table, const Options& options)
    : core_(std::make_unique<detail::Core>(*this, world, scheduler, table, options)) {}

Actions::~Actions() = default;

void Room::wait() const {
  scheduler_->work_until([this] { return port_->has_room(); });
  await_resume();
}

}  // namespace tacit::actions
