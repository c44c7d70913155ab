// Built-in initial fields: their parameters and the velocity that they have.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>

#include "tacit/base/vec3.hpp"
#include "tacit/solvers/dns/setups/formulas.hpp"
#include "tacit/solvers/dns/setups/spectra.hpp"

namespace tacit::dns {

class Flow;

/// The vortices of Taylor & Green: u = V (sin x cos y cos z, -cos x sin y cos z, 0), phases 2 pi / L per length.
/// @see Taylor & Green (1937), Proc. R. Soc. A 158, 499
struct TaylorGreen {
  double speed = 1.0;  ///< V [velocity]
};

/// The flow of Arnold, Beltrami and Childress, whose curl is parallel to it:
/// u = (A sin z + C cos y, B sin x + A cos z, C sin y + B cos x), phases 2 pi / L per length. In a cube it decays
/// as exp(-nu k^2 t) and does nothing else.
struct Abc {
  double a = 1.0;  ///< [velocity]
  double b = 1.0;
  double c = 1.0;
};

/// A random isotropic field with a given spectrum: phases from a seed by mode, so that they depend on neither ranks nor
/// resolution.
/// @see Rogallo (1981), NASA TM 81315
struct Isotropic {
  double energy = 0.5;  ///< kinetic, per mass [velocity^2]
  double peak = 4.0;    ///< of an exponential spectrum [waves per box]
  std::uint64_t seed = 1;
  std::optional<EnergySpectrum> spectrum = {};  ///< another form
};

/// The field of a file, at the resolution of the flow; see FieldFile.
struct FromFile {
  std::filesystem::path path;
};

using Setup = std::variant<TaylorGreen, Abc, Isotropic, FromFile, Formulas>;

/// Gives the flow the field of the set-up.
/// @return  a warning if the field had to be changed beyond rounding, or an empty text
/// @throws  what FieldFile throws
std::string make(const Setup& setup, Flow& flow);

/// About how large |u| + |v| + |w| is at most in the field of a set-up [velocity]; nothing of what a file holds.
[[nodiscard]] std::optional<double> expected_speed(const Setup& setup);

/// "set-up taylor_green", or the path of the file.
[[nodiscard]] std::string describe(const Setup& setup);

}  // namespace tacit::dns
