// How long launches of one kind take, on a device and on the processor, by those before.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>

namespace tacit::gpu {

/// Moving means of times per unit of work, in which the last launches count most:
///
///     mean <- mean + (t - mean) / 8
///
/// Threads: all at once; of two times that come at once one may be dropped.
class Forecast {
 public:
  void note_device(double seconds, double work) noexcept { note(device_, seconds, work); }
  void note_cpu(double seconds, double work) noexcept { note(cpu_, seconds, work); }

  /// From the submission of a launch to its end, copies included [s]; 0: unknown.
  [[nodiscard]] double device_s(double work) const noexcept { return work * device_.load(std::memory_order_relaxed); }
  [[nodiscard]] double cpu_s(double work) const noexcept { return work * cpu_.load(std::memory_order_relaxed); }

  /// Whether a launch that waits for a slot is expected to end before the processor would have computed it:
  ///
  ///     device (1 + (waiting + 1) / slots) < cpu
  ///
  /// as one of the slots becomes free in each device / slots. Without both times the processor computes, whose time
  /// is then known.
  [[nodiscard]] bool should_wait(double work, std::size_t waiting, std::size_t slots) const noexcept {
    const double device = device_s(work);
    const double cpu = cpu_s(work);
    const double turns = static_cast<double>(waiting + 1) / static_cast<double>(slots);
    return device > 0.0 && cpu > 0.0 && device * (1.0 + turns) < cpu;
  }
  /// Whether to use a slot that is free. A worker that launches goes on with other work, so the device helps as long
  /// as all of its slots together are faster than one worker:
  ///
  ///     device / slots < cpu
  [[nodiscard]] bool should_launch(double work, std::size_t slots) const noexcept {
    const double device = device_s(work);
    const double cpu = cpu_s(work);
    return device <= 0.0 || cpu <= 0.0 || device < cpu * static_cast<double>(slots);
  }

 private:
  using Mean = std::atomic<double>;
  static void note(Mean& mean, double seconds, double work) noexcept {
    if (!(work > 0.0)) return;
    const double before = mean.load(std::memory_order_relaxed);
    const double now = seconds / work;
    mean.store(before > 0.0 ? before + 0.125 * (now - before) : now, std::memory_order_relaxed);
  }

  Mean device_{0.0};
  Mean cpu_{0.0};
};

}  // namespace tacit::gpu
