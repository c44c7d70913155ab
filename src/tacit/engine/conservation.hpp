// How far the conserved quantities drift over a run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "tacit/engine/solver.hpp"

namespace tacit::engine {

/// Follows mass, momentum, energy and angular momentum.
///
///     max_drift = max_t |q(t) - q(0)| / max_t S(t)
///
/// with the scale S of energy the largest of kinetic, internal and |potential|, of momentum sum |m v|, of angular
/// momentum sum |m r x v|, of mass the mass.
class Conservation {
 public:
  struct Drift {
    double largest_change = 0.0;
    double scale = 0.0;
    void add(double change, double natural_scale);
    /// The max_drift of the formula above; 0 where there is no scale yet.
    [[nodiscard]] double relative() const;
  };

  void add(const Conserved& state);

  [[nodiscard]] const Conserved& start() const { return *start_; }
  [[nodiscard]] const Conserved& last() const noexcept { return last_; }
  [[nodiscard]] bool empty() const noexcept { return !start_; }
  Drift mass, momentum, energy, angular_momentum;

 private:
  std::optional<Conserved> start_;
  Conserved last_;
};

}  // namespace tacit::engine
