// What a contestant of `tacit bench tasks` can be asked for; ours and its peers alike.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "framework/measure.hpp"
#include "micro/body.hpp"

namespace tacit::bench {

/// Tasks in rows and columns; task (row, column) has the number row * columns + column.
struct Grid {
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;
  [[nodiscard]] std::uint32_t size() const noexcept { return rows * columns; }
  [[nodiscard]] std::uint32_t number(std::uint32_t row, std::uint32_t column) const noexcept {
    return row * columns + column;
  }
};

/// (row - 1, column) and (row, column - 1) before (row, column).
[[nodiscard]] std::vector<Pair> wavefront_order(Grid grid);
/// (row - 1, column - 1 .. column + 1) before (row, column); rows are steps in time, the ends are open.
[[nodiscard]] std::vector<Pair> stencil_order(Grid grid);

enum class Chunks : std::uint8_t { fixed, dynamic };

/// How the iterations of a loop are dealt out.
struct LoopShape {
  std::uint32_t iterations = 0;
  Chunks chunks = Chunks::fixed;
  std::uint32_t chunk = 1;
};

/// One runtime with a fixed number of workers, the thread that makes it included. Each function makes a workload
/// ready; the body must outlive it. An empty workload: this runtime cannot express it. Everything is called on the
/// thread that made the runtime.
class Runtime {
 public:
  Runtime() = default;
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;
  virtual ~Runtime() = default;

  /// Independent tasks in a graph, built once.
  virtual Workload independent(const Body&, std::uint32_t /*tasks*/) { return {}; }
  /// stencil_order in a graph, built once.
  virtual Workload stencil(const Body&, Grid) { return {}; }
  /// wavefront_order in a graph, built once; built again for each run where a runtime has no graphs to keep.
  virtual Workload wavefront(const Body&, Grid) { return {}; }
  /// Building the graph of `wavefront` from nothing until it can run; taking it down is not timed.
  virtual Workload build_wavefront(const Body&, Grid) { return {}; }
  /// One task spawns all the others and waits for them.
  virtual Workload spawn(const Body&, std::uint32_t /*tasks*/) { return {}; }
  /// fib(n) spawns fib(n - 1), calls fib(n - 2) and waits; the body is called once per spawn. See fib_spawns.
  virtual Workload fib(const Body&, std::uint32_t /*n*/) { return {}; }
  /// Independent tasks, each alone on its two of `data` data while it runs.
  virtual Workload two_locks(const Body&, std::span<const Pair> /*locks*/, std::uint32_t /*data*/) { return {}; }
  /// A loop whose iterations call the body.
  virtual Workload loop(const Body&, LoopShape) { return {}; }
};

/// How many tasks fib(n) spawns.
[[nodiscard]] std::uint64_t fib_spawns(std::uint32_t n);

/// A runtime by name. `make` is called on the thread that will be worker 0.
struct RuntimeEntry {
  std::string_view name;
  std::string version;
  std::unique_ptr<Runtime> (*make)(std::size_t workers);
};

}  // namespace tacit::bench
