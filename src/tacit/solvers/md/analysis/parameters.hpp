// What is measured of atoms while a run goes on: the table [analysis].
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "tacit/config/parameters.hpp"

namespace tacit::md {

/// How far atoms are from each other.
struct PairSampling {
  std::uint64_t steps = 1;  ///< between samples
  double reach = 0.0;       ///< the largest distance [length]
  std::uint64_t bins = 200;
};

/// How atoms move away from where they were.
struct MotionSampling {
  std::uint64_t steps = 1;
  double interval = 0.0;   ///< between samples [time]
  std::size_t levels = 1;  ///< of histories, see Motion
};

/// Waves of the density.
struct WaveSampling {
  std::uint64_t steps = 1;
  double highest = 0.0;               ///< wave number [length^-1]
  std::uint64_t waves_of_shell = 64;  ///< that are taken at most
};

/// Profiles across the box.
struct SlabSampling {
  std::uint64_t steps = 1;
  std::uint64_t count = 50;
  std::size_t axis = 2;
};

struct AnalysisParameters {
  std::uint64_t first_step = 0;  ///< whose end state is the first sample, counted from 0: the initial conditions
  std::optional<double> write_every = {};
  std::optional<PairSampling> pairs = {};
  std::optional<MotionSampling> motion = {};
  std::optional<WaveSampling> waves = {};
  std::optional<SlabSampling> slabs = {};
  std::optional<double> bond = {};  ///< length within which atoms are neighbours, for the order in snapshots [length]

  /// Whether samples are taken.
  [[nodiscard]] bool is_on() const noexcept { return pairs || motion || waves || slabs; }
};

[[nodiscard]] std::span<const config::Key> analysis_keys();

struct MdParameters;
/// @param md      all but its analysis
/// @param cutoff  of the potential [length]
/// @throws config::Error where intervals are no whole numbers of steps, or contradict other keys
[[nodiscard]] AnalysisParameters read_analysis(const config::Parameters& p, const MdParameters& md, double cutoff);

}  // namespace tacit::md
