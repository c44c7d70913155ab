// The table of the gas's fields: name, array, meaning with unit. Drives sorting and checkpoints.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "tacit/solvers/sph/gas.hpp"

namespace tacit::sph {

/// One array of Gas, shape (N), double precision, in code units.
struct Field {
  std::string_view name;  ///< in checkpoints
  std::vector<double> Gas::*array;
  std::string_view meaning;
};

/// Every floating-point field; IDs come beside them.
inline constexpr std::array fields{
    Field{"x", &Gas::x, "position along x [length]"},
    Field{"y", &Gas::y, "position along y [length]"},
    Field{"z", &Gas::z, "position along z [length]"},
    Field{"m", &Gas::m, "mass [mass]"},
    Field{"vx", &Gas::vx, "velocity along x [velocity]"},
    Field{"vy", &Gas::vy, "velocity along y [velocity]"},
    Field{"vz", &Gas::vz, "velocity along z [velocity]"},
    Field{"A", &Gas::A, "entropic function, P = A rho^gamma"},
    Field{"vx_p", &Gas::vx_p, "velocity along x predicted to the time of the positions [velocity]"},
    Field{"vy_p", &Gas::vy_p, "velocity along y predicted to the time of the positions [velocity]"},
    Field{"vz_p", &Gas::vz_p, "velocity along z predicted to the time of the positions [velocity]"},
    Field{"A_p", &Gas::A_p, "entropic function predicted to the time of the positions"},
    Field{"h", &Gas::h, "smoothing length [length]"},
    Field{"rho", &Gas::rho, "density [density]"},
    Field{"omega_P", &Gas::omega_P, "f P / rho^2"},
    Field{"cs", &Gas::cs, "sound speed [velocity]"},
    Field{"balsara", &Gas::balsara, "viscosity limiter"},
    Field{"div_v", &Gas::div_v, "velocity divergence [1 / time]"},
    Field{"ax", &Gas::ax, "acceleration along x [acceleration]"},
    Field{"ay", &Gas::ay, "acceleration along y [acceleration]"},
    Field{"az", &Gas::az, "acceleration along z [acceleration]"},
    Field{"dA_dt", &Gas::dA_dt, "rate of change of the entropic function"},
    Field{"v_sig", &Gas::v_sig, "largest signal velocity [velocity]"},
};

}  // namespace tacit::sph
