// The race of when_any.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/tasks/when.hpp"

namespace tacit::tasks::detail {

FirstReady::FirstReady(Scheduler& scheduler, std::size_t inputs)
    : ValueState<std::size_t>(
          scheduler, [](Mortal& mortal) noexcept { delete static_cast<FirstReady*>(&mortal); },
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
  // Completed by a job, which takes over the reference: races among races do not nest on the stack.
  self.run = [](Job& job) noexcept { static_cast<FirstReady&>(job).complete(); };
  self.scheduler().submit(self);
}

}  // namespace tacit::tasks::detail
