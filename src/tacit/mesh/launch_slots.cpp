// Reads the keys of launch slots, and makes them.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/mesh/launch_slots.hpp"

#include <array>

namespace tacit::mesh {
namespace {

using config::Choice;
using config::Key;

enum class DeviceKind : std::uint8_t { host };
constexpr std::array device_choices{
    Choice{"host", DeviceKind::host, "a thread of this program that stands for a device, to try launches without one"},
};
constexpr std::array fallback_choices{
    Choice{"always", gpu::Fallback::always, "a worker computes at once"},
    Choice{"never", gpu::Fallback::never, "the launch waits for a slot, in order; workers go on with other tasks"},
    Choice{"predicted", gpu::Fallback::predicted,
           "it waits where it is then expected to end before a worker would have computed it, by measured times"},
};
constexpr std::array keys{
    Key::integer("gpu.slots", {0, 4096},
                 "Launches that may be under way on a device at once, of each rank; 0: workers compute everything. No "
                 "bit of a result depends on it.",
                 "0"),
    Key::choice("gpu.fallback", fallback_choices, gpu::Fallback::always, "What happens where no slot is free.")
        .needs("gpu.slots"),
    Key::choice("gpu.device", device_choices, DeviceKind::host, "What launches run on.").needs("gpu.slots"),
    Key::integer("gpu.memory", {1, 1048576},
                 "Memory that is taken of the device for slots, once [MB]. Each has an even share; what needs more is "
                 "computed by workers.",
                 "256")
        .needs("gpu.slots"),
};

}  // namespace

std::span<const Key> launch_keys() { return keys; }

LaunchSetting read_launches(const config::Parameters& parameters) {
  LaunchSetting setting;
  setting.slots = parameters.count("gpu.slots");
  setting.fallback = parameters.choice("gpu.fallback", fallback_choices);
  setting.device.streams = setting.slots;
  setting.device.memory_bytes = 1'000'000 * parameters.count("gpu.memory");
  return setting;
}

LaunchSlots::LaunchSlots(const LaunchSetting& setting, tasks::Scheduler& scheduler) : scheduler_(scheduler) {
  if (setting.slots == 0) return;
  device_ = std::make_unique<gpu::HostDevice>(setting.device);
  const std::array<gpu::Device*, 1> devices{device_.get()};
  slots_ = std::make_unique<gpu::Slots>(
      devices, gpu::SlotsOptions{.slots = setting.slots, .fallback = setting.fallback, .poisons = setting.poisons});
  scheduler_.attach(*slots_);
}

LaunchSlots::~LaunchSlots() {
  if (slots_ != nullptr) scheduler_.detach(*slots_);
}

std::vector<std::string> LaunchSlots::new_warnings() {
  return slots_ == nullptr ? std::vector<std::string>{} : slots_->new_notes();
}

}  // namespace tacit::mesh
