// Looks for the file and at the clock.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/engine/stop_watcher.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <utility>

namespace tacit::engine {
namespace {

constexpr double look_every_s = 0.1;
constexpr double slow_disk_s_per_byte = 1e-8;

double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

StopWatcher::StopWatcher(std::filesystem::path directory, std::optional<double> wall_limit_s)
    : directory_(std::move(directory)), is_given_(wall_limit_s.has_value()) {
  if (!wall_limit_s) {
    wall_limit_s = seconds_left_of_job([](const char* name) { return std::getenv(name); }, seconds_since_1970());
  }
  if (wall_limit_s) limit_s_ = *wall_limit_s;
}

void StopWatcher::note_step(double seconds) noexcept { longest_step_s_ = std::max(longest_step_s_, seconds); }
void StopWatcher::note_checkpoint(double seconds) noexcept {
  longest_checkpoint_s_ = std::max(longest_checkpoint_s_, seconds);
}

void StopWatcher::expect_checkpoint(std::uint64_t bytes) noexcept { checkpoint_bytes_ = static_cast<double>(bytes); }
void StopWatcher::note_snapshot(std::uint64_t bytes, double seconds) noexcept {
  if (bytes > 0) s_per_byte_ = std::max(s_per_byte_.value_or(0.0), seconds / static_cast<double>(bytes));
}

double StopWatcher::checkpoint_s() const noexcept {
  if (longest_checkpoint_s_ > 0.0) return longest_checkpoint_s_;
  return checkpoint_bytes_ * s_per_byte_.value_or(slow_disk_s_per_byte);
}

std::optional<std::string> StopWatcher::reason(double now_s) {
  if (is_over(now_s)) {
    return fmt::format(
        "its wall-clock time of {:.0f} s is nearly over (a step has taken up to {:.3g} s, a checkpoint {}{:.3g} s)",
        limit_s_, longest_step_s_, longest_checkpoint_s_ > 0.0 ? "" : "would take about ", checkpoint_s());
  }
  if (directory_.empty() || now_s - looked_s_ < look_every_s) return std::nullopt;
  looked_s_ = now_s;
  std::error_code ignored;
  if (!std::filesystem::exists(directory_ / stop_file, ignored)) return std::nullopt;
  return fmt::format("{} asks for it", (directory_ / stop_file).string());
}

void StopWatcher::remove_file() const noexcept {
  std::error_code ignored;
  if (!directory_.empty()) std::filesystem::remove(directory_ / stop_file, ignored);
}

std::optional<double> seconds_left_of_job(const std::function<const char*(const char*)>& environment, double now_s) {
  const char* const text = environment("SLURM_JOB_END_TIME");
  if (text == nullptr) return std::nullopt;
  const std::string_view end(text);
  double end_s = 0.0;
  const auto [stop, error] = std::from_chars(end.data(), end.data() + end.size(), end_s);
  if (error != std::errc{} || stop != end.data() + end.size()) return std::nullopt;
  return end_s - now_s;
}

}  // namespace tacit::engine
