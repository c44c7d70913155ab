// Watches what a run conserves: how far it drifts, and whether it jumps.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tacit/engine/conservation.hpp"
#include "tacit/engine/solver.hpp"

namespace tacit::engine {

/// What is conserved is measured for each line of statistics.csv, and looked at between them as often as that costs
/// little. The states of lines say how far it has drifted; all of them, whether it has jumped since the one before.
class ConservationWatch {
 public:
  /// @param axis  of the run, for messages
  ConservationWatch(DriftLimits limits, Axis axis) : limits_(std::move(limits)), axis_(axis) {}

  /// Goes on from a checkpoint. @param line_step  of the last line, if there is one
  void resume(const Conservation& lines, std::optional<std::uint64_t> line_step);

  /// The state of a line, or that of a look between lines, and where it stands on the axis.
  /// @return what is to be said of it: each quantity that has jumped, once in a run
  [[nodiscard]] std::vector<std::string> add_line(std::span<const Quantity> state, std::uint64_t step, double at);
  [[nodiscard]] std::vector<std::string> look(std::span<const Quantity> state, std::uint64_t step, double at);
  /// The first state that is known, of a run that goes on from a checkpoint: with no state before it, it has no jump.
  void begin_at(std::span<const Quantity> state, std::uint64_t step);
  /// What a look has taken [s], the measuring included.
  void note_cost(double seconds);

  /// Whether anything is conserved. Alike on all ranks.
  [[nodiscard]] bool is_watched() const;
  /// Whether so little time has gone into looks between lines that there may be another. @param steps_s  of all steps
  [[nodiscard]] bool may_look(double steps_s) const;
  /// @throws NumericsError if a quantity has drifted further than it may, in the state of the last line
  void require_small_drift(std::uint64_t step, double at) const;

  [[nodiscard]] const Conservation& of_lines() const noexcept { return lines_; }
  [[nodiscard]] std::optional<std::uint64_t> line_step() const noexcept { return line_step_; }
  /// Of the last state that is known.
  [[nodiscard]] std::uint64_t last_step() const noexcept { return last_step_; }

 private:
  [[nodiscard]] std::vector<std::string> jumps_to(std::span<const Quantity> state, std::uint64_t step, double at);

  DriftLimits limits_;
  Axis axis_;
  Conservation lines_;
  std::optional<std::uint64_t> line_step_;  // of its last state
  Conservation all_;                        // of lines and looks
  std::uint64_t last_step_ = 0;             // of its last state
  double looks_s_ = 0.0;                    // what those between lines took
  double last_look_s_ = 0.0;                // of these, the last one
  std::set<std::string> have_jumped_;       // what has been told of
};

}  // namespace tacit::engine
