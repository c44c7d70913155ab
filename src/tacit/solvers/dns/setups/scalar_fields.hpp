// Built-in initial fields of scalars.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace tacit::dns {

class Flow;

/// Scalars obey a linear equation, so that their size has no meaning: all but zero have a root mean square of 1.
enum class ScalarField : std::uint8_t {
  zero,    ///< for scalars with a mean gradient, whose fluctuations the flow makes
  wave_x,  ///< sqrt(2) sin(2 pi x / Lx)
  wave_y,
  wave_z,
  isotropic,  ///< random phases by mode, spectrum k^4 exp(-2 (k/peak)^2)
};

struct ScalarFields {
  std::vector<ScalarField> fields;  ///< by scalar
  double peak = 4.0;                ///< of isotropic [waves per box]
  std::uint64_t seed = 1;           ///< of isotropic
};

/// Gives the first scalars of the flow their fields; others stay zero.
void make_scalars(const ScalarFields& setup, Flow& flow);

}  // namespace tacit::dns
