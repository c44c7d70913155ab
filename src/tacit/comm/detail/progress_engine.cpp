// The lists of operations under way.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/detail/progress_engine.hpp"

#include "tacit/base/clock.hpp"
#include "tacit/comm/backoff.hpp"

namespace tacit::comm::detail {

ProgressEngine::Hold::Hold(const ProgressEngine& engine) noexcept : engine_(&engine) {
  while (engine.is_held_.test_and_set(std::memory_order_acquire)) yield_processor();
}

void ProgressEngine::add(Operation& operation, base::Token token) noexcept {
  operation.token_ = token;
  operation.state_.store(Operation::State::listed, std::memory_order_relaxed);
  Operation* first = incoming_.load(std::memory_order_relaxed);
  do {
    operation.next_ = first;
  } while (!incoming_.compare_exchange_weak(first, &operation, std::memory_order_release, std::memory_order_relaxed));
}

void ProgressEngine::set_token(Operation& operation, base::Token token) noexcept {
  const Hold hold(*this);
  operation.token_ = token;
  if (operation.state_.load(std::memory_order_relaxed) == Operation::State::listed) return;
  operation.state_.store(Operation::State::listed, std::memory_order_relaxed);
  operation.next_ = ended_;
  ended_ = &operation;
}

void ProgressEngine::remove(Operation& operation) noexcept {
  const Hold hold(*this);
  accept();
  Operation* list = listed_.load(std::memory_order_relaxed);
  unlink(list, operation);
  listed_.store(list, std::memory_order_relaxed);
  unlink(ended_, operation);
  operation.state_.store(Operation::State::idle, std::memory_order_relaxed);
}

bool ProgressEngine::unlink(Operation*& list, const Operation& operation) noexcept {
  Operation** at = &list;
  while (*at != nullptr && *at != &operation) at = &(*at)->next_;
  if (*at == nullptr) return false;
  *at = operation.next_;
  return true;
}

/// Moves incoming operations to the list.
void ProgressEngine::accept() noexcept {
  Operation* operation = incoming_.exchange(nullptr, std::memory_order_acquire);
  Operation* list = listed_.load(std::memory_order_relaxed);
  while (operation != nullptr) {
    Operation* next = operation->next_;
    operation->next_ = list;
    list = operation;
    operation = next;
  }
  listed_.store(list, std::memory_order_relaxed);
}

void ProgressEngine::end(Operation& operation) noexcept {
  if (operation.token_ == base::Token::none) {
    operation.state_.store(Operation::State::ended, std::memory_order_release);  // from here on it is its owner's
    return;
  }
  operation.next_ = ended_;
  ended_ = &operation;
}

void ProgressEngine::advance_all() noexcept {
  Operation* open = nullptr;
  Operation* operation = listed_.load(std::memory_order_relaxed);
  while (operation != nullptr) {
    Operation* next = operation->next_;
    if (operation->advance()) {
      end(*operation);
    } else {
      operation->next_ = open;
      open = operation;
    }
    operation = next;
  }
  listed_.store(open, std::memory_order_relaxed);
}

/// Polling a network's queue costs a system call, and waits for the network poll it anyway.
void ProgressEngine::carry_on() noexcept {
  constexpr std::uint32_t seldom = 16;
  if (++turns_ % seldom == 0) watch_->carry_on();
}

void ProgressEngine::progress() noexcept {
  if (is_held_.test_and_set(std::memory_order_acquire)) return;
  carry_on();
  accept();
  advance_all();
  is_held_.clear(std::memory_order_release);
}

void ProgressEngine::settle() noexcept {
  const Hold hold(*this);
  watch_->carry_on();
  accept();
  advance_all();
}

/// Ends awaited operations that cannot complete. Blocking waits find out for themselves.
void ProgressEngine::give_up_impossible() noexcept {
  if (listed_.load(std::memory_order_relaxed) == nullptr) return;
  if (watch_->look(base::now_ns()) && !watch_->has_any_left()) return;
  Operation* open = nullptr;
  Operation* operation = listed_.load(std::memory_order_relaxed);
  while (operation != nullptr) {
    Operation* next = operation->next_;
    const bool cannot_complete = operation->token_ != base::Token::none && operation->cannot_complete();
    // Once more: what the peer has written before it left is there only now.
    if (cannot_complete) operation->is_given_up_ = !operation->advance();
    if (cannot_complete) {
      end(*operation);
    } else {
      operation->next_ = open;
      open = operation;
    }
    operation = next;
  }
  listed_.store(open, std::memory_order_relaxed);
}

std::size_t ProgressEngine::poll(std::span<base::Completion> completions) {
  if (is_held_.test_and_set(std::memory_order_acquire)) return 0;
  carry_on();
  accept();
  advance_all();
  give_up_impossible();
  std::size_t count = 0;
  while (count < completions.size() && ended_ != nullptr) {
    Operation& operation = *ended_;
    ended_ = operation.next_;
    completions[count++] = {.token = operation.token_, .error = operation.error()};
    if (operation.error() != 0) errors_.emplace_back(operation.token_, operation.explain());
    operation.state_.store(Operation::State::idle, std::memory_order_release);
  }
  is_held_.clear(std::memory_order_release);
  return count;
}

const Operation* ProgressEngine::find(base::Token token) const noexcept {
  for (const Operation* list :
       {incoming_.load(std::memory_order_acquire), listed_.load(std::memory_order_relaxed), ended_}) {
    for (const Operation* operation = list; operation != nullptr; operation = operation->next_) {
      if (operation->token_ == token) return operation;
    }
  }
  return nullptr;
}

void ProgressEngine::cancel(base::Token token) {
  const Operation* found = nullptr;
  {
    const Hold hold(*this);
    found = find(token);
  }
  if (found != nullptr) remove(const_cast<Operation&>(*found));
}

std::string ProgressEngine::describe(base::Token token) const {
  const Hold hold(*this);
  const Operation* found = find(token);
  return found != nullptr ? found->describe() : std::string();
}

std::string ProgressEngine::explain(const base::Completion& completion) const {
  const Hold hold(*this);
  for (const auto& [token, text] : errors_) {
    if (token == completion.token) return text;
  }
  return CompletionSource::explain(completion);
}

}  // namespace tacit::comm::detail
