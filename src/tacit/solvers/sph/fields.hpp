// The table of the gas's fields: name, array, meaning with unit. Drives sorting and checkpoints.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "tacit/solvers/sph/gas.hpp"

namespace tacit::sph {

/// One array of Gas, shape (N), in code units.
struct Field {
  std::string_view name;  ///< in checkpoints
  std::variant<std::vector<double> Gas::*, std::vector<float> Gas::*, std::vector<std::uint8_t> Gas::*> array;
  std::string_view meaning;
  /// Where particles have steps of their own.
  enum class OwnSteps : std::uint8_t {
    as_always,
    needed,   ///< empty where all particles take the same step
    drifted,  ///< follows from the others at any time, as a drift finds it; so it is in no checkpoint
  };
  OwnSteps own_steps = OwnSteps::as_always;
  bool of_gravity = false;    ///< empty where particles have no gravity of their own
  bool of_types = false;      ///< empty where all are gas
  bool of_expansion = false;  ///< empty in a box that does not expand
};

/// Every field but the IDs, which come beside them.
inline constexpr std::array fields{
    Field{"x", &Gas::x, "position along x [length]", Field::OwnSteps::drifted},
    Field{"y", &Gas::y, "position along y [length]", Field::OwnSteps::drifted},
    Field{"z", &Gas::z, "position along z [length]", Field::OwnSteps::drifted},
    Field{"m", &Gas::m, "mass [mass]"},
    Field{"vx", &Gas::vx, "velocity along x [velocity]"},
    Field{"vy", &Gas::vy, "velocity along y [velocity]"},
    Field{"vz", &Gas::vz, "velocity along z [velocity]"},
    Field{"thermal", &Gas::thermal, "entropic function A, P = A rho^gamma, or specific internal energy"},
    Field{"vx_p", &Gas::vx_p, "velocity along x predicted to the time of the positions [velocity]",
          Field::OwnSteps::drifted},
    Field{"vy_p", &Gas::vy_p, "velocity along y predicted to the time of the positions [velocity]",
          Field::OwnSteps::drifted},
    Field{"vz_p", &Gas::vz_p, "velocity along z predicted to the time of the positions [velocity]",
          Field::OwnSteps::drifted},
    Field{"thermal_p", &Gas::thermal_p, "thermal variable predicted to the time of the positions",
          Field::OwnSteps::drifted},
    Field{"h", &Gas::h, "smoothing length [length]", Field::OwnSteps::drifted},
    Field{"rho", &Gas::rho, "density [density]", Field::OwnSteps::drifted},
    Field{"rho_before", &Gas::rho_before, "density when the step began, not positive where it was cut short [density]"},
    Field{"omega_P", &Gas::omega_P, "f P / rho^2", Field::OwnSteps::drifted},
    Field{"f", &Gas::f, "correction for the gradient of h"},
    Field{"cs", &Gas::cs, "sound speed [velocity]", Field::OwnSteps::drifted},
    Field{"balsara", &Gas::balsara, "viscosity limiter"},
    Field{"div_v", &Gas::div_v, "velocity divergence [1 / time]"},
    Field{"div_v_before", &Gas::div_v_before, "velocity divergence a step ago [1 / time]"},
    Field{"alpha_v", &Gas::alpha_v, "viscosity coefficient"},
    Field{"alpha_v_before", &Gas::alpha_v_before, "viscosity coefficient a step ago"},
    Field{"alpha_d", &Gas::alpha_d, "conduction coefficient"},
    Field{"alpha_d_before", &Gas::alpha_d_before, "conduction coefficient a step ago"},
    Field{"ax", &Gas::ax, "acceleration along x [acceleration]"},
    Field{"ay", &Gas::ay, "acceleration along y [acceleration]"},
    Field{"az", &Gas::az, "acceleration along z [acceleration]"},
    Field{"dthermal_dt", &Gas::dthermal_dt, "rate of change of the thermal variable"},
    Field{"v_sig", &Gas::v_sig, "largest signal velocity [velocity]"},
    Field{"dt", &Gas::dt, "longest stable step [time]"},
    Field{"bin", &Gas::bin, "power of two of the time step"},
    Field{"x_before", &Gas::x_before, "position along x when the step began [length]", Field::OwnSteps::needed},
    Field{"y_before", &Gas::y_before, "position along y when the step began [length]", Field::OwnSteps::needed},
    Field{"z_before", &Gas::z_before, "position along z when the step began [length]", Field::OwnSteps::needed},
    Field{"h_before", &Gas::h_before, "smoothing length when the step began [length]", Field::OwnSteps::needed},
    Field{"omega_P_before", &Gas::omega_P_before, "f P / rho^2 when the step began", Field::OwnSteps::needed},
    Field{"cs_before", &Gas::cs_before, "sound speed when the step began [velocity]", Field::OwnSteps::needed},
    Field{"gx", &Gas::gx, "acceleration by gravity along x [acceleration]", Field::OwnSteps::as_always, true},
    Field{"gy", &Gas::gy, "acceleration by gravity along y [acceleration]", Field::OwnSteps::as_always, true},
    Field{"gz", &Gas::gz, "acceleration by gravity along z [acceleration]", Field::OwnSteps::as_always, true},
    Field{"phi", &Gas::phi, "potential of gravity [specific energy]", Field::OwnSteps::as_always, true},
    Field{"type", &Gas::type, "GADGET's type, 0 for gas", Field::OwnSteps::as_always, false, true},
    Field{"phi_da", &Gas::phi_da, "integral of the potential over the scale factor [specific energy]",
          Field::OwnSteps::as_always, true, false, true},
    Field{"phi_at", &Gas::phi_at, "scale factor up to which that goes", Field::OwnSteps::as_always, true, false, true},
};

/// Whether a gas of such contents has the field.
[[nodiscard]] inline bool is_there(const Field& field, const GasContents& contents) noexcept {
  if (field.of_gravity && !contents.has_gravity) return false;
  if (field.of_types && !contents.has_types) return false;
  if (field.of_expansion && !contents.has_expansion) return false;
  return contents.has_own_steps || field.own_steps != Field::OwnSteps::needed;
}

/// Calls f(name, array) for each field that `gas` has, in the table's order.
template <class AnyGas, class F>
void for_each_field(AnyGas& gas, const F& f) {
  for (const Field& field : fields) {
    if (!is_there(field, gas)) continue;
    std::visit([&](auto array) { f(field.name, gas.*array); }, field.array);
  }
}

/// Whether a checkpoint has the field.
[[nodiscard]] inline bool is_stored(const Field& field, const GasContents& contents) noexcept {
  return is_there(field, contents) && !(contents.has_own_steps && field.own_steps == Field::OwnSteps::drifted);
}

/// Likewise, for those that a checkpoint has.
template <class AnyGas, class F>
void for_each_stored_field(AnyGas& gas, const F& f) {
  for (const Field& field : fields) {
    if (!is_stored(field, gas)) continue;
    std::visit([&](auto array) { f(field.name, gas.*array); }, field.array);
  }
}

}  // namespace tacit::sph
