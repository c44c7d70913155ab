// The stages of the schemes in time: what they read, and how much each counts in the whole step.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "tacit/solvers/amr/kernels/gas.hpp"

namespace tacit::amr {

/// Schemes that keep bounded what single steps of Euler keep so. @see Shu & Osher (1988), J. Comput. Phys. 77, 439
enum class Integrator : std::uint8_t { rk2, rk3 };

/// States at the points of a step.
enum class Moment : std::uint8_t {
  now,      ///< at its begin, and after it
  between,  ///< after the first stage
  later,    ///< after the second of three
};

inline constexpr std::array stages_of_rk2{kernels::Stage::first, kernels::Stage::second};
inline constexpr std::array stages_of_rk3{kernels::Stage::first, kernels::Stage::second_of_three,
                                          kernels::Stage::third_of_three};
[[nodiscard]] constexpr std::span<const kernels::Stage> stages_of(Integrator integrator) noexcept {
  if (integrator == Integrator::rk2) return stages_of_rk2;
  return stages_of_rk3;
}

/// Its place in the step.
[[nodiscard]] constexpr std::size_t number_of(kernels::Stage stage) noexcept {
  if (stage == kernels::Stage::third_of_three) return 2;
  return stage == kernels::Stage::first ? 0 : 1;
}
[[nodiscard]] constexpr bool is_last(kernels::Stage stage) noexcept {
  return stage == kernels::Stage::second || stage == kernels::Stage::third_of_three;
}
/// What a stage begins with.
[[nodiscard]] constexpr Moment begin_of(kernels::Stage stage) noexcept {
  return std::array{Moment::now, Moment::between, Moment::later}[number_of(stage)];
}
/// What it leaves.
[[nodiscard]] constexpr Moment end_of(kernels::Stage stage) noexcept {
  if (is_last(stage)) return Moment::now;
  return stage == kernels::Stage::first ? Moment::between : Moment::later;
}

/// Means of rates from the begin of the step to the end of a stage follow from those before it:
///
///     mean = rate                  first stage
///     mean = w (mean + rate)       behind it, with w of the stage
///
/// The state at the end of the last stage is the begin of the step plus dt mean.
[[nodiscard]] constexpr double mean_weight(kernels::Stage stage) noexcept {
  switch (stage) {
    case kernels::Stage::second:
      return 0.5;
    case kernels::Stage::second_of_three:
      return 0.25;
    case kernels::Stage::third_of_three:
      return 2.0 / 3.0;
    case kernels::Stage::first:
      break;
  }
  return 1.0;
}
/// How much of what a stage leaves is in the state at the end of the step.
[[nodiscard]] constexpr double weight_of_state(Integrator integrator, kernels::Stage stage) noexcept {
  if (is_last(stage)) return 1.0;
  if (integrator == Integrator::rk2) return 0.5;
  return stage == kernels::Stage::first ? 1.0 / 6.0 : 2.0 / 3.0;
}
/// How much of a rate in a stage is in the mean of the step.
[[nodiscard]] constexpr double weight_of_rate(Integrator integrator, kernels::Stage stage) noexcept {
  return mean_weight(stage) * weight_of_state(integrator, stage);
}

}  // namespace tacit::amr
