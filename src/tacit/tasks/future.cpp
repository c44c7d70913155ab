// The errors of futures, and which input of when_any is first.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/tasks/future.hpp"

#include "tacit/tasks/when.hpp"

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

namespace tacit::tasks::detail {

FirstReady::FirstReady(Scheduler& scheduler, std::size_t inputs)
    : ValueState<std::size_t>(
          scheduler, [](DeferredObject& object) noexcept { delete static_cast<FirstReady*>(&object); },
          static_cast<std::uint32_t>(inputs) + 1),
      entrants_(inputs) {}

void FirstReady::wait_for(FutureState& input) noexcept {
  Entrant& entrant = entrants_[entered_];
  entrant.ready = &arrive;
  entrant.race = this;
  entrant.place = entered_++;
  if (!input.add(entrant)) arrive(entrant);
}

void FirstReady::arrive(Waiter& waiter) noexcept {
  const Entrant& entrant = static_cast<Entrant&>(waiter);
  FirstReady& self = *entrant.race;
  if (!self.claim()) return self.release();
  self.store(entrant.place);
  // Completed by a job, which takes over the reference: nested when_any do not nest on the stack.
  self.run = [](Job& job) noexcept { static_cast<FirstReady&>(job).complete(); };
  self.scheduler().submit(self);
}

}  // namespace tacit::tasks::detail
