// Random graphs whose tasks await operations, and fail, on several workers against their serial execution.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "properties.hpp"
#include "random_graph.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::tasks {
namespace property_awaits_test {
namespace {

using namespace testing;

constexpr Cases awaits_cases{.quick = 1000, .all = 12'000};
constexpr Cases failures_cases{.quick = 500, .all = 8'000};

/// Operations end when they have been asked for a few times, and tell so before anybody else hears of it.
class PolledSource final : public base::CompletionSource {
 public:
  class Listener {
   public:
    virtual void ended(std::size_t task) = 0;

   protected:
    ~Listener() = default;
  };
  PolledSource() : descriptor_(::eventfd(1, EFD_NONBLOCK | EFD_CLOEXEC)) {}
  ~PolledSource() override { ::close(descriptor_); }

  void listen(Listener* listener) { listener_ = listener; }
  void post(base::Token token, std::size_t polls, std::size_t task, std::int32_t error) {
    const std::lock_guard guard(mutex_);
    operations_.push_back({{.token = token, .error = error}, polls, task});
  }
  [[nodiscard]] std::size_t outstanding() const {
    const std::lock_guard guard(mutex_);
    return operations_.size();
  }

  [[nodiscard]] std::string_view name() const override { return "polled"; }
  std::size_t poll(std::span<base::Completion> completions) override {
    const std::lock_guard guard(mutex_);
    std::size_t count = 0;
    std::erase_if(operations_, [&](Operation& operation) {
      if (count == completions.size() || operation.polls-- > 0) return false;
      completions[count++] = operation.completion;
      if (operation.completion.error == 0) listener_->ended(operation.task);
      return true;
    });
    return count;
  }
  /// Always raised, so that the polling thread never sleeps long.
  [[nodiscard]] int descriptor() const override { return descriptor_; }
  void cancel(base::Token token) override {
    const std::lock_guard guard(mutex_);
    std::erase_if(operations_, [&](const Operation& operation) { return operation.completion.token == token; });
  }

 private:
  struct Operation {
    base::Completion completion;
    std::size_t polls = 0;
    std::size_t task = 0;
  };
  int descriptor_;
  Listener* listener_ = nullptr;
  mutable std::mutex mutex_;
  std::vector<Operation> operations_;
};

/// What the tasks of a plan await, and which of them fails.
struct Script {
  struct Task {
    std::vector<std::size_t> polls;  ///< of each operation
  };
  std::vector<Task> tasks;
};

Script random_script(Random& random, const Plan& plan) {
  Script script;
  for (std::size_t i = 0; i < plan.tasks.size(); ++i) {
    Script::Task task;
    const std::size_t awaits = draw(random, 2) == 0 ? 0 : draw(random, 4);
    for (std::size_t k = 0; k < awaits; ++k) task.polls.push_back(draw(random, 4));
    script.tasks.push_back(std::move(task));
  }
  return script;
}

/// How a run is to fail: this task throws, or its first operation ends with an error if it has any.
struct Failure {
  std::size_t task = 0;
  bool of_operation = false;
};

/// Runs the graph of `made` with the work of `plan`, again and again.
class Trial final : PolledSource::Listener {
 public:
  Trial(const Plan& plan, const Plan& made, Conflicts conflicts, const Script& script, const std::vector<TaskId>& part)
      : plan_(&plan),
        script_(&script),
        serial_(plan),
        left_(plan.tasks.size()),
        graph_(make_graph(made, conflicts,
                          [this](std::size_t t) { return [this, t](StepContext& step) { run_task(t, step); }; })) {
    graph_.activate(part, activation_);
    for (const TaskId task : part) serial_.run(static_cast<std::size_t>(task));
  }

  /// What one run does that it should not. A run that is to fail must.
  std::string difference_on(Scheduler& scheduler, PolledSource& source, std::optional<Failure> failure = {}) {
    Model model(*plan_);
    model_ = &model;
    source_ = &source;
    failure_ = failure;
    source.listen(this);
    for (std::size_t t = 0; t < left_.size(); ++t) left_[t] = static_cast<int>(script_->tasks[t].polls.size());
    bool has_failed = false;
    try {
      scheduler.run(graph_, activation_, {});
    } catch (const base::Error&) {
      has_failed = true;
    }
    if (has_failed != failure.has_value()) return has_failed ? "an error from nowhere" : "no error";
    if (source.outstanding() > 0) return "operations left over";
    if (failure) return model.has_overlaps() ? "overlapping accesses" : "";
    return model.difference(serial_);
  }

 private:
  void run_task(std::size_t t, StepContext& step) {
    const Script::Task& task = script_->tasks[t];
    const bool fails = failure_ && failure_->task == t;
    model_->begin(t);
    for (std::size_t k = 0; k < task.polls.size(); ++k) {
      source_->post(step.await(*source_), task.polls[k], t, fails && failure_->of_operation && k == 0 ? 5 : 0);
    }
    if (fails && (!failure_->of_operation || task.polls.empty())) {
      if (task.polls.empty()) model_->abandon(t);  // others may start, if they were about to
      throw base::FormatError("gas.hdf5", "too short");
    }
    if (task.polls.empty()) model_->end(t);
  }
  /// The effects of a task that awaits show at the end of the last operation, so a task that starts before is found
  /// out.
  void ended(std::size_t t) override {
    if (--left_[t] == 0) model_->end(t);
  }

  const Plan* plan_;
  const Script* script_;
  Model serial_;
  Model* model_ = nullptr;
  PolledSource* source_ = nullptr;
  std::optional<Failure> failure_;
  std::vector<std::atomic<int>> left_;  // per task: operations that have not ended
  Graph graph_;
  Activation activation_;
};

/// Schedulers of several sizes that poll in several ways.
struct Machines {
  struct Machine {
    explicit Machine(const SchedulerOptions& options) : scheduler(options, recorder) { scheduler.attach(source); }
    ~Machine() { scheduler.detach(source); }
    trace::Recorder recorder{3, 64};
    PolledSource source;
    Scheduler scheduler;
  };
  Machine one{{.workers = 1}};
  Machine two{{.workers = 2}};
  Machine three{{.workers = 3, .polling = Polling::one_worker}};
  Machine beside{{.workers = 2, .polling = Polling::thread}};
  [[nodiscard]] std::array<Machine*, 4> all() { return {&one, &two, &three, &beside}; }
};

TEST(TasksProperty, AwaitingTasksGiveWhatSerialExecutionGives) {
  for (const Conflicts conflicts : {Conflicts::any_order, Conflicts::ordered}) {
    Machines machines;
    for_all(21 + static_cast<std::uint64_t>(conflicts), {awaits_cases.quick / 2, awaits_cases.all / 2},
            [&](Random& random) {
              const Plan plan = random_plan(random, 8, 24);
              const Script script = random_script(random, plan);
              Trial trial(plan, plan, conflicts, script, random_part(random, plan));
              for (Machines::Machine* machine : machines.all()) {
                ASSERT_EQ(trial.difference_on(machine->scheduler, machine->source), "")
                    << "on " << machine->scheduler.workers() << " workers";
              }
            });
  }
}

/// One run fails at a random place; the next one on the same activation must not notice.
TEST(TasksProperty, FailuresLeaveNothingBehind) {
  Machines machines;
  for_all(23, failures_cases, [&](Random& random) {
    const Plan plan = random_plan(random, 8, 24);
    const Script script = random_script(random, plan);
    const std::vector<TaskId> part = random_part(random, plan);
    if (part.empty()) return;
    Trial trial(plan, plan, Conflicts::any_order, script, part);
    for (Machines::Machine* machine : machines.all()) {
      const Failure failure{.task = static_cast<std::size_t>(part[draw(random, part.size())]),
                            .of_operation = draw(random, 2) == 0};
      ASSERT_EQ(trial.difference_on(machine->scheduler, machine->source, failure), "")
          << "in the run that fails on " << machine->scheduler.workers() << " workers";
      ASSERT_EQ(trial.difference_on(machine->scheduler, machine->source), "")
          << "after the failure on " << machine->scheduler.workers() << " workers";
    }
  });
}

/// On one worker, so that no sanitizer sees a race.
TEST(TasksPropertyMutant, AnAccessLessIsNoticedAmongAwaits) {
  Machines machines;
  int orders = 0;
  int overlaps = 0;
  for_all(24, {.quick = 200, .all = 200}, [&](Random& random) {
    const Plan plan = random_plan(random, 8, 24);
    const Plan mutant = with_one_access_less(random, plan);
    const Script script = random_script(random, plan);
    Trial trial(plan, mutant, Conflicts::any_order, script, random_part(random, plan));
    const std::string difference = trial.difference_on(machines.one.scheduler, machines.one.source);
    if (difference == "overlapping accesses") {
      ++overlaps;
    } else if (!difference.empty()) {
      ++orders;
    }
  });
  EXPECT_GT(orders, 0);
  EXPECT_GT(overlaps, 0);
}

TEST(TasksPropertyMutant, AFailureThatDoesNotComeIsNoticed) {
  Machines machines;
  Plan plan;
  plan.parents = {DatumId::none};
  plan.tasks = {{.accesses = {}}, {.accesses = {}}};
  const Script script{.tasks = {{}, {}}};
  Trial trial(plan, plan, Conflicts::any_order, script, {TaskId{0}});
  Machines::Machine& one = machines.one;
  EXPECT_EQ(trial.difference_on(one.scheduler, one.source, Failure{.task = 0}), "");
  EXPECT_EQ(trial.difference_on(one.scheduler, one.source, Failure{.task = 1}), "no error") << "it is not active";
}

}  // namespace
}  // namespace property_awaits_test
}  // namespace tacit::tasks
