// The loop that resumes coroutines, and their wait for completions.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/tasks/coroutine.hpp"

#include <fmt/format.h>

namespace tacit::tasks::detail {

namespace {

// A chain that never waits still lets its worker poll and trace from time to time.
constexpr int most_steps = 256;

constinit thread_local Resumable* next_step = nullptr;

}  // namespace

void continue_with(Resumable* next) noexcept { next_step = next; }

void run_steps(Job& job) noexcept {
  Resumable* current = &static_cast<Resumable&>(job);
  const Scheduler* const here = current->scheduler;
  for (int steps = 0; steps < most_steps && current->scheduler == here; ++steps) {
    current->step(*current);
    current = std::exchange(next_step, nullptr);
    if (current == nullptr) return;
  }
  current->scheduler->submit_last(*current);
}

base::Token CompletionWait::expect(Resumable& waiting) {
  waiting_ = &waiting;
  return waiting.scheduler->expect(*source_, *this, waiting.key);
}

void CompletionWait::finished(const base::Completion& completion) noexcept {
  completion_ = completion;
  Resumable& waiting = *waiting_;
  if (to_come_.fetch_sub(1, std::memory_order_acq_rel) == 1) waiting.scheduler->submit(waiting);
}

std::string CompletionWait::describe() const {
  return fmt::format("coroutine {}[{}]", waiting_->scheduler->recorder().name(waiting_->kind), waiting_->key);
}

base::Completion CompletionWait::result() const {
  if (completion_.error != 0) {
    throw base::Error(fmt::format("{}: {}", source_->name(), source_->explain(completion_)));
  }
  return completion_;
}

}  // namespace tacit::tasks::detail
