// A source whose operations end when the test has said, so that every delay and every outcome is imposed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tacit/base/clock.hpp"
#include "tacit/base/completion.hpp"

namespace tacit::tasks::testing {

/// Operations end a given time after they were posted, or when `finish` is called. Safe for threads.
class FakeSource final : public base::CompletionSource {
 public:
  enum class Descriptor : std::uint8_t { none, timer };
  static constexpr double never = std::numeric_limits<double>::infinity();

  explicit FakeSource(std::string name = "fake", Descriptor descriptor = Descriptor::none) : name_(std::move(name)) {
    if (descriptor == Descriptor::timer) timer_ = ::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  }
  ~FakeSource() override {
    if (timer_ >= 0) ::close(timer_);
  }

  /// @param delay_s  until it ends; never: `finish` ends it
  /// @param error    how it ends
  /// @param alone_s  what it says to take alone
  void post(base::Token token, double delay_s = never, std::int32_t error = 0, double alone_s = 0.0) {
    const std::lock_guard guard(mutex_);
    const std::int64_t due = delay_s < never ? base::now_ns() + static_cast<std::int64_t>(1e9 * delay_s) : no_time;
    operations_.emplace(due, base::Completion{.token = token, .error = error, .alone_s = static_cast<float>(alone_s)});
    posted_.push_back(token);
    set_timer();
  }
  /// Ends an operation at once.
  void finish(base::Token token, std::int32_t error = 0) {
    const std::lock_guard guard(mutex_);
    const auto found = find(token);
    if (found == operations_.end()) return;
    base::Completion completion = found->second;
    completion.error = error;
    operations_.erase(found);
    operations_.emplace(0, completion);
    set_timer();
  }
  /// Whether cancelled operations end all the same, as a network's may.
  void keep_cancelled() {
    const std::lock_guard guard(mutex_);
    keeps_cancelled_ = true;
  }

  /// In the order of the calls.
  [[nodiscard]] std::vector<base::Token> posted() const { return copy(posted_); }
  [[nodiscard]] std::vector<base::Token> cancelled() const { return copy(cancelled_); }
  [[nodiscard]] std::size_t outstanding() const {
    const std::lock_guard guard(mutex_);
    return operations_.size();
  }

  [[nodiscard]] std::string_view name() const override { return name_; }
  std::size_t poll(std::span<base::Completion> completions) override {
    const std::lock_guard guard(mutex_);
    const std::int64_t now = base::now_ns();
    std::size_t count = 0;
    while (count < completions.size() && !operations_.empty() && operations_.begin()->first <= now) {
      completions[count++] = operations_.begin()->second;
      operations_.erase(operations_.begin());
    }
    if (count > 0) set_timer();
    return count;
  }
  [[nodiscard]] int descriptor() const override { return timer_; }
  [[nodiscard]] bool arm() override {
    const std::lock_guard guard(mutex_);
    return operations_.empty() || operations_.begin()->first > base::now_ns();
  }
  void cancel(base::Token token) override {
    const std::lock_guard guard(mutex_);
    cancelled_.push_back(token);
    const auto found = find(token);
    if (found != operations_.end() && !keeps_cancelled_) operations_.erase(found);
  }
  [[nodiscard]] std::string describe(base::Token token) const override {
    const std::lock_guard guard(mutex_);
    const auto place = std::find(posted_.begin(), posted_.end(), token) - posted_.begin();
    return "64 kB from rank " + std::to_string(place);  // the first that was posted is from rank 0
  }
  [[nodiscard]] std::string explain(const base::Completion& completion) const override {
    return "rank " + std::to_string(completion.error) + " is gone";
  }

 private:
  static constexpr std::int64_t no_time = std::numeric_limits<std::int64_t>::max();
  using Operations = std::multimap<std::int64_t, base::Completion>;  // by when they end [ns]

  template <class T>
  [[nodiscard]] T copy(const T& values) const {
    const std::lock_guard guard(mutex_);
    return values;
  }
  [[nodiscard]] Operations::iterator find(base::Token token) {
    return std::find_if(operations_.begin(), operations_.end(),
                        [token](const auto& entry) { return entry.second.token == token; });
  }
  /// Raises the descriptor when the next operation ends; not before.
  void set_timer() {
    if (timer_ < 0) return;
    ::itimerspec when{};  // all zero: off
    if (!operations_.empty() && operations_.begin()->first < no_time) {
      const std::int64_t due = std::max<std::int64_t>(operations_.begin()->first, 1);
      when.it_value.tv_sec = static_cast<std::time_t>(due / 1'000'000'000);
      when.it_value.tv_nsec = static_cast<long>(due % 1'000'000'000);
    }
    ::timerfd_settime(timer_, TFD_TIMER_ABSTIME, &when, nullptr);
  }

  std::string name_;
  int timer_ = -1;
  mutable std::mutex mutex_;
  bool keeps_cancelled_ = false;
  Operations operations_;
  std::vector<base::Token> posted_;
  std::vector<base::Token> cancelled_;
};

}  // namespace tacit::tasks::testing
