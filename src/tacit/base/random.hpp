// Counter-based random numbers: the same value for the same (seed, key, draw) on any rank, thread or order.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tacit::base {

/// Mixes 64 bits so that every input bit changes half of the output bits.
///
/// @see Steele, Lea & Flood (2014), OOPSLA, the finaliser of SplitMix64 (constants of variant 13)
[[nodiscard]] constexpr std::uint64_t mix64(std::uint64_t z) noexcept {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

/// A uniform number in [0, 1) keyed by (seed, key, draw), for example (run, particle ID, axis).
[[nodiscard]] constexpr double uniform(std::uint64_t seed, std::uint64_t key, std::uint64_t draw) noexcept {
  constexpr std::uint64_t golden = 0x9e3779b97f4a7c15ULL;
  const std::uint64_t bits = mix64(mix64(mix64(seed + golden) + key + golden) + draw + golden);
  return static_cast<double>(bits >> 11) * 0x1.0p-53;
}

}  // namespace tacit::base
