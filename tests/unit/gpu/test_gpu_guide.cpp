// The code of docs/guide/launch-slots.md, which quotes it.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

#include "tacit/gpu/host_device.hpp"
#include "tacit/gpu/slots.hpp"
#include "tacit/tasks/coroutine.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::gpu {
namespace gpu_guide {
namespace {

struct Smooth {
  static constexpr std::string_view name = "smooth";
  static constexpr std::size_t block_size = 128;
  const double* u;  // on the device
  double* half;
  double* result;
  std::size_t n;

  template <class Team>
  TACIT_HOST_DEVICE void operator()(Team& team, std::size_t block) const {
    const std::size_t first = block * block_size;
    const std::size_t count = n - first < block_size ? n - first : block_size;
    team.each(count, [&](std::size_t i) { half[first + i] = 0.5 * u[first + i]; });
    // What all threads have written before, each sees now.
    team.each(count, [&](std::size_t i) { result[first + i] = half[first + i] + half[first + (i + 1) % count]; });
  }
};

void smooth_on_cpu(std::span<const double> u, std::span<double> result) {
  std::vector<double> half(u.size());
  HostTeam alone;
  const Smooth smooth{u.data(), half.data(), result.data(), u.size()};
  for (std::size_t block = 0; block * Smooth::block_size < u.size(); ++block) smooth(alone, block);
}

void smooth_on_device(Program& on, std::span<const double> u, std::span<double> result) {
  const std::size_t n = u.size();
  const double* const from = on.copy_in(u);
  auto* const half = on.memory<double>(n);
  auto* const to = on.memory<double>(n);
  on.run(Smooth{from, half, to, n}, (n + Smooth::block_size - 1) / Smooth::block_size);
  on.copy_out(to, result);
}

tasks::Task<> smooth(Slots& slots, LaunchKind kind, Need need, std::span<const double> u, std::span<double> result) {
  if (auto launch = slots.acquire(kind, need)) {
    co_await tasks::completion(
        slots, [&](base::Token token) { launch.post(token, [=](Program& on) { smooth_on_device(on, u, result); }); });
  } else {
    slots.run_on_cpu(kind, need.work, [&] { smooth_on_cpu(u, result); });
  }
}

TEST(GpuGuide, TasksAndCoroutinesLaunch) {
  constexpr std::size_t n = 1000;
  constexpr std::size_t pieces = 20;
  std::vector<std::vector<double>> u(pieces, std::vector<double>(n));
  std::vector<std::vector<double>> results(pieces, std::vector<double>(n));
  for (std::size_t p = 0; p < pieces; ++p) std::iota(u[p].begin(), u[p].end(), static_cast<double>(p));
  trace::Recorder recorder(2);
  tasks::Scheduler scheduler(2, recorder);

  HostDevice device({.name = "host device", .streams = 8});
  const std::array<Device*, 1> devices{&device};
  Slots slots(devices, {.slots = 8, .fallback = Fallback::always});
  const LaunchKind kind = slots.kind("smooth");
  const Need need{.memory_bytes = 3 * aligned_bytes(n * sizeof(double)), .work = n};
  scheduler.attach(slots);

  tasks::Graph graph;
  for (std::size_t p = 0; p < pieces; ++p) {
    const tasks::DatumId of_piece = graph.add_datum();
    graph.add("smooth", tasks::writes(of_piece), [&, p](tasks::StepContext& step) {
      if (auto launch = slots.acquire(kind, need)) {
        // The task ends when the results are there; its worker goes on with others.
        launch.post(step.await(slots), [&, p](Program& on) { smooth_on_device(on, u[p], results[p]); });
      } else {
        slots.run_on_cpu(kind, need.work, [&] { smooth_on_cpu(u[p], results[p]); });
      }
    });
  }
  scheduler.run(graph, graph.activate_all(), {});
  const auto expect_results = [&] {
    std::vector<double> expected(n);
    for (std::size_t p = 0; p < pieces; ++p) {
      smooth_on_cpu(u[p], expected);
      EXPECT_EQ(results[p], expected);
      EXPECT_EQ(results[p][0], 0.5 * static_cast<double>(p + p + 1));
      std::ranges::fill(results[p], 0.0);
    }
  };
  expect_results();

  std::vector<tasks::Future<void>> ends;
  for (std::size_t p = 0; p < pieces; ++p) {
    ends.push_back(tasks::spawn(scheduler, smooth(slots, kind, need, u[p], results[p])));
  }
  for (const auto& end : ends) end.get();
  expect_results();
  scheduler.detach(slots);
  EXPECT_EQ(slots.counts().launched + slots.counts().on_cpu, 2 * pieces);
}

}  // namespace
}  // namespace gpu_guide
}  // namespace tacit::gpu
