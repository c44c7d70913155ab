// The values of a channel by generation, and who waits for them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tacit/actions/actions.hpp"
#include "tacit/actions/detail/channels.hpp"
#include "tacit/tasks/future.hpp"
#include "tacit/tasks/graph.hpp"

namespace tacit::actions::detail {

/// Whether a value has come as a message, for the trace.
enum class Origin : std::uint8_t { here, message };

/// @throws base::PreconditionError, "generation 7 of channel 3, 'rows', is set twice"
[[noreturn]] void throw_twice(const std::string& value, const char* what);
[[noreturn]] void throw_closed(const std::string& value);
[[nodiscard]] std::string describe_value(std::uint64_t generation, std::uint64_t channel, const std::string& name);

template <class T>
class ChannelState final : public ChannelBase {
 public:
  ChannelState(Core& core, std::string name) : core_(core), name_(std::move(name)) {}
  ~ChannelState() = default;

  /// Its number as an object, once it has one.
  void open(std::uint64_t id) {
    id_ = id;
    core_.channels().add(*this);
  }
  /// Ends what waits; what is set later is an error.
  void close() noexcept {
    core_.channels().remove(*this);
    {
      const std::lock_guard guard(mutex_);
      is_closed_ = true;
    }
    fail(std::make_exception_ptr(base::Error(describe_value(first_, id_, name_) + " will not come: it is gone")));
  }

  /// The action.
  void put(std::uint64_t generation, T value) { put_from(Origin::message, generation, std::move(value)); }
  void put_from(Origin origin, std::uint64_t generation, T&& value);
  [[nodiscard]] tasks::Future<T> get(std::uint64_t generation);
  void await(tasks::StepContext& step, std::uint64_t generation, T& into);

  void fail(const std::exception_ptr& error) noexcept override;
  bool cancel(base::Token token) noexcept override;
  [[nodiscard]] std::optional<std::string> describe(base::Token token) const override;

 private:
  struct Value {
    T value;
    Origin origin;
  };
  struct Task {
    T* into;
    base::Token token;
  };
  struct Done {};
  using Place = std::variant<std::monostate, Value, tasks::Promise<T>, Task, Done>;

  /// The place of a generation, null if it is done with.
  [[nodiscard]] Place* find(std::uint64_t generation) {
    if (generation < first_) return nullptr;
    Place& place = generation - first_ < near ? near_[generation % near] : far_[generation];
    return std::holds_alternative<Done>(place) ? nullptr : &place;
  }
  /// Has set and taken it: the window of near generations moves on.
  void finish(Place& place) {
    place.template emplace<Done>();
    while (std::holds_alternative<Done>(near_[first_ % near])) {
      Place& left = near_[first_ % near];
      left.template emplace<std::monostate>();
      ++first_;
      const auto next = far_.begin();
      if (next == far_.end() || next->first != first_ + near - 1) continue;
      left = std::move(next->second);
      far_.erase(next);
    }
  }
  template <class Visit>
  void visit_all(Visit&& visit) {
    for (std::uint64_t g = first_; g < first_ + near; ++g) visit(g, near_[g % near]);
    for (auto& [generation, place] : far_) visit(generation, place);
  }
  void require_open(std::uint64_t generation) const {
    if (is_closed_) throw_closed(text(generation));
  }
  [[nodiscard]] std::string text(std::uint64_t generation) const { return describe_value(generation, id_, name_); }
  [[nodiscard]] bool is_awaited(const Place& place, base::Token token) const {
    if (token == base::Token::none) return std::holds_alternative<tasks::Promise<T>>(place);
    const auto* const task = std::get_if<Task>(&place);
    return task != nullptr && task->token == token;
  }

  static constexpr std::uint64_t near = 16;  // generations that take no memory of their own

  Core& core_;
  std::string name_;
  std::uint64_t id_ = 0;
  mutable std::mutex mutex_;
  bool is_closed_ = false;
  std::uint64_t first_ = 0;  // all before it are done
  std::array<Place, near> near_;
  std::map<std::uint64_t, Place> far_;
};

template <class T>
void ChannelState<T>::put_from(Origin origin, std::uint64_t generation, T&& value) {
  std::optional<tasks::Promise<T>> waiting;
  {
    const std::lock_guard guard(mutex_);
    require_open(generation);
    Place* const place = find(generation);
    if (place == nullptr || std::holds_alternative<Value>(*place)) throw_twice(text(generation), "set");
    if (auto* const task = std::get_if<Task>(place)) {
      *task->into = std::move(value);
      core_.channels().complete({.token = task->token});
      return finish(*place);
    }
    auto* const promise = std::get_if<tasks::Promise<T>>(place);
    if (promise == nullptr) {
      place->template emplace<Value>(Value{std::move(value), origin});
      return;
    }
    waiting.emplace(std::move(*promise));
    finish(*place);
  }
  core_.channels().count_waiting(-1);
  waiting->set_value(std::move(value));
}

template <class T>
tasks::Future<T> ChannelState<T>::get(std::uint64_t generation) {
  tasks::Promise<T> promise(core_.scheduler());
  tasks::Future<T> future = promise.future();
  {
    const std::lock_guard guard(mutex_);
    Place* const place = find(generation);
    if (place == nullptr || place->index() > 1) throw_twice(text(generation), "taken");
    if (auto* const there = std::get_if<Value>(place)) {
      promise.set_value(std::move(there->value));  // nothing waits for it yet
      finish(*place);
      return future;
    }
    place->template emplace<tasks::Promise<T>>(std::move(promise));
  }
  core_.expect_value();
  // A rank that was lost before this wait was listed has not ended it.
  if (const std::exception_ptr error = core_.channels().error()) fail(error);
  return future;
}

template <class T>
void ChannelState<T>::await(tasks::StepContext& step, std::uint64_t generation, T& into) {
  {
    const std::lock_guard guard(mutex_);
    Place* const place = find(generation);
    if (place == nullptr || place->index() > 1) throw_twice(text(generation), "taken");
    if (auto* const there = std::get_if<Value>(place)) {
      const Origin origin = there->origin;
      into = std::move(there->value);
      finish(*place);
      if (origin == Origin::message) step.note_completed({.key = static_cast<std::uint32_t>(id_)});
      return;
    }
    place->template emplace<Task>(Task{&into, step.await(core_, {.key = static_cast<std::uint32_t>(id_)})});
  }
  if (const std::exception_ptr error = core_.channels().error()) fail(error);
}

template <class T>
void ChannelState<T>::fail(const std::exception_ptr& error) noexcept {
  std::vector<tasks::Promise<T>> waiting;
  {
    const std::lock_guard guard(mutex_);
    visit_all([&](std::uint64_t /*generation*/, Place& place) {
      if (auto* const promise = std::get_if<tasks::Promise<T>>(&place)) {
        waiting.push_back(std::move(*promise));
        place.template emplace<std::monostate>();
      } else if (const auto* const task = std::get_if<Task>(&place)) {
        core_.channels().complete({.token = task->token, .error = 1});
        place.template emplace<std::monostate>();
      }
    });
  }
  core_.channels().count_waiting(-static_cast<std::ptrdiff_t>(waiting.size()));
  for (auto& promise : waiting) promise.set_error(error);
}

template <class T>
bool ChannelState<T>::cancel(base::Token token) noexcept {
  bool is_found = false;
  const std::lock_guard guard(mutex_);
  visit_all([&](std::uint64_t /*generation*/, Place& place) {
    if (!is_awaited(place, token)) return;
    place.template emplace<std::monostate>();
    is_found = true;
  });
  return is_found;
}

template <class T>
std::optional<std::string> ChannelState<T>::describe(base::Token token) const {
  const std::lock_guard guard(mutex_);
  const auto in_words = [&](std::uint64_t generation) { return std::optional("the value of " + text(generation)); };
  for (std::uint64_t g = first_; g < first_ + near; ++g) {
    if (is_awaited(near_[g % near], token)) return in_words(g);
  }
  for (const auto& [generation, place] : far_) {
    if (is_awaited(place, token)) return in_words(generation);
  }
  return std::nullopt;
}

}  // namespace tacit::actions::detail
