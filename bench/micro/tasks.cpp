// The figures of `tacit bench tasks`, in the order in which they are measured.
// SPDX-License-Identifier: Apache-2.0
#include "micro/tasks.hpp"

#include <fmt/format.h>

#include <vector>

#include "micro/own.hpp"
#include "micro/team.hpp"
#include "micro/two_threads.hpp"
#include "tacit/base/random.hpp"

namespace tacit::bench {
namespace {

constexpr std::string_view help =
    R"(Times are wall time per task, iteration or operation in ns, the median of 11 samples; min and max are given, too.
All contestants take turns, each on a thread of its own; each runs once untimed before every sample. Their workers are
bound to processors where each can have one. Task bodies are empty (a load, a branch and a register that must hold the
task's number) unless a length is named. Before anything is timed, one run is checked: every task ran once, in an order
that its edges allow, alone on its locked data. Ours records its trace throughout. The reference is the best peer.
_1t_ and _2t_: with one and two threads, the calling one included (with Taskflow it waits).
oneTBB light: flow graphs with its lightweight policy, which calls a short body where its last predecessor ends, without
a task; nothing else of oneTBB has it.

  graph_reused    16384 independent tasks in a graph that is built once and run again
  stencil_reused  64 x 100 tasks, each after three neighbours of the row before; built once and run again
  wavefront       128 x 128 tasks, (i, j) after (i-1, j) and (i, j-1); built once and run again (OpenMP: for each run)
  build           the graph of wavefront from nothing (data, tasks with accesses, edges) until it can run, per task
  two_locks       16384 independent tasks, each alone on 2 of 64 data chosen at random: commuting accesses (OpenMP:
                  mutexinoutset, created for each run; oneTBB: spin mutexes in a graph that is used again)
  spawn           16384 tasks spawned by one task, which waits for them
  fib             fib(n) spawns fib(n-1), calls fib(n-2) and waits; n = 20; per spawn
  loop_static_C, loop_dynamic_C   a loop of 100000 empty iterations in chunks of C; per iteration
                  (oneTBB: C is the grain; its static partitioner makes one piece per thread, whatever C is)
  loop_start_*    a loop of two iterations; per loop
  efficiency_*    1024 busy loops of 1 us (or 5120 of 200 ns) as independent tasks of a graph or spawned: time of the
                  bare loops over 2 x wall time
  inactive_task   a graph of 100 tasks in each of 10000 cells, of which 1 % of the cells is activated by a list and run:
                  time beyond that of a graph of just these tasks, per task left out; _by_kind: 1 of 100 kinds
  then_link       a chain of 20000 futures, each of which continues the one before; per link, made and run
  await           a coroutine that makes, awaits and ends 20000 others, one after the other; per co_await
  await_deep      a chain of 20000 coroutines, each of which awaits the next; per coroutine
  reschedule      a coroutine that goes through the queue of the scheduler 20000 times; per co_await
  poll_S_2t_ns    8192 empty tasks while an operation is outstanding, its source polled between any two tasks, beyond
                  the same without an operation: workers' time per poll, for each setting S of who polls
  poll_S_slowdown   8192 tasks of 1 us with over without an outstanding operation, polled as usual (every 50 us; a
                  thread of its own sleeps on the source's descriptor): ratio of the wall times
  trace_task      what the trace adds to a task that has a time stamp of its own, beyond an empty loop; the limit is
                  what a stamp takes and 6 ns. trace_short_task: the same where blocks of short tasks share a stamp
  ticks           reading the counter of the trace, beside the steady clock
  two_threads_vs_one_*   time of ours with one worker over that with two, for the workload of that name; without a name
                  the least of all. Loops that one worker takes as a whole, those in chunks of 1, are not among them
)";

Grid square(const Session& session) {
  const auto side = static_cast<std::uint32_t>(session.size(128, 6));
  return {side, side};
}

std::uint32_t task_count(const Session& session) { return static_cast<std::uint32_t>(session.size(16384, 50)); }

Comparison independent(const Session& session, std::string name) {
  const std::uint32_t tasks = task_count(session);
  return {.name = std::move(name),
          .make = [tasks](Runtime& runtime, const Body& body) { return runtime.independent(body, tasks); },
          .operations = static_cast<double>(tasks),
          .runs_per_sample = 8,
          .expectation = {.tasks = tasks}};
}

Comparison wavefront(const Session& session, std::string name) {
  const Grid grid = square(session);
  return {.name = std::move(name),
          .make = [grid](Runtime& runtime, const Body& body) { return runtime.wavefront(body, grid); },
          .operations = static_cast<double>(grid.size()),
          .expectation = {.tasks = grid.size(), .order = wavefront_order(grid)}};
}

Comparison stencil(const Session& session) {
  const Grid grid{static_cast<std::uint32_t>(session.size(100, 5)), static_cast<std::uint32_t>(session.size(64, 7))};
  return {.name = "stencil_reused_2t_ns",
          .make = [grid](Runtime& runtime, const Body& body) { return runtime.stencil(body, grid); },
          .operations = static_cast<double>(grid.size()),
          .runs_per_sample = 8,
          .expectation = {.tasks = grid.size(), .order = stencil_order(grid)}};
}

Comparison build(const Session& session) {
  const Grid grid = square(session);
  return {.name = "build_2t_ns",
          .make = [grid](Runtime& runtime, const Body& body) { return runtime.build_wavefront(body, grid); },
          .operations = static_cast<double>(grid.size()),
          .limit = 50.0};
}

/// Two different data for each task.
std::vector<Pair> random_locks(std::uint32_t tasks, std::uint32_t data) {
  constexpr std::uint64_t seed = 3;
  std::vector<Pair> locks;
  for (std::uint32_t task = 0; task < tasks; ++task) {
    const auto first = static_cast<std::uint32_t>(base::uniform(seed, task, 0) * data);
    const auto offset = 1 + static_cast<std::uint32_t>(base::uniform(seed, task, 1) * (data - 1));
    locks.emplace_back(first, (first + offset) % data);
  }
  return locks;
}

Comparison two_locks(const Session& session) {
  constexpr std::uint32_t data = 64;
  const std::uint32_t tasks = task_count(session);
  auto locks = random_locks(tasks, data);
  return {.name = "two_locks_2t_ns",
          .make = [locks](Runtime& runtime, const Body& body) { return runtime.two_locks(body, locks, data); },
          .operations = static_cast<double>(tasks),
          .expectation = {.tasks = tasks, .locks = locks, .data = data},
          .limit = 60.0};
}

Comparison spawn(const Session& session, std::string name) {
  const std::uint32_t tasks = task_count(session);
  return {.name = std::move(name),
          .make = [tasks](Runtime& runtime, const Body& body) { return runtime.spawn(body, tasks); },
          .operations = static_cast<double>(tasks),
          .expectation = {.tasks = tasks}};
}

Comparison fib(const Session& session) {
  const auto n = static_cast<std::uint32_t>(session.size(20, 6));
  return {.name = "fib_2t_ns",
          .make = [n](Runtime& runtime, const Body& body) { return runtime.fib(body, n); },
          .operations = static_cast<double>(fib_spawns(n)),
          .expectation = {.calls = fib_spawns(n)}};
}

Comparison loop(std::string name, LoopShape shape) {
  return {.name = std::move(name),
          .make = [shape](Runtime& runtime, const Body& body) { return runtime.loop(body, shape); },
          .operations = static_cast<double>(shape.iterations),
          .expectation = {.tasks = shape.iterations}};
}

Comparison loop_start(std::string name, Chunks chunks) {
  constexpr std::size_t loops = 500;
  const LoopShape shape{.iterations = 2, .chunks = chunks, .chunk = 1};
  return {.name = std::move(name),
          .make = [shape](Runtime& runtime, const Body& body) { return repeated(runtime.loop(body, shape), loops); },
          .operations = static_cast<double>(loops),
          .expectation = {.calls = loops * shape.iterations}};
}

void compare_loops(Session& session, Team& team) {
  const auto iterations = static_cast<std::uint32_t>(session.size(100'000, 300));
  for (const std::uint32_t chunk : {1U, 64U}) {
    const std::string tail = fmt::format("_{}_2t_ns", chunk);
    team.compare(session, loop("loop_static" + tail, {iterations, Chunks::fixed, chunk}));
    team.compare(session, loop("loop_dynamic" + tail, {iterations, Chunks::dynamic, chunk}));
  }
  team.compare(session, loop_start("loop_start_static_2t_ns", Chunks::fixed));
  team.compare(session, loop_start("loop_start_dynamic_2t_ns", Chunks::dynamic));
}

void compare_efficiencies(Session& session, Team& team) {
  struct Length {
    const char* name;
    double seconds;
    std::size_t tasks;
  };
  for (const Length length : {Length{"1us", 1e-6, 1024}, Length{"200ns", 2e-7, 5120}}) {
    const auto tasks = static_cast<std::uint32_t>(session.size(length.tasks, 20));
    Comparison graph = independent(session, fmt::format("efficiency_graph_{}", length.name));
    graph.make = [tasks](Runtime& runtime, const Body& body) { return runtime.independent(body, tasks); };
    graph.expectation.tasks = tasks;
    graph.operations = static_cast<double>(tasks);
    team.compare_efficiency(session, graph, length.seconds);
    Comparison spawned = spawn(session, fmt::format("efficiency_spawn_{}", length.name));
    spawned.make = [tasks](Runtime& runtime, const Body& body) { return runtime.spawn(body, tasks); };
    spawned.expectation.tasks = tasks;
    spawned.operations = static_cast<double>(tasks);
    team.compare_efficiency(session, spawned, length.seconds);
  }
}

Comparison with_limit(Comparison comparison, double limit) {
  comparison.limit = limit;
  return comparison;
}

void run_with_two(Session& session) {
  Team team(2);
  team.introduce(session);
  team.compare(session, with_limit(independent(session, "graph_reused_2t_ns"), 25.0));
  team.compare(session, stencil(session));
  team.compare(session, with_limit(wavefront(session, "wavefront_2t_ns"), 35.0));
  team.compare(session, build(session));
  team.compare(session, two_locks(session));
  team.compare(session, with_limit(spawn(session, "spawn_2t_ns"), 30.0));
  team.compare(session, fib(session));
  compare_loops(session, team);
  compare_efficiencies(session, team);
}

void run_with_one(Session& session) {
  Team team(1);
  team.compare(session, independent(session, "graph_reused_1t_ns"));
  team.compare(session, wavefront(session, "wavefront_1t_ns"));
}

/// What a second worker must not make slower.
std::vector<Comparison> for_one_and_two(const Session& session) {
  const auto iterations = static_cast<std::uint32_t>(session.size(100'000, 300));
  return {independent(session, "graph_reused_2t_ns"),
          stencil(session),
          wavefront(session, "wavefront_2t_ns"),
          build(session),
          two_locks(session),
          spawn(session, "spawn_2t_ns"),
          fib(session),
          loop("loop_static_64_2t_ns", {iterations, Chunks::fixed, 64}),
          loop("loop_dynamic_64_2t_ns", {iterations, Chunks::dynamic, 64})};
}

void run(Session& session) {
  run_with_two(session);
  run_with_one(session);
  measure_inactive(session);
  measure_coroutines(session);
  measure_polling(session);
  measure_tracing(session);
  measure_ticks(session);
  measure_two_threads(session, for_one_and_two(session));
}

}  // namespace

Benchmark tasks_benchmark() {
  return {"tasks", "graphs, spawned tasks, loops and coroutines beside oneTBB, OpenMP and Taskflow", help, run};
}

}  // namespace tacit::bench
