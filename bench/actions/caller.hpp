// A rank that calls and is called: its worker, its actions, and the objects that count what has come.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "tacit/actions/channel.hpp"
#include "tacit/comm/communicator.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::bench {

/// Is called; one of each rank, its first object.
class Callee {
 public:
  void count(std::uint64_t value) {
    ++count_;
    sum_ += value;
  }
  /// Works for a while now and then.
  void count_slowly(std::uint64_t value);
  [[nodiscard]] std::uint64_t answer(std::uint64_t value) {
    ++count_;
    return value + 1;
  }
  [[nodiscard]] std::vector<std::uint64_t> give_back(std::vector<std::uint64_t> values) {
    ++count_;
    return values;
  }
  [[nodiscard]] std::uint64_t counted() const noexcept { return count_; }

 private:
  std::uint64_t count_ = 0;
  std::uint64_t sum_ = 0;
};

/// The same, as an object that can move; the second object of each rank.
class MovableCallee : public actions::Movable {
 public:
  void count(std::uint64_t value) {
    ++count_;
    sum_ += value;
  }
  [[nodiscard]] std::uint64_t counted() const noexcept { return count_; }
  static constexpr auto record() noexcept {
    return base::record("callee", base::member("count", &MovableCallee::count_),
                        base::member("sum", &MovableCallee::sum_));
  }

 private:
  std::uint64_t count_ = 0;
  std::uint64_t sum_ = 0;
};

class Caller {
 public:
  explicit Caller(comm::Communicator& world);
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

  [[nodiscard]] comm::Communicator& world() noexcept { return actions_.world(); }
  [[nodiscard]] actions::Actions& actions() noexcept { return actions_; }
  [[nodiscard]] tasks::Scheduler& scheduler() noexcept { return scheduler_; }
  [[nodiscard]] bool begins() const noexcept { return begins_; }
  [[nodiscard]] comm::RankId other() const noexcept { return comm::RankId{begins_ ? 1U : 0U}; }
  [[nodiscard]] Callee& callee() noexcept { return *callee_; }
  [[nodiscard]] MovableCallee& movable() noexcept { return *movable_; }
  [[nodiscard]] actions::Handle<Callee> others() const noexcept { return {other(), 1}; }
  [[nodiscard]] actions::Handle<MovableCallee> others_movable() const noexcept { return {other(), 2}; }

  /// Runs what the other rank calls, until `done`, and answers have gone.
  void serve_until(const std::function<bool()>& done) {
    scheduler_.work_until([&] { return done() && actions_.waiting_bytes() == 0; });
  }
  /// Runs a coroutine to its end.
  void run(tasks::Task<> task) { tasks::spawn(scheduler_, std::move(task)).get(); }

 private:
  static actions::Table table();
  trace::Recorder recorder_{1, 64};
  tasks::Scheduler scheduler_{1, recorder_};
  bool begins_;
  actions::Actions actions_;
  std::shared_ptr<Callee> callee_;
  std::shared_ptr<MovableCallee> movable_;
};

}  // namespace tacit::bench
