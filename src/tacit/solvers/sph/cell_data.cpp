// Slices of the gas for one cell.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/cell_data.hpp"

namespace tacit::sph {

void CellData::bind(Gas& gas, const particles::Range& range, std::span<const std::uint32_t> groups,
                    const GroupBoxes& boxes, std::span<double> group_h, std::span<std::uint8_t> limit) {
  const auto of = [&range]<class T>(std::vector<T>& field) {
    return field.empty() ? std::span<T>{} : std::span<T>(field).subspan(range.begin, range.count);
  };
  motion.bind({of(gas.x), of(gas.y), of(gas.z), of(gas.m), of(gas.vx_p), of(gas.vy_p), of(gas.vz_p), of(gas.thermal_p),
               boxes, groups});
  integrated.bind({of(gas.id), of(gas.vx), of(gas.vy), of(gas.vz), of(gas.thermal), of(gas.rho_before), of(gas.bin),
                   of(gas.x_before), of(gas.y_before), of(gas.z_before), of(gas.h_before), of(gas.omega_P_before),
                   of(gas.cs_before)});
  hydro.bind({of(gas.h), of(gas.rho), of(gas.omega_P), of(gas.f), of(gas.cs), of(gas.balsara), of(gas.div_v),
              of(gas.alpha_v), of(gas.div_v_before), of(gas.alpha_v_before), group_h});
  gradients.bind({of(gas.alpha_d), of(gas.alpha_d_before)});
  attraction.bind({of(gas.gx), of(gas.gy), of(gas.gz), of(gas.phi), of(gas.type), of(gas.phi_da), of(gas.phi_at)});
  forces.bind({of(gas.ax), of(gas.ay), of(gas.az), of(gas.dthermal_dt), of(gas.v_sig), of(gas.dt)});
  limits.bind(limit);
}

}  // namespace tacit::sph
