// Finds the scheduler whose jobs the calling thread can run.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/tasks/detail/waiting.hpp"

#include "tacit/base/error.hpp"

namespace tacit::tasks::detail {

bool work_until(Scheduler& scheduler, const std::function<bool()>& done) {
  if (Scheduler* const own = Scheduler::current(); own != nullptr && own != &scheduler) {
    own->work_until(done);
    return true;
  }
  try {
    scheduler.work_until(done);
  } catch (const base::PreconditionError&) {
    return false;  // a thread that is no worker: it is about to sleep anyway, so the price of a throw does not matter
  }
  return true;
}

}  // namespace tacit::tasks::detail
