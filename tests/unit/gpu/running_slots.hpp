// Host devices with launch slots and workers, for tests.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "mirror.hpp"
#include "tacit/gpu/host_device.hpp"
#include "tacit/gpu/slots.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::gpu::testing {

/// Devices that are called "device 0", "device 1", ..., and their slots.
struct Devices {
  std::vector<std::unique_ptr<HostDevice>> devices;
  std::unique_ptr<Slots> slots;

  Devices(std::vector<HostDeviceOptions> of_devices, const SlotsOptions& options) {
    std::vector<Device*> all;
    for (HostDeviceOptions& one : of_devices) {
      one.name = "device " + std::to_string(devices.size());
      devices.push_back(std::make_unique<HostDevice>(std::move(one)));
      all.push_back(devices.back().get());
    }
    slots = std::make_unique<Slots>(all, options);
  }
};

/// Workers that poll the slots.
struct Workers {
  Workers(Slots& polled, const tasks::SchedulerOptions& options)
      : slots(polled), recorder(options.workers + 1), scheduler(options, recorder) {
    scheduler.attach(slots);
  }
  Workers(Slots& polled, std::size_t workers) : Workers(polled, tasks::SchedulerOptions{.workers = workers}) {}
  ~Workers() { scheduler.detach(slots); }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  void run(tasks::Graph& graph) { scheduler.run(graph, graph.activate_all(), {}); }

  Slots& slots;
  trace::Recorder recorder;
  tasks::Scheduler scheduler;
};

/// Adds a task that solves `problem` by a launch, or at once.
inline void add_problem(tasks::Graph& graph, Slots& slots, LaunchKind kind, Problem& problem, std::uint32_t key,
                        bool is_rescued = false) {
  graph.add("solve", tasks::Accesses{},
            [&slots, kind, &problem, is_rescued](tasks::StepContext& step) {
              const Need need = need_of(problem.x.size());
              if (auto launch = slots.acquire(kind, need)) {
                launch.post(step.await(slots), problem.record(),
                            is_rescued ? OnCpu([&problem] { problem.compute(); }) : OnCpu{});
              } else {
                slots.run_on_cpu(kind, need.work, [&] { problem.compute(); });
              }
            },
            {.key = key});
}

}  // namespace tacit::gpu::testing
