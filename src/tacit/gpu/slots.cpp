// Gives slots out and takes them back: what launches do on the way to a device.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/gpu/slots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace tacit::gpu {
namespace {

constexpr std::size_t bits_of_word = 64;
/// Where the device has been found slow, one of so many launches goes there all the same, lest its mean grow old.
constexpr std::uint64_t one_of_slow = 64;

}  // namespace

double LaunchCounts::share() const noexcept {
  const std::uint64_t all = launched + on_cpu;
  return all == 0 ? 1.0 : static_cast<double>(launched - rescued) / static_cast<double>(all);
}

Launch::~Launch() {
  if (slots_ != nullptr && slot_ != none) slots_->give_back(slot_);
}

Slots::Slots(std::span<Device* const> devices, SlotsOptions options) : options_(std::move(options)) {
  std::size_t left = options_.slots;
  for (std::size_t d = 0; d < devices.size(); ++d) {
    const std::size_t others = devices.size() - d;
    const std::size_t count = std::min((left + others - 1) / others, devices[d]->streams());
    left -= count;
    if (count > 0) add_group(*devices[d], count);
  }
  slots_ = std::make_unique<Slot[]>(slot_count_);
  for (const auto& group : groups_) {
    const std::span<std::byte> memory = group->device->memory();
    const std::span<std::byte> pinned = group->device->pinned();
    const std::size_t of_memory = memory.size() / group->count / memory_alignment * memory_alignment;
    const std::size_t of_pinned = pinned.size() / group->count / memory_alignment * memory_alignment;
    const bool is_first = group->first == 0;
    memory_per_slot_ = is_first ? of_memory : std::min(memory_per_slot_, of_memory);
    pinned_per_slot_ = is_first ? of_pinned : std::min(pinned_per_slot_, of_pinned);
    for (std::size_t i = 0; i < group->count; ++i) {
      Slot& slot = slots_[group->first + i];
      slot.group = group.get();
      slot.stream = i;
      slot.program.give_memory(memory.subspan(i * of_memory, of_memory), pinned.subspan(i * of_pinned, of_pinned));
    }
  }
  groups_left_.store(groups_.size());
}

void Slots::add_group(Device& device, std::size_t count) {
  auto group = std::make_unique<Group>();
  group->device = &device;
  group->first = static_cast<std::uint32_t>(slot_count_);
  group->count = static_cast<std::uint32_t>(count);
  group->free = std::vector<std::atomic<std::uint64_t>>((count + bits_of_word - 1) / bits_of_word);
  for (std::size_t i = 0; i < count; ++i) {
    group->free[i / bits_of_word].fetch_or(std::uint64_t{1} << (i % bits_of_word));
  }
  slot_count_ += count;
  groups_.push_back(std::move(group));
}

Slots::~Slots() {
  for (std::uint32_t s = 0; s < slot_count_; ++s) {
    Slot& slot = slots_[s];
    if (slot.token.load() != 0) slot.group->device->cancel(token_on_device(s, slot.generation.load()));
  }
}

LaunchKind Slots::kind(std::string_view name) {
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    if (kinds_[k]->name == name) return static_cast<LaunchKind>(k);
  }
  kinds_.push_back(std::make_unique<Kind>());
  kinds_.back()->name = name;
  return static_cast<LaunchKind>(kinds_.size() - 1);
}

// ---- slots ---------------------------------------------------------------------------------------------------------

Launch Slots::acquire(LaunchKind kind, const Need& need) {
  Kind& of = *kinds_[index(kind)];
  if (!has_devices() || !fits(of, need)) return {};
  const bool is_predicted = options_.fallback == Fallback::predicted;
  if (is_predicted && !of.forecast.should_launch(need.work, slot_count_) &&
      of.asked.fetch_add(1, std::memory_order_relaxed) % one_of_slow != 0) {
    return {};
  }
  // Launches that wait come first.
  const std::size_t waiting = queued_.load(std::memory_order_seq_cst);
  const std::uint32_t slot = waiting == 0 ? take() : Launch::none;
  if (slot != Launch::none) return {this, slot, kind, need};
  const bool waits = options_.fallback == Fallback::never ||
                     (is_predicted && of.forecast.should_wait(need.work, waiting, slot_count_));
  if (waits) return {this, Launch::none, kind, need};
  return {};
}

/// A free slot of the next device that has one.
std::uint32_t Slots::take() noexcept {
  const std::size_t count = groups_.size();
  const std::size_t first = count > 1 ? next_group_.fetch_add(1, std::memory_order_relaxed) : 0;
  for (std::size_t g = 0; g < count; ++g) {
    Group& group = *groups_[(first + g) % count];
    if (group.is_lost.load(std::memory_order_acquire)) continue;
    const std::uint32_t slot = take_of(group);
    if (slot != Launch::none) return slot;
  }
  return Launch::none;
}

/// Sequentially consistent, as what gives back and what waits look at each other's doings: see serve_waiting.
std::uint32_t Slots::take_of(Group& group) noexcept {
  for (std::size_t w = 0; w < group.free.size(); ++w) {
    std::uint64_t word = group.free[w].load(std::memory_order_seq_cst);
    while (word != 0) {
      const auto bit = static_cast<std::uint32_t>(std::countr_zero(word));
      if (group.free[w].compare_exchange_weak(word, word & (word - 1), std::memory_order_seq_cst)) {
        return group.first + static_cast<std::uint32_t>(w * bits_of_word) + bit;
      }
    }
  }
  return Launch::none;
}

void Slots::set_free(std::uint32_t slot) noexcept {
  Group& group = *slots_[slot].group;
  const std::uint32_t place = slot - group.first;
  group.free[place / bits_of_word].fetch_or(std::uint64_t{1} << (place % bits_of_word), std::memory_order_seq_cst);
}

void Slots::give_back(std::uint32_t slot) {
  set_free(slot);
  if (queued_.load(std::memory_order_seq_cst) > 0) serve_waiting();
}

bool Slots::fits(Kind& kind, const Need& need) {
  if (need.memory_bytes <= memory_per_slot_ && need.pinned_bytes <= pinned_per_slot_) return true;
  if (!kind.is_too_large.exchange(true)) {
    const std::lock_guard lock(mutex_);
    notes_.push_back(
        fmt::format("a launch of '{}' needs {} bytes of a device and {} bytes of pinned memory, a slot has {} and {}: "
                    "it is computed "
                    "on the processor; fewer slots have more",
                    kind.name, need.memory_bytes, need.pinned_bytes, memory_per_slot_, pinned_per_slot_));
  }
  return false;
}

// ---- on the way to a device ----------------------------------------------------------------------------------------

base::Token Slots::token_on_device(std::uint32_t slot, std::uint32_t generation) noexcept {
  return static_cast<base::Token>((std::uint64_t{generation} << 32U) | (slot + 1U));
}

Program& Slots::begin(std::uint32_t slot, const Need& need) {
  Program& program = slots_[slot].program;
  program.clear();
  if (options_.poisons) program.poison(need.memory_bytes);
  return program;
}

void Slots::submit(std::uint32_t place, base::Token token, LaunchKind kind, double work, OnCpu otherwise) noexcept {
  Slot& slot = slots_[place];
  const std::uint32_t generation = slot.generation.fetch_add(1, std::memory_order_relaxed) + 1;
  slot.otherwise = std::move(otherwise);
  slot.work = work;
  slot.submitted_ns = base::now_ns();
  slot.kind.store(static_cast<std::uint32_t>(kind), std::memory_order_relaxed);
  slot.token.store(static_cast<std::uint64_t>(token), std::memory_order_release);
  launched_.fetch_add(1, std::memory_order_relaxed);
  slot.group->device->submit(slot.stream, slot.program.operations(), token_on_device(place, generation));
}

/// The launch could not be written down: its end is an error.
void Slots::refuse(base::Token token, LaunchKind kind, const std::exception& why) {
  const std::int32_t error = keep_failure(fmt::format("launch of '{}': {}", kinds_[index(kind)]->name, why.what()));
  {
    const std::lock_guard lock(mutex_);
    ended_.push_back({.token = token, .error = error});
    ended_count_.store(ended_.size(), std::memory_order_release);
  }
  failed_.fetch_add(1, std::memory_order_relaxed);
}

void Slots::wait(Waiting launch) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(launch));
    queued_.store(waiting_.size(), std::memory_order_seq_cst);
    most_waiting_.store(std::max(most_waiting_.load(std::memory_order_relaxed), waiting_.size()));
  }
  waited_.fetch_add(1, std::memory_order_relaxed);
  if (has_devices()) {
    serve_waiting();
  } else {
    end_without_devices();
  }
}

/// Gives free slots to those who wait. Called after one has been given back, and after one waits: of the two who do so
/// at once, at least one sees what the other has done.
void Slots::serve_waiting() {
  while (queued_.load(std::memory_order_seq_cst) > 0) {
    Waiting first;
    std::uint32_t slot = Launch::none;
    std::exception_ptr error;
    {
      const std::lock_guard lock(mutex_);
      if (waiting_.empty()) return;
      slot = take();
      if (slot == Launch::none) return;
      first = std::move(waiting_.front());
      waiting_.pop_front();
      queued_.store(waiting_.size(), std::memory_order_seq_cst);
      // Under the lock, so that devices are given launches in their order.
      try {
        first.record(begin(slot, first.need));
        submit(slot, first.token, first.kind, first.need.work, std::move(first.otherwise));
      } catch (...) {
        error = std::current_exception();
      }
    }
    if (!error) continue;
    try {
      std::rethrow_exception(error);
    } catch (const std::exception& why) {
      refuse(first.token, first.kind, why);
    }
    set_free(slot);
  }
}

/// All devices are lost: what waits for one is computed here, or fails.
void Slots::end_without_devices() {
  for (;;) {
    Waiting first;
    {
      const std::lock_guard lock(mutex_);
      if (waiting_.empty()) return;
      first = std::move(waiting_.front());
      waiting_.pop_front();
      queued_.store(waiting_.size(), std::memory_order_seq_cst);
    }
    const std::string why = fmt::format("launch of '{}': all devices are lost", kinds_[index(first.kind)]->name);
    const base::Completion end = rescue_or_fail(first.token, first.kind, first.otherwise, why);
    if (end.error == 0) on_cpu_.fetch_add(1, std::memory_order_relaxed);
    const std::lock_guard lock(mutex_);
    ended_.push_back(end);
    ended_count_.store(ended_.size(), std::memory_order_release);
  }
}

}  // namespace tacit::gpu
