// Slices of the gas for one cell.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/cell_data.hpp"

namespace tacit::sph {

void CellData::bind(Gas& gas, const particles::Range& range) {
  const auto of = [&range](std::vector<double>& field) {
    return std::span<double>(field).subspan(range.begin, range.count);
  };
  motion.bind({of(gas.x), of(gas.y), of(gas.z), of(gas.m), of(gas.vx_p), of(gas.vy_p), of(gas.vz_p), of(gas.A_p)});
  integrated.bind({std::span<const std::uint64_t>(gas.id).subspan(range.begin, range.count), of(gas.vx), of(gas.vy),
                   of(gas.vz), of(gas.A)});
  hydro.bind({of(gas.h), of(gas.rho), of(gas.omega_P), of(gas.cs), of(gas.balsara), of(gas.div_v)});
  forces.bind({of(gas.ax), of(gas.ay), of(gas.az), of(gas.dA_dt), of(gas.v_sig)});
}

}  // namespace tacit::sph
