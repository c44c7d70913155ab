// Waiting: a worker runs jobs in the meantime, other threads do not.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "tacit/tasks/scheduler.hpp"

namespace tacit::tasks::detail {

/// Runs jobs until `done` if the calling thread is a worker, of `scheduler` or of another, or may become one: the
/// thread that made `scheduler`.
/// @return  false: it is neither; nothing was done
/// @throws  StalledError
[[nodiscard]] bool work_until(Scheduler& scheduler, const std::function<bool()>& done);

}  // namespace tacit::tasks::detail
