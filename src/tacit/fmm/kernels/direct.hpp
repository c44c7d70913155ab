// Loops over pairs of bodies; compiled once per instruction set.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "tacit/base/cpu_features.hpp"

namespace tacit::fmm::kernels {

/// What softens a pair.
enum class SofteningKind : std::uint8_t { none, plummer, wendland_c2 };

/// Consecutive bodies.
struct Group {
  std::size_t begin = 0;
  std::size_t count = 0;
  [[nodiscard]] std::size_t end() const noexcept { return begin + count; }
};

/// Bodies as the loops read them. Behind the last there is memory for DirectLoops::widest numbers, all finite.
template <class Real>
struct BodyArrays {
  const Real* x = nullptr;
  const Real* y = nullptr;
  const Real* z = nullptr;
  const Real* m = nullptr;
  SofteningKind softening = SofteningKind::none;  ///< of all pairs
  Real length = 0;                                ///< epsilon or H
};

/// Sums for each body, by its number, with the same memory behind: minus the potential, and the acceleration.
template <class Real>
struct SumArrays {
  Real* psi = nullptr;
  Real* ax = nullptr;
  Real* ay = nullptr;
  Real* az = nullptr;
};

/// The loops of one instruction set. Lanes are sources. The order of sums follows from the groups alone, but another
/// instruction set rounds otherwise.
template <class Real>
struct DirectLoops {
  static constexpr std::size_t widest = 16;  ///< numbers in a pack of any set
  /// Adds what sources do to each sink, but for itself where it is one of them. Each sink is computed alone.
  void (*add)(const BodyArrays<Real>&, Group sinks, Group sources, const SumArrays<Real>&);
  /// Adds what two groups do to each other, each pair once; of a group with itself if it is given twice, else they have
  /// no body in common.
  void (*add_mutual)(const BodyArrays<Real>&, Group a, Group b, const SumArrays<Real>&);
};

template <class Real, class Isa>
[[nodiscard]] DirectLoops<Real> direct_loops_of() noexcept;
/// Those of a set that this processor can use.
template <class Real>
[[nodiscard]] DirectLoops<Real> direct_loops(base::InstructionSet set) noexcept;

}  // namespace tacit::fmm::kernels
