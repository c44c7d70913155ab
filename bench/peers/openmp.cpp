// OpenMP as a contestant: tasks with dependences, and loops. It has no graphs to keep, so each run creates its tasks.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <omp.h>

#include <functional>

#include "framework/processors.hpp"
#include "peers/peers.hpp"

namespace tacit::bench {
namespace {

/// Runs `create` as the one task that creates all others.
template <class F>
void in_team(int workers, const F& create) {
#pragma omp parallel num_threads(workers)
#pragma omp single
  create();
}

/// @param cells  one byte per task and a border of one above and to the left, whose addresses name the dependences
void create_wavefront(const Body& body, Grid grid, char* cells) {
  const std::size_t stride = grid.columns + 1;
  for (std::uint32_t row = 0; row < grid.rows; ++row) {
    for (std::uint32_t column = 0; column < grid.columns; ++column) {
      char* const cell = cells + (row + 1) * stride + column + 1;
      char* const above = cell - stride;
      char* const left = cell - 1;
      const std::uint32_t task = grid.number(row, column);
#pragma omp task depend(in : *above, *left) depend(out : *cell) firstprivate(task) shared(body)
      body(task);
    }
  }
}

/// @param cells  two rows of columns + 2, written in turn
void create_stencil(const Body& body, Grid grid, char* cells) {
  const std::size_t stride = grid.columns + 2;
  for (std::uint32_t row = 0; row < grid.rows; ++row) {
    for (std::uint32_t column = 0; column < grid.columns; ++column) {
      char* const old = cells + (row % 2) * stride + column + 1;
      char* const left = old - 1;
      char* const right = old + 1;
      char* const cell = cells + ((row + 1) % 2) * stride + column + 1;
      const std::uint32_t task = grid.number(row, column);
#pragma omp task depend(in : *left, *old, *right) depend(out : *cell) firstprivate(task) shared(body)
      body(task);
    }
  }
}

void create_locking(const Body& body, std::span<const Pair> locks, char* data) {
  for (std::uint32_t task = 0; task < locks.size(); ++task) {
    char* const first = data + locks[task].first;
    char* const second = data + locks[task].second;
#pragma omp task depend(mutexinoutset : *first, *second) firstprivate(task) shared(body)
    body(task);
  }
}

void create_independent(const Body& body, std::uint32_t tasks) {
  for (std::uint32_t task = 0; task < tasks; ++task) {
#pragma omp task firstprivate(task) shared(body)
    body(task);
  }
#pragma omp taskwait
}

void fib(const Body& body, std::uint32_t n) {
  if (n < 2) return;
#pragma omp task firstprivate(n) shared(body)
  {
    body(n);
    fib(body, n - 1);
  }
  fib(body, n - 2);
#pragma omp taskwait
}

void run_loop(const Body& body, LoopShape shape, int workers) {
  const auto iterations = shape.iterations;
  const auto chunk = static_cast<int>(shape.chunk);
  if (shape.chunks == Chunks::fixed) {
#pragma omp parallel for num_threads(workers) schedule(static, chunk)
    for (std::uint32_t i = 0; i < iterations; ++i) body(i);
  } else {
#pragma omp parallel for num_threads(workers) schedule(dynamic, chunk)
    for (std::uint32_t i = 0; i < iterations; ++i) body(i);
  }
}

class OpenMp : public Runtime {
 public:
  explicit OpenMp(std::size_t workers) : workers_(static_cast<int>(workers)) {
    const WorkerBinder binder(workers);
    // The team keeps its threads, and their numbers, from one parallel region to the next.
#pragma omp parallel num_threads(workers_)
    binder.bind(static_cast<std::size_t>(omp_get_thread_num()));
  }

  Workload stencil(const Body& body, Grid grid) override {
    return cells(2 * (grid.columns + 2), [&body, grid](char* cells) { create_stencil(body, grid, cells); });
  }
  Workload wavefront(const Body& body, Grid grid) override {
    return cells((grid.rows + 1) * (grid.columns + 1),
                 [&body, grid](char* cells) { create_wavefront(body, grid, cells); });
  }
  Workload two_locks(const Body& body, std::span<const Pair> locks, std::uint32_t data) override {
    return cells(data, [&body, locks](char* cells) { create_locking(body, locks, cells); });
  }
  Workload spawn(const Body& body, std::uint32_t tasks) override {
    return {[this, &body, tasks] { in_team(workers_, [&] { create_independent(body, tasks); }); }};
  }
  Workload fib(const Body& body, std::uint32_t n) override {
    return {[this, &body, n] { in_team(workers_, [&] { bench::fib(body, n); }); }};
  }
  Workload loop(const Body& body, LoopShape shape) override {
    return {[this, &body, shape] { run_loop(body, shape, workers_); }};
  }

 private:
  Workload cells(std::size_t count, std::function<void(char*)> create) {
    const auto data = std::make_shared<std::vector<char>>(count);
    return {[this, data, create] { in_team(workers_, [&] { create(data->data()); }); }};
  }

  int workers_;
};

}  // namespace

std::optional<RuntimeEntry> openmp() {
  return RuntimeEntry{"OpenMP", fmt::format("{}", _OPENMP), [](std::size_t workers) -> std::unique_ptr<Runtime> {
                        return std::make_unique<OpenMp>(workers);
                      }};
}

}  // namespace tacit::bench
