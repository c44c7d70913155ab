// The scheduler that tries every order of steps.
// SPDX-License-Identifier: Apache-2.0
#include "interleaved.hpp"

namespace tacit::interleaved {

void Scheduler::run(const std::array<std::function<void()>, 2>& sides) {
  sides_ = &sides;
  is_over_ = {};
  now_ = 0;
  left_ = preemptions_;
  idle_ = 0;
  decided_ = 0;
  scheduler = this;
  for (std::size_t i = 0; i < 2; ++i) {
    getcontext(&contexts_[i]);
    contexts_[i].uc_stack.ss_sp = stacks_[i].data();
    contexts_[i].uc_stack.ss_size = stacks_[i].size();
    contexts_[i].uc_link = nullptr;
    makecontext(&contexts_[i], &Scheduler::enter, 0);
  }
  swapcontext(&home_, &contexts_[0]);
}

void Scheduler::enter() {
  Scheduler& self = *scheduler;
  const std::size_t side = self.now_;
  (*self.sides_)[side]();
  self.is_over_[side] = true;
  self.idle_ = 0;
  if (self.is_over_[1 - side]) self.fail();  // both are over, and the run with them
  self.switch_sides();
}

bool Scheduler::advance() {
  taken_.resize(decided_);
  while (!taken_.empty() && taken_.back()) taken_.pop_back();
  if (taken_.empty()) return false;
  taken_.back() = true;
  return true;
}

bool Scheduler::decide() {
  if (decided_ == taken_.size()) taken_.push_back(false);
  return taken_[decided_++];
}

void Scheduler::step() {
  if (left_ == 0 || is_over_[1 - now_]) return;
  if (!decide()) return;
  --left_;
  switch_sides();
}

bool Scheduler::give_way() {
  if (++idle_ > hopeless_idle) return false;
  if (!is_over_[1 - now_]) switch_sides();
  return true;
}

void Scheduler::switch_sides() {
  now_ = 1 - now_;
  swapcontext(&contexts_[1 - now_], &contexts_[now_]);
}

void Scheduler::fail() {
  setcontext(&home_);
  __builtin_unreachable();
}

}  // namespace tacit::interleaved
