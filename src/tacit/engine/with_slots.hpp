// What a solver with launch slots offers beside what all do.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tacit::gpu {
class Slots;
}

namespace tacit::engine {

/// A base of solvers that launch on a device: the end of a run then says what became of launches.
class WithSlots {
 public:
  WithSlots() = default;
  WithSlots(const WithSlots&) = delete;
  WithSlots& operator=(const WithSlots&) = delete;
  virtual ~WithSlots() = default;

  /// Null: this run has none.
  [[nodiscard]] virtual const gpu::Slots* slots() const noexcept = 0;
};

}  // namespace tacit::engine
