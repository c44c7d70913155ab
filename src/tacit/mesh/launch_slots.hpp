// The launch slots of a run: their keys, and the devices and slots that are made of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tacit/config/parameters.hpp"
#include "tacit/gpu/host_device.hpp"
#include "tacit/gpu/slots.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::mesh {

/// What launches run on.
enum class DeviceChoice : std::uint8_t {
  automatic,  ///< a device of CUDA if the program has been built for them and there is one, else a host device
  cuda,       ///< likewise, and the run says where it takes a host device
  host,
};

/// What keys say of launch slots.
struct LaunchSetting {
  std::size_t slots = 0;  ///< of each rank; 0: workers compute everything
  gpu::Fallback fallback = gpu::Fallback::always;
  DeviceChoice choice = DeviceChoice::automatic;
  gpu::HostDeviceOptions device = {};  ///< streams and memory are those of any device
  bool poisons = false;                ///< see gpu::SlotsOptions
};

/// gpu.slots, gpu.fallback, gpu.device, gpu.memory.
[[nodiscard]] std::span<const config::Key> launch_keys();
[[nodiscard]] LaunchSetting read_launches(const config::Parameters& parameters);

/// A device and its slots, which a scheduler polls.
class LaunchSlots {
 public:
  /// @throws base::SystemError if the device's memory or threads are refused
  LaunchSlots(const LaunchSetting& setting, tasks::Scheduler& scheduler);
  /// @pre no launch is under way
  ~LaunchSlots();
  LaunchSlots(const LaunchSlots&) = delete;
  LaunchSlots& operator=(const LaunchSlots&) = delete;

  /// Null without slots.
  [[nodiscard]] gpu::Slots* slots() noexcept { return slots_.get(); }
  [[nodiscard]] const gpu::Slots* slots() const noexcept { return slots_.get(); }
  /// For engine::Solver::new_warnings.
  [[nodiscard]] std::vector<std::string> new_warnings();

 private:
  tasks::Scheduler& scheduler_;
  std::vector<std::string> warnings_;
  std::unique_ptr<gpu::Device> device_;
  std::unique_ptr<gpu::Slots> slots_;
};

}  // namespace tacit::mesh
