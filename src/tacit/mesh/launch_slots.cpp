// Reads the keys of launch slots, and makes them.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/mesh/launch_slots.hpp"

#include <array>
#include <utility>

#include "tacit/gpu/cuda.hpp"

namespace tacit::mesh {
namespace {

using config::Choice;
using config::Key;

constexpr std::array device_choices{
    Choice{
        "automatic", DeviceChoice::automatic,
        "a device of NVIDIA where the program has been built for them (-DTACIT_CUDA=ON) and there is one, else `host`"},
    Choice{"cuda", DeviceChoice::cuda, "the same; the run says why where there is none"},
    Choice{"host", DeviceChoice::host,
           "a thread of this program that stands for a device, to try launches without one"},
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
    Key::choice("gpu.device", device_choices, DeviceChoice::automatic, "What launches run on.").needs("gpu.slots"),
    Key::integer("gpu.memory", {1, 1048576},
                 "Memory that is taken of the device for slots, once [MB]. Each has an even share; what needs more is "
                 "computed by workers.",
                 "256")
        .needs("gpu.slots"),
};

/// A device, and what a person should know of the choice.
std::unique_ptr<gpu::Device> make_device(const LaunchSetting& setting, std::vector<std::string>& warnings) {
  const bool looks =
      setting.choice == DeviceChoice::cuda || (setting.choice == DeviceChoice::automatic && gpu::is_built_for_cuda());
  if (looks) {
    gpu::FoundDevice found = gpu::find_cuda_device({.streams = setting.device.streams,
                                                    .memory_bytes = setting.device.memory_bytes,
                                                    .pinned_bytes = setting.device.pinned_bytes});
    if (found.device != nullptr) return std::move(found.device);
    warnings.push_back("gpu.device: " + found.why_not + "; a thread stands for it");
  }
  return std::make_unique<gpu::HostDevice>(setting.device);
}

}  // namespace

std::span<const Key> launch_keys() { return keys; }

LaunchSetting read_launches(const config::Parameters& parameters) {
  LaunchSetting setting;
  setting.slots = parameters.count("gpu.slots");
  setting.fallback = parameters.choice("gpu.fallback", fallback_choices);
  setting.choice = parameters.choice("gpu.device", device_choices);
  setting.device.streams = setting.slots;
  setting.device.memory_bytes = 1'000'000 * parameters.count("gpu.memory");
  return setting;
}

LaunchSlots::LaunchSlots(const LaunchSetting& setting, tasks::Scheduler& scheduler) : scheduler_(scheduler) {
  if (setting.slots == 0) return;
  device_ = make_device(setting, warnings_);
  const std::array<gpu::Device*, 1> devices{device_.get()};
  slots_ = std::make_unique<gpu::Slots>(
      devices, gpu::SlotsOptions{.slots = setting.slots, .fallback = setting.fallback, .poisons = setting.poisons});
  scheduler_.attach(*slots_);
}

LaunchSlots::~LaunchSlots() {
  if (slots_ != nullptr) scheduler_.detach(*slots_);
}

std::vector<std::string> LaunchSlots::new_warnings() {
  std::vector<std::string> warnings = std::exchange(warnings_, {});
  if (slots_ == nullptr) return warnings;
  for (std::string& note : slots_->new_notes()) warnings.push_back(std::move(note));
  return warnings;
}

}  // namespace tacit::mesh
