// The code of docs/guide/tasks.md, which quotes it from here (tools/check_docs.py holds the two together), and runs it.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <mutex>
#include <numeric>
#include <regex>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/base/clock.hpp"
#include "tacit/tasks/graph.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::tasks::task_guide {

namespace {

/// rhs_i = u_(i-1) - u_i, with the last value of `left` before the first.
void upwind(std::span<const double> left, std::span<const double> u, std::span<double> rhs) {
  double before = left.back();
  for (std::size_t i = 0; i < u.size(); ++i) {
    rhs[i] = before - u[i];
    before = u[i];
  }
}

void add_scaled(std::span<const double> rhs, double dt, std::span<double> u) {
  for (std::size_t i = 0; i < u.size(); ++i) u[i] += dt * rhs[i];
}

double sum_of(std::span<const double> values) { return std::accumulate(values.begin(), values.end(), 0.0); }

// ---- a graph -------------------------------------------------------------------------------------------------------

using Values = std::span<double>;

/// A piece of a ring: its values, and the handles by which tasks reach them.
struct Block {
  std::vector<double> u_memory = std::vector<double>(100, 1.0);
  std::vector<double> rhs_memory = std::vector<double>(100);
  Data<Values> u;
  Data<Values> rhs;
};

/// One step of du/dt = -du/dx on a ring of blocks:
///
///     rhs[c] --> advance[c]             rhs[c] reads u of c - 1 and c, and advance writes them
///           `--> advance[c - 1]
Graph build_step(std::vector<Block>& blocks) {
  Graph graph;
  for (Block& block : blocks) {
    block.u = graph.add_data<Values>();
    block.rhs = graph.add_data<Values>();
    block.u.bind(block.u_memory);
    block.rhs.bind(block.rhs_memory);
  }
  for (std::uint32_t c = 0; c < blocks.size(); ++c) {
    const Block& left = blocks[(c + blocks.size() - 1) % blocks.size()];
    const Block& block = blocks[c];
    graph.add(
        "rhs", reads(left.u, block.u), writes(block.rhs),
        [&left, &block](StepContext& step) { upwind(step.read(left.u), step.read(block.u), step.write(block.rhs)); },
        {.cost = 2.0, .key = c});
  }
  for (std::uint32_t c = 0; c < blocks.size(); ++c) {
    const Block& block = blocks[c];
    graph.add("advance", reads(block.rhs), writes(block.u),
              [&block](StepContext& step) { add_scaled(step.read(block.rhs), step.dt, step.write(block.u)); },
              {.key = c});
  }
  return graph;
}

TEST(TaskGuide, AGraphRuns) {
  std::vector<Block> blocks(8);
  blocks[0].u_memory[0] = 2.0;
  trace::Recorder recorder(2);
  Scheduler scheduler(2, recorder);
  Graph graph = build_step(blocks);
  Activation all = graph.activate_all();
  StepContext step;
  step.dt = 0.5;
  for (step.step = 0; step.step < 100; ++step.step) {
    scheduler.run(graph, all, step);
    step.time += step.dt;
  }
  const auto u = blocks[3].u_memory;

  const std::array kinds{graph.kind("rhs")};
  Activation only_rhs = graph.activate(kinds);
  scheduler.run(graph, only_rhs, step);

  EXPECT_EQ(only_rhs.size(), blocks.size());
  EXPECT_EQ(blocks[3].u_memory, u);

  graph.learn_costs(all);
  all = graph.activate_all();

  scheduler.run(graph, all, step);
  double total = 0.0;
  for (const Block& block : blocks) total += sum_of(block.u_memory);
  // What leaves one value enters the next. Each of 101 steps rounds each of 800 values, all below 2, by at most
  // 2.3e-16 (difference and sum): 1.9e-11. The sums here round 800 times values below 128, by at most 7.2e-15: 0.6e-11.
  EXPECT_NEAR(total, 801.0, 2.5e-11);
}

// ---- sums, parts, places -------------------------------------------------------------------------------------------

TEST(TaskGuide, Commuting) {
  std::vector<double> memory(1);
  std::vector<Block> blocks(8);
  trace::Recorder recorder(2);
  Scheduler scheduler(2, recorder);
  Graph graph(Conflicts::ordered);
  Data<Values> total = graph.add_data<Values>();
  total.bind(memory);
  for (std::uint32_t c = 0; c < blocks.size(); ++c) {
    Block& block = blocks[c];
    block.u = graph.add_data<Values>();
    block.u.bind(block.u_memory);
    graph.add("sum", reads(block.u), commutes(total),
              [&block, &total](StepContext& step) { step.write(total)[0] += sum_of(step.read(block.u)); }, {.key = c});
  }
  Activation all = graph.activate_all();
  scheduler.run(graph, all, {});
  EXPECT_EQ(memory[0], 800.0);
}

TEST(TaskGuide, PartsAndPlaces) {
  std::vector<Block> blocks(8);
  trace::Recorder recorder(2);
  Scheduler scheduler(2, recorder);
  Graph graph;
  const DatumId domain = graph.add_datum();
  for (std::size_t c = 0; c < blocks.size(); ++c) {
    Block& block = blocks[c];
    block.u = graph.add_data<Values>(domain);
    block.u.bind(block.u_memory);
    graph.set_place(block.u.id(), static_cast<double>(c) / static_cast<double>(blocks.size()));
    graph.add("fill", writes(block.u), [&block](StepContext& step) { step.write(block.u)[0] = 7.0; });
  }
  double seen = 0.0;
  graph.add("look", reads(domain), [&blocks, &seen](StepContext& step) {
    for (const Block& block : blocks) seen += step.read(block.u)[0];
  });
  Activation all = graph.activate_all();
  scheduler.run(graph, all, {});
  EXPECT_EQ(seen, 56.0);
}

// ---- what finishes later -------------------------------------------------------------------------------------------

/// Operations that finish after a time of their own.
class Timer final : public base::CompletionSource {
 public:
  /// Starts one; from any thread.
  void start(base::Token token, double seconds) {
    const std::lock_guard guard(mutex_);
    running_.push_back({token, base::now_ns() + static_cast<std::int64_t>(1e9 * seconds)});
  }

  [[nodiscard]] std::string_view name() const override { return "timer"; }

  std::size_t poll(std::span<base::Completion> completions) override {
    const std::lock_guard guard(mutex_);
    const std::int64_t now = base::now_ns();
    std::size_t count = 0;
    std::erase_if(running_, [&](const Running& one) {
      if (now < one.end_ns || count == completions.size()) return false;
      completions[count++] = {.token = one.token};
      return true;
    });
    return count;
  }

  [[nodiscard]] std::string describe(base::Token) const override { return "the bell"; }

 private:
  struct Running {
    base::Token token;
    std::int64_t end_ns;
  };
  std::mutex mutex_;
  std::vector<Running> running_;
};

TEST(TaskGuide, Await) {
  trace::Recorder recorder(2);
  Scheduler scheduler(2, recorder);
  Timer timer;
  scheduler.attach(timer);
  Graph graph;
  const DatumId message = graph.add_datum();
  std::int64_t used_ns = 0;
  graph.add("receive", writes(message), [&timer](StepContext& step) { timer.start(step.await(timer), 1e-3); });
  graph.add("use", reads(message), [&used_ns](StepContext&) { used_ns = base::now_ns(); });
  Activation all = graph.activate_all();
  const std::int64_t begin_ns = base::now_ns();
  scheduler.run(graph, all, {});
  scheduler.detach(timer);
  scheduler.settle();
  EXPECT_GE(used_ns - begin_ns, 1'000'000);
  EXPECT_EQ(recorder.exposure().transfers, 1U);
}

// ---- looking at a graph and at what went wrong ---------------------------------------------------------------------

constexpr std::string_view picture = R"(
digraph tasks {
  "rhs[0]";
  "rhs[1]";
  "advance[0]";
  "advance[1]";
  "rhs[0]" -> "advance[0]";
  "rhs[0]" -> "advance[1]";
  "rhs[1]" -> "advance[0]";
  "rhs[1]" -> "advance[1]";
}
)";

TEST(TaskGuide, ThePicture) {
  std::vector<Block> blocks(2);
  const Graph graph = build_step(blocks);
  const Activation all = graph.activate_all();
  std::ostringstream out;
  graph.write_dot(out, all);
  EXPECT_EQ("\n" + out.str(), picture);
}

#if defined(TACIT_CHECKS) || !defined(NDEBUG)
constexpr std::string_view forgotten = R"(
task rhs[1] reads datum 2 without having said so
  declared: writes 1
  Add the missing access where the task is added.
)";

TEST(TaskGuide, AForgottenAccess) {
  trace::Recorder recorder(1);
  Scheduler scheduler(1, recorder);
  std::vector<Block> blocks(2);
  Graph graph;
  for (Block& block : blocks) {
    block.u = graph.add_data<Values>();
    block.rhs = graph.add_data<Values>();
  }
  graph.add("rhs", writes(blocks[0].rhs),
            [&blocks](StepContext& step) { blocks[0].rhs_memory[0] = sum_of(step.read(blocks[1].u)); }, {.key = 1});
  Activation all = graph.activate_all();
  try {
    scheduler.run(graph, all, {});
    FAIL() << "it was not noticed";
  } catch (const base::PreconditionError& error) {
    EXPECT_EQ("\n" + std::string(error.what()) + "\n", forgotten);
  }
}
#endif

constexpr std::string_view standstill = R"(
nothing has happened for 0.2 s
  task receive[3] waits for the bell on timer, posted 0.2 s ago; behind it wait use[3]
  0 of 2 tasks have ended
)";

TEST(TaskGuide, AStandstill) {
  trace::Recorder recorder(2);
  // One worker: a second one may be kept from running for that long just when it has taken a task.
  Scheduler scheduler({.workers = 1, .stall_timeout_s = 0.2}, recorder);
  Timer timer;
  scheduler.attach(timer);
  Graph graph;
  const DatumId message = graph.add_datum();
  constexpr double never_s = 1e6;
  graph.add("receive", writes(message), [&timer](StepContext& step) { timer.start(step.await(timer), never_s); },
            {.key = 3});
  graph.add("use", reads(message), [](StepContext&) {}, {.key = 3});
  Activation all = graph.activate_all();
  try {
    scheduler.run(graph, all, {});
    FAIL() << "the watchdog slept";
  } catch (const StalledError& error) {
    const std::regex age("posted [0-9.]+ s");  // a busy machine may take longer to notice
    EXPECT_EQ("\n" + std::regex_replace(error.what(), age, "posted 0.2 s") + "\n", standstill);
  }
  scheduler.detach(timer);
}

}  // namespace

}  // namespace tacit::tasks::task_guide
