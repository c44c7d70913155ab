// Velocity and scalars by formulas of the parameter file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tacit/config/formula.hpp"

namespace tacit::dns {

class Flow;
struct FlowParameters;

/// At the points of the grid; the divergence of the velocity is taken out.
struct Formulas {
  struct OfScalar {
    std::string name;  ///< "scalar1", ..., "buoyancy"
    config::Formula formula;
  };
  std::vector<config::Formula> velocity;  ///< along x, y and z
  std::vector<OfScalar> scalars;
};

[[nodiscard]] std::span<const config::Key> formula_keys();
/// @throws config::Error where a formula cannot be read, or is of a scalar that the flow does not have
[[nodiscard]] Formulas read_formulas(const config::Parameters& parameters, const FlowParameters& flow);
/// Looks at all points, if there are not too many, as a run does. @throws config::Error if a number is not finite
void look_at_formulas(const Formulas& formulas, const FlowParameters& flow);

/// Gives the flow the fields. All ranks call it; where it throws on one it has done on all what needs all of them.
/// @return  what the divergence was: the largest |k . u(k)| over the largest |k| |u(k)|
/// @throws config::Error if a number is not finite at a point of this rank
double give_formulas(const Formulas& formulas, Flow& flow);

}  // namespace tacit::dns
