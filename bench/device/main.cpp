// Compares kernels on a device with the loops of the processor, bit by bit, and measures launches.
//   device_run [--host] [--short] [--checks]      JSON goes to the output
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "checks.hpp"
#include "tacit/base/cpu_features.hpp"
#include "tacit/gpu/cuda.hpp"
#include "tacit/gpu/host_device.hpp"

namespace {

using namespace tacit;

constexpr std::size_t slot_count = 128;
constexpr std::size_t memory_of_slot = std::size_t{1} << 22U;
constexpr std::size_t pinned_of_slot = std::size_t{1} << 20U;

/// @throws base::Error that says why there is none
std::unique_ptr<gpu::Device> make_device(bool is_host) {
  if (is_host) {
    return std::make_unique<gpu::HostDevice>(gpu::HostDeviceOptions{.streams = slot_count,
                                                                    .memory_bytes = slot_count * memory_of_slot,
                                                                    .pinned_bytes = slot_count * pinned_of_slot});
  }
  gpu::FoundDevice found = gpu::find_cuda_device({.streams = slot_count,
                                                  .memory_bytes = slot_count * memory_of_slot,
                                                  .pinned_bytes = slot_count * pinned_of_slot});
  if (found.device == nullptr) throw base::Error(found.why_not);
  return std::move(found.device);
}

std::string json_of(std::string_view device, const std::vector<device_run::Check>& checks,
                    const std::vector<device_run::Figure>& figures) {
  std::string text = fmt::format("{{\"device\": \"{}\", \"instruction_set\": \"{}\",\n \"checks\": [", device,
                                 base::name_of(base::chosen_instruction_set()));
  for (std::size_t i = 0; i < checks.size(); ++i) {
    text += fmt::format("{}{{\"name\": \"{}\", \"compared\": {}, \"different\": {}}}", i == 0 ? "" : ", ",
                        checks[i].name, checks[i].compared, checks[i].different);
  }
  text += "],\n \"results\": [";
  for (std::size_t i = 0; i < figures.size(); ++i) {
    text += fmt::format("{}{{\"name\": \"{}\", \"value\": {:.6g}, \"unit\": \"{}\"}}", i == 0 ? "" : ", ",
                        figures[i].name, figures[i].value, figures[i].unit);
  }
  return text + "]}\n";
}

}  // namespace

int main(int argc, char** argv) {
  enum ExitCode : int { success = 0, differs = 1, fails = 2 };
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  const auto has = [&words](std::string_view word) { return std::ranges::find(words, word) != words.end(); };
  try {
    const auto device = make_device(has("--host"));
    const std::array<gpu::Device*, 1> devices{device.get()};
    gpu::Slots slots(devices, {.slots = slot_count});
    const bool is_short = has("--short");
    const std::vector<device_run::Check> checks{device_run::check_heat(slots, is_short),
                                                device_run::check_gas(slots, is_short)};
    std::vector<device_run::Figure> figures;
    if (!has("--checks")) figures = device_run::measure_speed(slots, is_short);
    fmt::print("{}", json_of(device->name(), checks, figures));
    const bool is_same = std::ranges::all_of(checks, [](const auto& check) { return check.different == 0; });
    return is_same ? success : differs;
  } catch (const std::exception& error) {
    fmt::print(stderr, "device_run: {}\n", error.what());
    return fails;
  }
}
