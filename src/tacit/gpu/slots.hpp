// Launch slots: who gets a stream of a device, who waits for one, and who computes on the processor at once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tacit/base/clock.hpp"
#include "tacit/base/completion.hpp"
#include "tacit/base/computing_source.hpp"
#include "tacit/base/error.hpp"
#include "tacit/gpu/device.hpp"
#include "tacit/gpu/forecast.hpp"
#include "tacit/gpu/program.hpp"

namespace tacit::gpu {

/// Who computes where no slot is free.
enum class Fallback : std::uint8_t {
  always,     ///< the processor, at once
  never,      ///< the device, when a slot becomes free: in the order in which launches were posted
  predicted,  ///< who is expected to end first, by what both have taken so far
};

/// A kind of launches of one Slots: "gas flux".
enum class LaunchKind : std::uint32_t {};

/// What a launch asks for.
struct Need {
  std::size_t memory_bytes = 0;  ///< sum of aligned_bytes of all memory of the device that it takes
  std::size_t pinned_bytes = 0;
  double work = 1.0;  ///< what its time is about in proportion to: cells
};

/// What became of launches so far.
struct LaunchCounts {
  std::uint64_t launched = 0;    ///< on a device
  std::uint64_t on_cpu = 0;      ///< computed on the processor, for want of a slot or by prediction
  std::uint64_t waited = 0;      ///< of those launched: had to wait for a slot
  std::uint64_t failed = 0;      ///< on a device
  std::uint64_t rescued = 0;     ///< of those failed: computed on the processor all the same
  std::size_t most_waiting = 0;  ///< at once

  /// Of all, computed on a device; 1 without any.
  [[nodiscard]] double share() const noexcept;
};

struct SlotsOptions {
  std::size_t slots = 128;  ///< of all devices together, which share them evenly
  Fallback fallback = Fallback::always;
  std::string name = "launch slots";
  bool poisons = false;  ///< memory of a launch holds nothing but NaNs at its begin: for tests
};

class Slots;

/// Computes on the processor what a launch would have.
using OnCpu = std::function<void()>;

/// A slot, or a place among those who wait for one. It is given back unless `post` is called.
class Launch {
 public:
  Launch() = default;
  Launch(Launch&& other) noexcept
      : slots_(std::exchange(other.slots_, nullptr)), slot_(other.slot_), kind_(other.kind_), need_(other.need_) {}
  Launch& operator=(Launch&& other) noexcept {
    std::swap(slots_, other.slots_);
    std::swap(slot_, other.slot_);
    std::swap(kind_, other.kind_);
    std::swap(need_, other.need_);
    return *this;
  }
  ~Launch();

  /// False: it is for the processor to compute.
  [[nodiscard]] explicit operator bool() const noexcept { return slots_ != nullptr; }

  /// Starts the launch: its end is a completion of the Slots. Once; never blocks, never throws.
  /// @param record     writes down what the launch does; called here, or once it gets a slot: what it refers to stays
  ///                   until the completion. What it throws is a completion with an error.
  /// @param otherwise  if given, computes it where the device fails before results are copied; by the worker that
  ///                   polls. Without it a failure is a completion with an error.
  /// @pre is true
  template <class Record>
    requires std::invocable<Record&, Program&>
  void post(base::Token token, Record record, OnCpu otherwise = {}) noexcept;

 private:
  friend class Slots;
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  Launch(Slots* slots, std::uint32_t slot, LaunchKind kind, const Need& need) noexcept
      : slots_(slots), slot_(slot), kind_(kind), need_(need) {}

  Slots* slots_ = nullptr;
  std::uint32_t slot_ = none;  // none: waits
  LaunchKind kind_{};
  Need need_;
};

/// The launch slots of some devices. A slot is a stream with its share of the device's memory, for one launch at a
/// time. Free slots are counted here; no device is asked.
///
///     graph.add("stage", reads(u) + writes(v), [&](tasks::StepContext& step) {
///       if (auto launch = slots.acquire(stage, need)) {
///         launch.post(step.await(slots), [=](gpu::Program& on) { ... });  // the task ends with the launch
///       } else {
///         slots.run_on_cpu(stage, need.work, [&] { ... });                // the same, here
///       }
///     });
///
/// In a coroutine: `co_await tasks::completion(slots, [&](base::Token token) { launch.post(token, record); })`. The
/// scheduler polls the Slots (Scheduler::attach), not the devices.
///
/// A device that is lost gets no more launches. Without any device left, and where a launch needs more memory than a
/// slot has, the processor computes, whatever `fallback` says; new_notes says so once.
///
/// Threads: acquire, post and run_on_cpu at once; the rest as CompletionSource has it.
class Slots final : public base::ComputingSource {
 public:
  /// @param devices  outlive it; without any, or with no slots, the processor computes everything
  Slots(std::span<Device* const> devices, SlotsOptions options);
  /// @pre no launch is under way
  ~Slots() override;

  /// The kind of that name, made on first use. @pre nothing is launched meanwhile
  LaunchKind kind(std::string_view name);
  /// A slot, or a place in the queue; or nothing: then the caller computes. Round robin over devices.
  /// No lock unless launches wait.
  [[nodiscard]] Launch acquire(LaunchKind kind, const Need& need);
  /// Computes what `acquire` gave nothing for, and counts and times it.
  template <class Compute>
  void run_on_cpu(LaunchKind kind, double work, const Compute& compute) {
    const std::int64_t begin = base::now_ns();
    compute();
    note_on_cpu(kind, work, base::now_ns() - begin);
  }

  /// Slots in all; fewer than were asked for where a device has not as many streams.
  [[nodiscard]] std::size_t size() const noexcept { return slot_count_; }
  /// What each slot has of a device's memory: the least of any [byte].
  [[nodiscard]] std::size_t memory_per_slot() const noexcept { return memory_per_slot_; }
  [[nodiscard]] std::size_t pinned_per_slot() const noexcept { return pinned_per_slot_; }
  [[nodiscard]] LaunchCounts counts() const;
  /// Launches that wait for a slot.
  [[nodiscard]] std::size_t waiting() const noexcept { return queued_.load(std::memory_order_acquire); }
  /// Mean times of a kind.
  [[nodiscard]] const Forecast& forecast(LaunchKind kind) const { return kinds_[index(kind)]->forecast; }
  /// What a person should know and has not been told: lost devices, failed launches, too little memory.
  [[nodiscard]] std::vector<std::string> new_notes();

  [[nodiscard]] std::string_view name() const override { return options_.name; }
  std::size_t poll(std::span<base::Completion> completions) override;
  void cancel(base::Token token) override;
  [[nodiscard]] std::string describe(base::Token token) const override;
  [[nodiscard]] std::string explain(const base::Completion& completion) const override;

 private:
  friend class Launch;
  struct Kind {
    std::string name;
    Forecast forecast;
    std::atomic<std::uint64_t> asked{0};
    std::atomic<bool> is_too_large{false};  // has been noted, as has:
    std::atomic<bool> is_failing{false};
  };
  /// The slots of one device.
  struct Group {
    Device* device = nullptr;
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    std::vector<std::atomic<std::uint64_t>> free;  // a bit for each slot
    std::atomic<bool> is_lost{false};
  };
  /// On cache lines of its own: two workers record at once.
  struct alignas(128) Slot {
    Group* group = nullptr;
    std::size_t stream = 0;
    Program program;
    OnCpu otherwise;
    double work = 1.0;
    std::int64_t submitted_ns = 0;
    std::atomic<std::uint64_t> token{0};  // none: nothing is under way
    std::atomic<std::uint32_t> kind{0};
    std::atomic<std::uint32_t> generation{0};  // of what was submitted: tells completions of cancelled launches apart
  };
  struct Waiting {
    base::Token token = base::Token::none;
    LaunchKind kind{};
    Need need;
    std::function<void(Program&)> record;
    OnCpu otherwise;
  };

  static std::size_t index(LaunchKind kind) noexcept { return static_cast<std::size_t>(kind); }
  [[nodiscard]] static base::Token token_on_device(std::uint32_t slot, std::uint32_t generation) noexcept;
  [[nodiscard]] std::uint32_t take() noexcept;
  void add_group(Device& device, std::size_t count);
  [[nodiscard]] static std::uint32_t take_of(Group& group) noexcept;
  void set_free(std::uint32_t slot) noexcept;
  void give_back(std::uint32_t slot);
  [[nodiscard]] bool fits(Kind& kind, const Need& need);
  /// The slot's program, empty.
  [[nodiscard]] Program& begin(std::uint32_t slot, const Need& need);
  void submit(std::uint32_t slot, base::Token token, LaunchKind kind, double work, OnCpu otherwise) noexcept;
  void refuse(base::Token token, LaunchKind kind, const std::exception& why);
  void wait(Waiting launch);
  void serve_waiting();
  void end_without_devices();
  [[nodiscard]] std::optional<base::Completion> finish(const base::Completion& of_device);
  void note_if_lost(Group& group);
  [[nodiscard]] base::Completion rescue_or_fail(base::Token token, LaunchKind kind, const OnCpu& otherwise,
                                                const std::string& why);
  [[nodiscard]] std::int32_t keep_failure(std::string why);
  void note_on_cpu(LaunchKind kind, double work, std::int64_t ns);
  [[nodiscard]] std::size_t take_ended(std::span<base::Completion> completions);
  [[nodiscard]] bool has_devices() const noexcept { return groups_left_.load(std::memory_order_acquire) > 0; }

  SlotsOptions options_;
  std::vector<std::unique_ptr<Group>> groups_;
  std::unique_ptr<Slot[]> slots_;
  std::size_t slot_count_ = 0;
  std::size_t memory_per_slot_ = 0;
  std::size_t pinned_per_slot_ = 0;
  std::vector<std::unique_ptr<Kind>> kinds_;
  std::atomic<std::uint32_t> next_group_{0};
  std::atomic<std::size_t> groups_left_{0};

  std::atomic<std::uint64_t> launched_{0}, on_cpu_{0}, waited_{0}, failed_{0}, rescued_{0};
  std::atomic<std::size_t> most_waiting_{0};

  mutable std::mutex mutex_;  // of all below
  std::deque<Waiting> waiting_;
  std::vector<base::Completion> ended_;  // launches that no device has seen, and other ends
  std::vector<std::string> failures_;    // those of error 1, 2, ..., again and again
  std::size_t failures_kept_ = 0;
  std::vector<std::string> notes_;
  std::atomic<std::size_t> queued_{0};       // entries of waiting_
  std::atomic<std::size_t> ended_count_{0};  // entries of ended_
  std::size_t first_polled_ = 0;             // group; of the thread that polls
};

template <class Record>
  requires std::invocable<Record&, Program&>
void Launch::post(base::Token token, Record record, OnCpu otherwise) noexcept {
  TACIT_EXPECT(slots_ != nullptr);
  Slots& slots = *std::exchange(slots_, nullptr);
  if (slot_ == none) {
    slots.wait(
        {.token = token, .kind = kind_, .need = need_, .record = std::move(record), .otherwise = std::move(otherwise)});
    return;
  }
  try {
    record(slots.begin(slot_, need_));
  } catch (const std::exception& error) {
    slots.refuse(token, kind_, error);
    slots.give_back(slot_);
    return;
  }
  slots.submit(slot_, token, kind_, need_.work, std::move(otherwise));
}

}  // namespace tacit::gpu
