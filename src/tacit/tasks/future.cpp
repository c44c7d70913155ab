// The errors of futures.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/tasks/future.hpp"

namespace tacit::tasks {

CancelledError::CancelledError() : base::Error("the work was cancelled before it started") {}

BrokenPromiseError::BrokenPromiseError()
    : base::Error("the promise of this future was destroyed before a value or an error was set") {}

Future<void> make_ready(Scheduler& scheduler) {
  Promise<void> promise(scheduler);
  Future<void> future = promise.future();
  promise.set_value();
  return future;
}

}  // namespace tacit::tasks
