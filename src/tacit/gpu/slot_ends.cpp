// What becomes of launches when their device has done with them, and what is said of them.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tacit/gpu/slots.hpp"

namespace tacit::gpu {

std::size_t Slots::poll(std::span<base::Completion> completions) {
  std::size_t count = take_ended(completions);
  std::array<base::Completion, 64> of_device;
  for (std::size_t g = 0; g < groups_.size() && count < completions.size(); ++g) {
    Device& device = *groups_[(first_polled_ + g) % groups_.size()]->device;
    std::size_t got = 0;
    std::size_t asked = 0;
    do {
      asked = std::min(of_device.size(), completions.size() - count);
      got = device.poll(std::span(of_device).first(asked));
      for (std::size_t i = 0; i < got; ++i) {
        if (const auto end = finish(of_device[i])) completions[count++] = *end;
      }
    } while (got == asked && count < completions.size());
  }
  if (!groups_.empty()) first_polled_ = (first_polled_ + 1) % groups_.size();
  // What ended without a device meanwhile comes at once, too: nothing else may ask again soon.
  return count + take_ended(completions.subspan(count));
}

std::size_t Slots::take_ended(std::span<base::Completion> completions) {
  if (ended_count_.load(std::memory_order_acquire) == 0) return 0;
  const std::lock_guard lock(mutex_);
  const std::size_t count = std::min(completions.size(), ended_.size());
  const auto end = ended_.begin() + static_cast<std::ptrdiff_t>(count);
  std::copy(ended_.begin(), end, completions.begin());
  ended_.erase(ended_.begin(), end);
  ended_count_.store(ended_.size(), std::memory_order_release);
  return count;
}

/// The completion of a launch that follows from that of its device; nothing if the launch was cancelled.
std::optional<base::Completion> Slots::finish(const base::Completion& of_device) {
  const auto number = static_cast<std::uint64_t>(of_device.token);
  const auto place = static_cast<std::uint32_t>(number) - 1U;
  Slot& slot = slots_[place];
  if (slot.generation.load(std::memory_order_relaxed) != static_cast<std::uint32_t>(number >> 32U)) return {};
  const auto token = static_cast<base::Token>(slot.token.exchange(0, std::memory_order_acq_rel));
  if (token == base::Token::none) return {};
  const auto kind = static_cast<LaunchKind>(slot.kind.load(std::memory_order_relaxed));
  const OnCpu otherwise = std::exchange(slot.otherwise, {});
  if (of_device.error == 0) {
    kinds_[index(kind)]->forecast.note_device(1e-9 * static_cast<double>(base::now_ns() - slot.submitted_ns),
                                              slot.work);
    give_back(place);
    return base::Completion{.token = token, .error = 0, .alone_s = of_device.alone_s};
  }
  failed_.fetch_add(1, std::memory_order_relaxed);
  const std::string why = fmt::format("{}: launch of '{}': {}", slot.group->device->name(), kinds_[index(kind)]->name,
                                      slot.group->device->explain(of_device));
  note_if_lost(*slot.group);
  give_back(place);
  if (!has_devices()) end_without_devices();
  // Where results have been copied, what the launch read may be overwritten.
  const bool is_intact = of_device.error != static_cast<std::int32_t>(Failure::in_results);
  const base::Completion end = rescue_or_fail(token, kind, is_intact ? otherwise : OnCpu{}, why);
  if (end.error == 0) rescued_.fetch_add(1, std::memory_order_relaxed);
  return end;
}

void Slots::note_if_lost(Group& group) {
  if (!group.device->is_lost() || group.is_lost.exchange(true, std::memory_order_acq_rel)) return;
  const std::size_t left = groups_left_.fetch_sub(1, std::memory_order_acq_rel) - 1;
  const std::lock_guard lock(mutex_);
  notes_.push_back(
      fmt::format("{} is lost; the run goes on {}", group.device->name(),
                  left == 0 ? "on the processor" : fmt::format("with {} of {} devices", left, groups_.size())));
}

base::Completion Slots::rescue_or_fail(base::Token token, LaunchKind kind, const OnCpu& otherwise,
                                       const std::string& why) {
  if (!otherwise) return {.token = token, .error = keep_failure(why)};
  try {
    otherwise();
  } catch (const std::exception& error) {
    return {.token = token, .error = keep_failure(fmt::format("{}; and on the processor: {}", why, error.what()))};
  }
  if (!kinds_[index(kind)]->is_failing.exchange(true)) {
    const std::lock_guard lock(mutex_);
    notes_.push_back(why + "; the processor has computed it, as it will all others of its kind that fail");
  }
  return {.token = token, .error = 0};
}

std::int32_t Slots::keep_failure(std::string why) {
  constexpr std::size_t most = 256;
  const std::lock_guard lock(mutex_);
  const std::size_t place = failures_kept_++ % most;
  if (place == failures_.size()) failures_.emplace_back();
  failures_[place] = std::move(why);
  return static_cast<std::int32_t>(place) + 1;
}

void Slots::cancel(base::Token token) {
  for (std::uint32_t s = 0; s < slot_count_; ++s) {
    Slot& slot = slots_[s];
    if (slot.token.load(std::memory_order_acquire) != static_cast<std::uint64_t>(token)) continue;
    slot.group->device->cancel(token_on_device(s, slot.generation.load(std::memory_order_relaxed)));
    slot.generation.fetch_add(1, std::memory_order_relaxed);
    slot.otherwise = {};
    slot.token.store(0, std::memory_order_release);
    give_back(s);
    return;
  }
  const std::lock_guard lock(mutex_);
  std::erase_if(waiting_, [token](const Waiting& launch) { return launch.token == token; });
  queued_.store(waiting_.size(), std::memory_order_seq_cst);
}

// ---- what is said --------------------------------------------------------------------------------------------------

std::string Slots::describe(base::Token token) const {
  for (std::size_t s = 0; s < slot_count_; ++s) {
    const Slot& slot = slots_[s];
    if (slot.token.load(std::memory_order_acquire) != static_cast<std::uint64_t>(token)) continue;
    return fmt::format("launch of '{}' in slot {} of {}", kinds_[slot.kind.load(std::memory_order_relaxed)]->name,
                       s - slot.group->first, slot.group->device->name());
  }
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(waiting_, token, &Waiting::token);
  if (found == waiting_.end()) return {};
  return fmt::format("a slot for a launch of '{}', the {}. of {} that wait", kinds_[index(found->kind)]->name,
                     found - waiting_.begin() + 1, waiting_.size());
}

std::string Slots::explain(const base::Completion& completion) const {
  const std::lock_guard lock(mutex_);
  const auto place = static_cast<std::size_t>(completion.error) - 1;
  return place < failures_.size() ? failures_[place] : CompletionSource::explain(completion);
}

LaunchCounts Slots::counts() const {
  return {.launched = launched_.load(std::memory_order_relaxed),
          .on_cpu = on_cpu_.load(std::memory_order_relaxed),
          .waited = waited_.load(std::memory_order_relaxed),
          .failed = failed_.load(std::memory_order_relaxed),
          .rescued = rescued_.load(std::memory_order_relaxed),
          .most_waiting = most_waiting_.load(std::memory_order_relaxed)};
}

std::vector<std::string> Slots::new_notes() {
  const std::lock_guard lock(mutex_);
  return std::exchange(notes_, {});
}

void Slots::note_on_cpu(LaunchKind kind, double work, std::int64_t ns) {
  on_cpu_.fetch_add(1, std::memory_order_relaxed);
  kinds_[index(kind)]->forecast.note_cpu(1e-9 * static_cast<double>(ns), work);
}

}  // namespace tacit::gpu
