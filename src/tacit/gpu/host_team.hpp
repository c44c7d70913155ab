// A team of threads of the host that runs the phases of a kernel.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <barrier>
#include <cstddef>
#include <cstdint>

#include "tacit/base/cpu_features.hpp"

namespace tacit::gpu {

/// In which order one thread goes through a phase. No kernel may depend on it.
enum class PhaseOrder : std::uint8_t { forward, backward };

/// One thread of a team. A team of one runs each phase as a loop; in a larger one, whose threads meet behind each
/// phase, a thread sanitizer sees where a kernel lacks a phase.
class HostTeam {
 public:
  /// Of the packs with which kernels compute.
  using Isa = base::isa::scalar;

  HostTeam() = default;
  explicit HostTeam(PhaseOrder order) noexcept : order_(order) {}
  /// @param meeting  of all threads of the team
  HostTeam(std::size_t rank, std::size_t size, std::barrier<>& meeting) noexcept
      : rank_(rank), size_(size), meeting_(&meeting) {}

  [[nodiscard]] std::size_t rank() const noexcept { return rank_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// A phase: calls visit(i) once for each i < n, by some thread of the team. What it writes all threads see in the
  /// phases behind it. All threads of the team call it alike.
  template <class Visit>
  void each(std::size_t n, const Visit& visit) {
    if (order_ == PhaseOrder::backward) {
      for (std::size_t i = n; i > 0; --i) visit(i - 1);
    } else {
      for (std::size_t i = rank_; i < n; i += size_) visit(i);
    }
    if (meeting_ != nullptr) meeting_->arrive_and_wait();
  }

 private:
  std::size_t rank_ = 0;
  std::size_t size_ = 1;
  PhaseOrder order_ = PhaseOrder::forward;
  std::barrier<>* meeting_ = nullptr;
};

}  // namespace tacit::gpu
