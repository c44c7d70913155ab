// Runs what streams are given on threads.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/gpu/host_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <barrier>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <new>
#include <system_error>
#include <utility>

#include "tacit/base/clock.hpp"
#include "tacit/base/random.hpp"
#include "tacit/gpu/program.hpp"

namespace tacit::gpu {
namespace {

/// A thread looks so often whether there is work before it sleeps: to wake one takes longer than a small kernel does.
constexpr int looks_before_sleep = 64;

}  // namespace

void HostDevice::FreeMemory::operator()(std::byte* memory) const noexcept {
  ::operator delete[](memory, std::align_val_t{memory_alignment});
}

HostDevice::Memory HostDevice::allocate(std::size_t bytes, const std::string& name) {
  if (bytes == 0) return {};
  void* const memory = ::operator new[](bytes, std::align_val_t{memory_alignment}, std::nothrow);
  if (memory == nullptr) {
    throw base::SystemError(
        name, fmt::format("{:.3g} MB of memory cannot be allocated", 1e-6 * static_cast<double>(bytes)), ENOMEM);
  }
  return Memory(static_cast<std::byte*>(memory));
}

HostDevice::HostDevice(HostDeviceOptions options)
    : options_(std::move(options)),
      memory_(allocate(options_.memory_bytes, options_.name)),
      pinned_(allocate(options_.pinned_bytes, options_.name)) {
  if (options_.streams == 0 || options_.threads == 0 || options_.team == 0) {
    throw base::PreconditionError("a host device has at least one stream and one thread");
  }
  waiting_.reserve(options_.streams);
  running_.reserve(options_.threads);
  finished_.reserve(options_.streams);
  try {
    for (std::size_t i = 0; i < options_.threads; ++i) threads_.emplace_back([this] { serve(); });
  } catch (const std::system_error& error) {
    {
      const std::lock_guard lock(mutex_);
      is_stopping_ = true;
    }
    work_.notify_all();
    throw base::SystemError(options_.name, "a thread cannot be started", error.code().value());
  }
}

HostDevice::~HostDevice() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  work_.notify_all();
  threads_.clear();
}

bool HostDevice::is_later(const Launch& a, const Launch& b) noexcept {
  return a.begin_ns != b.begin_ns ? a.begin_ns > b.begin_ns : a.number > b.number;
}

void HostDevice::submit(std::size_t /*stream*/, std::span<const Operation> operations, base::Token token) noexcept {
  const std::int64_t now = base::now_ns();
  bool wakes = false;
  {
    const std::lock_guard lock(mutex_);
    const std::uint64_t number = submitted_++;
    const double delay = options_.delay_s + options_.random_delay_s * base::uniform(options_.seed, number, 0);
    waiting_.push_back({.begin_ns = now + static_cast<std::int64_t>(1e9 * delay),
                        .number = number,
                        .operations = operations,
                        .token = token,
                        .submitted_ns = now});
    std::ranges::push_heap(waiting_, is_later);
    most_at_once_ = std::max(most_at_once_, ++under_way_);
    to_begin_.store(waiting_.size(), std::memory_order_release);
    wakes = sleepers_ > 0;
  }
  if (wakes) work_.notify_one();
}

std::size_t HostDevice::poll(std::span<base::Completion> completions) {
  if (to_hand_out_.load(std::memory_order_acquire) == 0) return 0;
  const std::lock_guard lock(mutex_);
  const std::size_t count = std::min(completions.size(), finished_.size());
  const auto end = finished_.begin() + static_cast<std::ptrdiff_t>(count);
  std::copy(finished_.begin(), end, completions.begin());
  finished_.erase(finished_.begin(), end);
  to_hand_out_.store(finished_.size(), std::memory_order_release);
  return count;
}

void HostDevice::cancel(base::Token token) {
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [&] { return std::ranges::find(running_, token) == running_.end(); });
  const std::size_t began = std::erase_if(waiting_, [token](const Launch& launch) { return launch.token == token; });
  under_way_ -= began;
  std::ranges::make_heap(waiting_, is_later);
  std::erase_if(finished_, [token](const base::Completion& completion) { return completion.token == token; });
  to_begin_.store(waiting_.size(), std::memory_order_release);
  to_hand_out_.store(finished_.size(), std::memory_order_release);
}

std::string HostDevice::explain(const base::Completion& completion) const {
  switch (static_cast<Failure>(completion.error)) {
    case Failure::none:
      return "no error";
    case Failure::launch:
      return "a kernel failed";
    case Failure::lost:
      return "the device is lost";
    case Failure::in_results:
      return is_lost() ? "the device was lost while it copied results" : "a kernel failed after results were copied";
  }
  return CompletionSource::explain(completion);
}

// ---- the threads ---------------------------------------------------------------------------------------------------

void HostDevice::serve() {
  std::unique_lock lock(mutex_);
  while (wait_for_work(lock)) {
    std::ranges::pop_heap(waiting_, is_later);
    const Launch launch = waiting_.back();
    waiting_.pop_back();
    to_begin_.store(waiting_.size(), std::memory_order_release);
    running_.push_back(launch.token);
    if (records_order_) order_.push_back(launch.token);
    lock.unlock();
    const std::int64_t begin = base::now_ns();
    const Failure failure = run(launch);
    // What the launch takes alone: the wait for a thread is not its own, an imposed delay is.
    const std::int64_t alone =
        base::now_ns() - begin + std::max<std::int64_t>(launch.begin_ns - launch.submitted_ns, 0);
    lock.lock();
    std::erase(running_, launch.token);
    --under_way_;
    finished_.push_back({.token = launch.token,
                         .error = static_cast<std::int32_t>(failure),
                         .alone_s = 1e-9F * static_cast<float>(alone)});
    to_hand_out_.store(finished_.size(), std::memory_order_release);
    ended_.notify_all();
  }
}

/// @return  false: the device is to end
bool HostDevice::wait_for_work(std::unique_lock<std::mutex>& lock) {
  bool has_looked = false;
  while (!is_stopping_) {
    const bool has_some = !is_held_ && !waiting_.empty();
    if (has_some && waiting_.front().begin_ns <= base::now_ns()) return true;
    if (!has_some && !is_held_ && !has_looked) {
      lock.unlock();
      for (int look = 0; look < looks_before_sleep && to_begin_.load(std::memory_order_acquire) == 0; ++look) {
        std::this_thread::yield();
      }
      lock.lock();
      has_looked = true;
      continue;
    }
    ++sleepers_;
    if (has_some) {
      work_.wait_for(lock, std::chrono::nanoseconds(waiting_.front().begin_ns - base::now_ns()));
    } else {
      work_.wait(lock);
    }
    --sleepers_;
    has_looked = false;
  }
  return false;
}

bool HostDevice::fails(std::uint64_t number) const noexcept {
  return number == options_.fails_at || base::uniform(options_.seed, number, 1) < options_.failing_share;
}

Failure HostDevice::run(const Launch& launch) noexcept {
  const bool is_at_loss = launch.number >= options_.lost_at;
  if (is_lost() || (is_at_loss && !options_.is_lost_in_results)) {
    is_lost_.store(true, std::memory_order_release);
    return Failure::lost;
  }
  bool has_copied_out = false;
  for (const Operation& operation : launch.operations) {
    switch (operation.what) {
      case Operation::What::fill:
        std::memset(operation.copy.to, operation.value, operation.copy.row_bytes);
        break;
      case Operation::What::copy_in:
        operation.copy.run();
        break;
      case Operation::What::kernel:
        if (fails(launch.number) || !run_kernel(operation.kernel)) {
          return has_copied_out ? Failure::in_results : Failure::launch;
        }
        break;
      case Operation::What::copy_out:
        if (is_at_loss) {
          Copy half = operation.copy;
          half.row_bytes /= 2;
          half.run();
          is_lost_.store(true, std::memory_order_release);
          return Failure::in_results;
        }
        operation.copy.run();
        has_copied_out = true;
        break;
    }
  }
  return Failure::none;
}

/// @return  whether it ended without an exception
bool HostDevice::run_kernel(const KernelCall& kernel) const noexcept {
  if (options_.team > 1) return run_by_threads(kernel);
  try {
    HostTeam team(options_.order);
    for (std::size_t block = 0; block < kernel.blocks; ++block) kernel.on_host(kernel.arguments, team, block);
    return true;
  } catch (...) {
    return false;
  }
}

bool HostDevice::run_by_threads(const KernelCall& kernel) const noexcept {
  std::atomic<bool> failed{false};
  std::barrier<> meeting(static_cast<std::ptrdiff_t>(options_.team));
  std::vector<std::jthread> threads;
  // Who leaves the team for an error lets the others go on, whose results are dropped.
  const auto leave = [&] {
    failed.store(true);
    meeting.arrive_and_drop();
  };
  const auto run_blocks = [&](std::size_t rank) {
    try {
      HostTeam team(rank, options_.team, meeting);
      for (std::size_t block = 0; block < kernel.blocks; ++block) kernel.on_host(kernel.arguments, team, block);
    } catch (...) {
      leave();
    }
  };
  for (std::size_t rank = 0; rank < options_.team; ++rank) {
    try {
      threads.emplace_back(run_blocks, rank);
    } catch (...) {
      leave();
    }
  }
  threads.clear();
  return !failed.load();
}

void HostDevice::hold() {
  const std::lock_guard lock(mutex_);
  is_held_ = true;
}

void HostDevice::release() {
  {
    const std::lock_guard lock(mutex_);
    is_held_ = false;
  }
  work_.notify_all();
}

std::uint64_t HostDevice::submitted() const {
  const std::lock_guard lock(mutex_);
  return submitted_;
}

std::size_t HostDevice::most_at_once() const {
  const std::lock_guard lock(mutex_);
  return most_at_once_;
}

void HostDevice::record_order() {
  const std::lock_guard lock(mutex_);
  records_order_ = true;
}

std::vector<base::Token> HostDevice::order() const {
  const std::lock_guard lock(mutex_);
  return order_;
}

}  // namespace tacit::gpu
