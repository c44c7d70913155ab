// A source whose operations end when the test has said, so that every delay and every outcome is imposed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <ctime>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tacit/base/clock.hpp"
#include "tacit/base/completion.hpp"
#include "tacit/base/ticks.hpp"
#include "tacit/tasks/scheduler.hpp"

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

  /// Begins to count anew: the next one that is posted is from rank 0.
  void forget() {
    const std::lock_guard guard(mutex_);
    posted_.clear();
    cancelled_.clear();
    handed_out_.clear();
  }

  /// In the order of the calls.
  [[nodiscard]] std::vector<base::Token> posted() const { return copy(posted_); }
  [[nodiscard]] std::vector<base::Token> cancelled() const { return copy(cancelled_); }
  [[nodiscard]] std::size_t outstanding() const {
    const std::lock_guard guard(mutex_);
    return operations_.size();
  }

  /// When they were handed out, in base::ticks().
  [[nodiscard]] std::vector<std::int64_t> handed_out() const { return copy(handed_out_); }
  /// How often a worker has asked so far; the polling thread is the one after the last. A worker asks for nothing while
  /// it is in a task, so when one that was going to throw asks again, the scheduler knows of its failure.
  [[nodiscard]] std::uint64_t polls(std::size_t worker) const { return polls_[worker].load(); }
  /// How often the polling thread has asked whether it may sleep on the descriptor.
  [[nodiscard]] std::uint64_t arms() const { return arms_.load(); }
  /// Waits for the next time that a worker asks.
  void await_poll(std::size_t worker) const {
    for (const std::uint64_t before = polls(worker); polls(worker) == before;) std::this_thread::yield();
  }

  [[nodiscard]] std::string_view name() const override { return name_; }
  std::size_t poll(std::span<base::Completion> completions) override {
    ++polls_[Scheduler::current() != nullptr ? Scheduler::current_worker() : 0];  // at the end of a run it is none
    const std::lock_guard guard(mutex_);
    const std::int64_t now = base::now_ns();
    std::size_t count = 0;
    while (count < completions.size() && !operations_.empty() && operations_.begin()->first <= now) {
      completions[count++] = operations_.begin()->second;
      handed_out_.push_back(base::ticks());
      operations_.erase(operations_.begin());
    }
    if (count > 0) set_timer();
    return count;
  }
  [[nodiscard]] int descriptor() const override { return timer_; }
  [[nodiscard]] bool arm() override {
    ++arms_;
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
  std::vector<std::int64_t> handed_out_;
  std::array<std::atomic<std::uint64_t>, 16> polls_{};
  std::atomic<std::uint64_t> arms_ = 0;
};

}  // namespace tacit::tasks::testing
