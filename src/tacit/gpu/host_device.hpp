// Threads that stand for a device: what is there without one, and what tests break.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/gpu/device.hpp"

namespace tacit::gpu {

struct HostDeviceOptions {
  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

  std::string name = "host device";
  std::size_t streams = 128;
  std::size_t memory_bytes = std::size_t{1} << 26U;
  std::size_t pinned_bytes = 0;
  std::size_t threads = 1;  ///< that run what streams were given; >= 1
  std::size_t team = 1;     ///< threads of a team; more than one are started for each kernel, for sanitizers
  PhaseOrder order = PhaseOrder::forward;  ///< of a team of one

  // What tests impose. Launches count from 0, in the order in which they are submitted.
  double delay_s = 0.0;             ///< from the submission of a launch to its begin
  double random_delay_s = 0.0;      ///< up to so much is added
  double failing_share = 0.0;       ///< of launches, by chance
  std::uint64_t fails_at = never;   ///< this launch
  std::uint64_t lost_at = never;    ///< this launch, and all behind it
  bool is_lost_in_results = false;  ///< the device is lost in the midst of the copies to the host, not before
  std::uint64_t seed = 0;           ///< of what chance decides
};

/// Runs submitted operations on threads of its own, those of the earliest begin first.
class HostDevice final : public Device {
 public:
  /// @throws base::PreconditionError without streams or threads; base::SystemError if memory or threads are refused
  explicit HostDevice(HostDeviceOptions options);
  /// Waits for what runs; drops what has not begun.
  ~HostDevice() override;

  [[nodiscard]] std::string_view name() const override { return options_.name; }
  [[nodiscard]] std::size_t streams() const noexcept override { return options_.streams; }
  [[nodiscard]] std::span<std::byte> memory() const noexcept override { return {memory_.get(), options_.memory_bytes}; }
  [[nodiscard]] std::span<std::byte> pinned() const noexcept override { return {pinned_.get(), options_.pinned_bytes}; }
  [[nodiscard]] bool is_lost() const noexcept override { return is_lost_.load(std::memory_order_acquire); }
  void submit(std::size_t stream, std::span<const Operation> operations, base::Token token) noexcept override;

  std::size_t poll(std::span<base::Completion> completions) override;
  /// Waits for what runs at present, which ends by itself; what has not begun never will. No completion follows.
  void cancel(base::Token token) override;
  [[nodiscard]] std::string explain(const base::Completion& completion) const override;

  // For tests.
  /// From now on nothing begins, as on a device that hangs.
  void hold();
  void release();
  /// Launches that were submitted so far.
  [[nodiscard]] std::uint64_t submitted() const;
  /// The most that were under way at once.
  [[nodiscard]] std::size_t most_at_once() const;
  /// Tokens in the order in which launches began.
  void record_order();
  [[nodiscard]] std::vector<base::Token> order() const;

 private:
  struct Launch {
    std::int64_t begin_ns = 0;
    std::uint64_t number = 0;
    std::span<const Operation> operations;
    base::Token token = base::Token::none;
    std::int64_t submitted_ns = 0;
  };
  struct FreeMemory {
    void operator()(std::byte* memory) const noexcept;
  };
  using Memory = std::unique_ptr<std::byte[], FreeMemory>;

  [[nodiscard]] static Memory allocate(std::size_t bytes, const std::string& name);
  /// Later ones come first in the order of a heap whose top is the next.
  static bool is_later(const Launch& a, const Launch& b) noexcept;
  void serve();
  [[nodiscard]] bool wait_for_work(std::unique_lock<std::mutex>& lock);
  [[nodiscard]] Failure run(const Launch& launch) noexcept;
  [[nodiscard]] bool run_kernel(const KernelCall& kernel) const noexcept;
  [[nodiscard]] bool run_by_threads(const KernelCall& kernel) const noexcept;
  [[nodiscard]] bool fails(std::uint64_t number) const noexcept;

  HostDeviceOptions options_;
  Memory memory_;
  Memory pinned_;
  mutable std::mutex mutex_;
  std::condition_variable work_;   // there is some, or the end
  std::condition_variable ended_;  // a launch has
  std::vector<Launch> waiting_;    // a heap
  std::vector<base::Token> running_;
  std::vector<base::Completion> finished_;
  std::vector<base::Token> order_;
  std::uint64_t submitted_ = 0;
  std::size_t under_way_ = 0;
  std::size_t most_at_once_ = 0;
  std::size_t sleepers_ = 0;
  bool is_held_ = false;
  bool is_stopping_ = false;
  bool records_order_ = false;
  std::atomic<bool> is_lost_{false};
  std::atomic<std::size_t> to_begin_{0};     // entries of waiting_, for threads that look before they sleep
  std::atomic<std::size_t> to_hand_out_{0};  // entries of finished_
  std::vector<std::jthread> threads_;
};

}  // namespace tacit::gpu
