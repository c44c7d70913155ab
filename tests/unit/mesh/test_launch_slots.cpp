// The device of a run: what the keys choose, and what is said where it is not there.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tacit/gpu/cuda.hpp"
#include "tacit/mesh/launch_slots.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::mesh {
namespace launch_slots_test {
namespace {

std::vector<std::string> warnings_of(DeviceChoice choice) {
  trace::Recorder recorder(1);
  tasks::Scheduler scheduler(1, recorder);
  LaunchSetting setting{.slots = 2, .choice = choice};
  setting.device.memory_bytes = 1 << 12;
  LaunchSlots slots(setting, scheduler);
  EXPECT_EQ(slots.slots()->size(), 2U);
  std::vector<std::string> warnings = slots.new_warnings();
  EXPECT_TRUE(slots.new_warnings().empty()) << "it is said once";
  return warnings;
}

TEST(LaunchSlots, WithoutADeviceAThreadStandsForItAndTheRunSaysSo) {
  if (gpu::find_cuda_device({.streams = 2, .memory_bytes = 1 << 12}).device != nullptr) {
    EXPECT_TRUE(warnings_of(DeviceChoice::cuda).empty());
    return;
  }
  const auto asked = warnings_of(DeviceChoice::cuda);
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_TRUE(asked[0].starts_with("gpu.device: ")) << asked[0];
  EXPECT_TRUE(asked[0].ends_with("; a thread stands for it")) << asked[0];
  if (gpu::is_built_for_cuda()) {
    EXPECT_EQ(warnings_of(DeviceChoice::automatic), asked);
  } else {
    EXPECT_EQ(asked[0],
              "gpu.device: this program has been built without CUDA (-DTACIT_CUDA=ON); a thread stands for it");
    EXPECT_TRUE(warnings_of(DeviceChoice::automatic).empty());
  }
  EXPECT_TRUE(warnings_of(DeviceChoice::host).empty());
}

}  // namespace
}  // namespace launch_slots_test
}  // namespace tacit::mesh
