// What a solver whose steps have parts offers beside what all do.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace tacit::engine {

/// A part of all steps so far, as solving for gravity.
struct StepPart {
  std::string_view name;  ///< "gravity"; of a literal
  double seconds = 0.0;   ///< wall time of this rank
};
inline constexpr std::size_t most_step_parts = 4;

/// A base of solvers that say at the end of a run where the time of their steps went: parts follow each other, and all
/// workers are in one of them at a time.
class WithParts {
 public:
  WithParts() = default;
  WithParts(const WithParts&) = delete;
  WithParts& operator=(const WithParts&) = delete;
  virtual ~WithParts() = default;

  /// The same names in the same order on all ranks, at most most_step_parts. Empty: this run does not tell them apart.
  [[nodiscard]] virtual std::vector<StepPart> step_parts() const = 0;
};

}  // namespace tacit::engine
