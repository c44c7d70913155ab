// What launch slots cost a worker: launches that compute nothing, and computations that find no slot free.
// SPDX-License-Identifier: Apache-2.0
#include "gpu/slots.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/measure.hpp"
#include "micro/own.hpp"
#include "tacit/base/error.hpp"
#include "tacit/gpu/host_device.hpp"
#include "tacit/gpu/slots.hpp"
#include "tacit/tasks/graph.hpp"

namespace tacit::bench {
namespace {

constexpr std::string_view slots_help =
    R"(What launch slots cost, on host devices and with one worker, beside the device's thread. Steps of independent
tasks; the contestants take turns. With --quick fewer tasks.

  host_slot_overhead_ns   a task computes for some microseconds, asks for one of 128 slots, writes a launch of one empty
                          kernel down, and ends with it on a host device of one thread; over the same tasks without
                          the launch. It means something where the share of launches is about 1
  host_slot_device_share  of those tasks, launched: the others found no slot free, as the device's thread was late
  slot_bookkeeping_ns     likewise of tasks that compute nothing, where the device has done each launch when it is given
                          it: what slots, scheduler and completions take, without threads of a device
  fallback_penalty        tasks that compute for ten times as long and find all 128 slots taken by launches that do not
                          end, over the same tasks without slots
)";

using gpu::LaunchKind;
using gpu::Need;
using gpu::Slots;

/// Does nothing.
struct Empty {
  static constexpr std::string_view name = "empty";
  template <class Team>
  TACIT_HOST_DEVICE void operator()(Team& /*team*/, std::size_t /*block*/) const {}
};

/// Has done each launch when it is given it.
class InstantDevice final : public gpu::Device {
 public:
  explicit InstantDevice(std::size_t streams) : streams_(streams), memory_(streams * gpu::memory_alignment) {
    ended_.reserve(streams);
  }
  [[nodiscard]] std::string_view name() const override { return "instant device"; }
  [[nodiscard]] std::size_t streams() const noexcept override { return streams_; }
  [[nodiscard]] std::span<std::byte> memory() const noexcept override { return memory_; }
  [[nodiscard]] std::span<std::byte> pinned() const noexcept override { return {}; }
  [[nodiscard]] bool is_lost() const noexcept override { return false; }
  void submit(std::size_t /*stream*/, std::span<const gpu::Operation> operations, base::Token token) noexcept override {
    for (const gpu::Operation& operation : operations) {
      gpu::HostTeam team;
      operation.kernel.on_host(operation.kernel.arguments, team, 0);
    }
    const std::lock_guard lock(mutex_);
    ended_.push_back({.token = token});
  }
  std::size_t poll(std::span<base::Completion> completions) override {
    const std::lock_guard lock(mutex_);
    const std::size_t count = std::min(completions.size(), ended_.size());
    std::copy_n(ended_.end() - static_cast<std::ptrdiff_t>(count), count, completions.begin());
    ended_.resize(ended_.size() - count);
    return count;
  }

 private:
  std::size_t streams_;
  mutable std::vector<std::byte> memory_;
  std::mutex mutex_;
  std::vector<base::Completion> ended_;
};

constexpr std::size_t slot_count = 128;

/// Slots that a scheduler polls, and a graph of tasks. All that is compared runs on one thread.
struct Launching {
  OwnScheduler& own;
  std::unique_ptr<gpu::Device> device;
  std::unique_ptr<Slots> slots;
  LaunchKind kind{};
  tasks::Graph graph;
  tasks::Activation activation;

  Launching(OwnScheduler& scheduler, std::unique_ptr<gpu::Device> on) : own(scheduler), device(std::move(on)) {
    const std::array<gpu::Device*, 1> devices{device.get()};
    slots = std::make_unique<Slots>(devices, gpu::SlotsOptions{.slots = slot_count});
    kind = slots->kind("launch");
    own.host().call([&] { own.scheduler().attach(*slots); });
  }
  ~Launching() {
    own.host().call([&] { own.scheduler().detach(*slots); });
  }
  Launching(const Launching&) = delete;
  Launching& operator=(const Launching&) = delete;

  template <class Task>
  void add(std::size_t tasks, const Task& task) {
    for (std::uint32_t i = 0; i < tasks; ++i) graph.add("task", tasks::Accesses{}, task, {.key = i});
    activation = graph.activate_all();
  }
  /// Tasks that launch where a slot is free, and else compute.
  /// @param before  what they do before
  template <class Before, class Compute>
  void add_launching(std::size_t tasks, const Before& before, const Compute& compute) {
    add(tasks, [this, before, compute](tasks::StepContext& step) {
      before();
      if (auto launch = slots->acquire(kind, {.work = 1.0})) {
        launch.post(step.await(*slots), [](gpu::Program& on) { on.run(Empty{}, 1); });
      } else {
        slots->run_on_cpu(kind, 1.0, compute);
      }
    });
  }
  [[nodiscard]] Contestant contestant(std::string name) {
    return own.contestant(std::move(name), [this] { own.scheduler().run(graph, activation, {}); });
  }
};

std::unique_ptr<gpu::HostDevice> host_device() {
  return std::make_unique<gpu::HostDevice>(
      gpu::HostDeviceOptions{.streams = slot_count, .memory_bytes = slot_count * gpu::memory_alignment});
}

constexpr auto nothing = [] { asm volatile("" ::: "memory"); };

/// Nanoseconds by which a run of `tasks` is longer than a bare one, of each.
Summary difference_ns(std::span<const double> whole, std::span<const double> bare, std::size_t tasks) {
  std::vector<double> ns(whole.size());
  for (std::size_t i = 0; i < ns.size(); ++i) ns[i] = 1e9 * (whole[i] - bare[i]) / static_cast<double>(tasks);
  return summarise(std::move(ns));
}

/// Numbers of a worker, smoothed in place: the same code wherever it is called.
struct Smoothing {
  std::array<double, 512> u{};

  [[gnu::noinline]] void operator()(int times) {
    for (int time = 0; time < times; ++time) {
      double before = u.back();
      for (double& here : u) before = std::exchange(here, 0.5 * (here + before) + 1e-3);
    }
    nothing();
  }
};

/// A few microseconds.
constexpr int few = 4;
auto few_times(Smoothing& smoothing) {
  return [&smoothing] { smoothing(few); };
}

void measure_launches(Session& session) {
  const std::size_t tasks = session.size(20'000, 200);
  OwnScheduler own({.workers = 1});
  Launching on_threads(own, host_device());
  Launching at_once(own, std::make_unique<InstantDevice>(slot_count));
  Launching computing(own, host_device());
  Launching bare(own, host_device());
  Smoothing smoothing;
  on_threads.add_launching(tasks, few_times(smoothing), nothing);
  at_once.add_launching(tasks, nothing, nothing);
  computing.add(tasks, [before = few_times(smoothing)](tasks::StepContext& /*step*/) { before(); });
  bare.add(tasks, [](tasks::StepContext& /*step*/) { nothing(); });
  std::array contestants{on_threads.contestant("launches"), computing.contestant("tasks that compute"),
                         at_once.contestant("launches that end at once"), bare.contestant("tasks")};
  const auto seconds = measure_in_turns(contestants, repetitions(session.effort(), 5));
  session.add({.name = "host_slot_overhead_ns",
               .unit = "ns",
               .ours = difference_ns(seconds[0], seconds[1], tasks),
               .limit = 1000.0});
  session.add({.name = "host_slot_device_share",
               .unit = "1",
               .better = Better::higher,
               .ours = summarise({on_threads.slots->counts().share()})});
  session.add({.name = "slot_bookkeeping_ns", .unit = "ns", .ours = difference_ns(seconds[2], seconds[3], tasks)});
}

/// Notes that the launch has ended.
struct Ended final : tasks::Awaiter {
  void finished(const base::Completion& /*completion*/) noexcept override { is_over.store(true); }
  std::atomic<bool> is_over{false};
};

void measure_fallback(Session& session) {
  const std::size_t tasks = session.size(500, 5);
  Smoothing smoothing;
  auto device = host_device();
  gpu::HostDevice& held = *device;
  OwnScheduler own({.workers = 1});
  Launching without_room(own, std::move(device));
  Launching without_slots(own, host_device());
  // Each slot has a launch that does not begin before the end of all measurements.
  held.hold();
  std::array<Ended, slot_count> ends;
  own.host().call([&] {
    for (Ended& end : ends) {
      auto launch = without_room.slots->acquire(without_room.kind, {});
      if (!launch) throw base::PreconditionError("a slot is not free");
      launch.post(own.scheduler().expect(*without_room.slots, end), [](gpu::Program& on) { on.run(Empty{}, 1); });
    }
  });
  const auto compute = [&smoothing] { smoothing(few * 10); };
  without_room.add_launching(tasks, nothing, compute);
  without_slots.add(tasks, [compute](tasks::StepContext& /*step*/) { compute(); });
  std::array contestants{without_room.contestant("no slot free"), without_slots.contestant("no slots")};
  const auto seconds = measure_in_turns(contestants, repetitions(session.effort(), 2));
  held.release();
  own.host().call([&] {
    own.scheduler().work_until(
        [&] { return std::ranges::all_of(ends, [](const Ended& end) { return end.is_over.load(); }); });
  });
  session.add(
      {.name = "fallback_penalty", .unit = "1", .ours = summarise(ratios(seconds[0], seconds[1])), .limit = 1.05});
}

void run_slots(Session& session) {
  measure_launches(session);
  measure_fallback(session);
}

}  // namespace

Benchmark slots_benchmark() {
  return {.name = "slots",
          .summary = "launches on host devices, and computing where no slot is free",
          .help = slots_help,
          .run = run_slots};
}

}  // namespace tacit::bench
