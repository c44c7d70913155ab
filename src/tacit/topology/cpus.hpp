// The processors that this process may use, in the order in which workers take them, and threads bound to them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tacit::topology {

namespace detail {
class CpuMask;
}

/// A logical processor, numbered as the kernel does: one hardware thread of a core.
enum class CpuId : std::uint32_t {};

/// How many threads this process may use: the affinity mask and the control group's quota, at least 1.
///
/// It is the calling thread's mask that counts, here and below: ask before a Binding narrows it. New threads inherit
/// it.
[[nodiscard]] std::size_t available_threads();

/// The processors in the affinity mask in the order in which workers should take them: one of each core first, the
/// cores' second hardware threads last; those of one package, and of one last-level cache in it, next to each other.
///
/// @return  ascending where the machine does not tell its shape; empty where the kernel does not tell the mask
/// Cost: three small files of /sys for each processor.
[[nodiscard]] std::vector<CpuId> allowed_cpus();

/// Whether `workers` threads may each be bound to a processor of allowed_cpus() without harm: they are as many, and the
/// control group grants them all. Otherwise two processes that share a machine would both take its first processors.
[[nodiscard]] bool should_bind(std::size_t workers);

/// Binds the calling thread to one processor for as long as it lives, then gives the thread its former mask back.
///
///     std::optional<topology::Binding> binding;
///     if (topology::should_bind(workers)) binding.emplace(topology::allowed_cpus()[worker]);
///
/// @pre destroyed by the thread that made it; of several of one thread, the last one first
class Binding {
 public:
  /// Leaves the thread as it is where the kernel refuses: a processor that is offline, forbidden or does not exist.
  explicit Binding(CpuId cpu);
  ~Binding();
  Binding(const Binding&) = delete;
  Binding& operator=(const Binding&) = delete;

  [[nodiscard]] bool is_bound() const noexcept { return before_ != nullptr; }

 private:
  std::unique_ptr<const detail::CpuMask> before_;  // null: not bound
};

}  // namespace tacit::topology
