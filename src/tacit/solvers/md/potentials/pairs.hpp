// Potentials of Morse and of Buckingham: their keys, and what acts between atoms.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tacit/config/parameters.hpp"
#include "tacit/solvers/md/interaction.hpp"

namespace tacit::md {

enum class ExponentialKind : std::uint8_t { morse, buckingham };

/// A pair of types, in code units.
struct ExponentialTypes {
  double depth = 0.0;   ///< of Morse D, of Buckingham A [energy]
  double rate = 0.0;    ///< of Morse alpha, of Buckingham 1 / rho [1/length]
  double third = 0.0;   ///< of Morse r0 [length], of Buckingham C [energy length^6]
  double cutoff = 0.0;  ///< [length]; 0: none acts
};

struct ExponentialParameters {
  ExponentialKind kind = ExponentialKind::morse;
  std::size_t types = 0;
  std::vector<ExponentialTypes> pairs = {};  ///< shape (types, types), symmetric
  kernels::Truncation truncation = kernels::Truncation::cut;
};

[[nodiscard]] std::unique_ptr<Interaction> make_exponential(const ExponentialParameters& parameters);

[[nodiscard]] std::span<const config::Key> morse_keys();
[[nodiscard]] std::span<const config::Key> buckingham_keys();
/// @param may_leave_out  whether pairs that are not named have none
/// @throws config::Error where pairs are not named, or are wrong
[[nodiscard]] ExponentialParameters read_exponential(const config::Parameters& parameters, ExponentialKind kind,
                                                     std::span<const std::string> elements, bool may_leave_out);

}  // namespace tacit::md
