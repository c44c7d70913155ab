// Counts the operations and bytes of a pass, and of the loops between its transforms.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/dns/update_cost.hpp"

#include <array>
#include <cmath>

#include "tacit/fft/modes.hpp"
#include "tacit/solvers/dns/substep.hpp"

namespace tacit::dns {

/// A complex transform of n numbers takes 5 n log2 n operations, one of real numbers half of it. Along x all lines are
/// transformed, along y those of kept kx, along z those of kept kx and ky.
engine::UpdateCost update_cost(const FlowParameters& flow) {
  const fft::Modes modes(flow.points, flow.truncation);
  std::array<double, 3> log{};
  std::array<double, 3> kept{};  // complex numbers for each point along the axis
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto points = static_cast<double>(flow.points[axis]);
    log.at(axis) = std::log2(points);
    kept.at(axis) = static_cast<double>(modes.count(axis)) / points;
  }
  const auto scalars = static_cast<double>(flow.physics.all_scalars().size());
  const fft::PassFields passed = with_scalars(velocity_fields(flow.form), flow.physics.all_scalars().size());
  const auto in = static_cast<double>(passed.in);
  const auto out = static_cast<double>(passed.out);
  const auto mixed = static_cast<double>(passed.mixed);
  const auto advanced = 3.0 + scalars;
  const double columns = kept[0] * kept[1];
  const double field = 16.0 * columns * kept[2];  // of modes [byte]
  const double between = 16.0 * columns;          // of points along z for each kept kx and ky [byte]
  const double transforms =
      (2.5 * log[0] + 5.0 * kept[0] * log[1]) * (in + out) + 5.0 * columns * log[2] * (in + mixed);
  // Products: uu - ww, vv - ww, uw, vw, uv, or a cross product; the largest rate; u theta of each scalar.
  const double products = (flow.form == Form::divergence ? 7.0 : 9.0) + 8.0 + 3.0 * scalars;
  // Of each complex mode: derivatives and projection 62; decay and advance 16 for each field.
  const double advance = columns * kept[2] * (62.0 + 16.0 * advanced);
  const bool is_rk4 = flow.scheme == Scheme::rk4;
  const double substages = is_rk4 ? 4.0 : 2.0;
  // Modes are read once as they are loaded. Between z and the planes, which stay in cache, all that passes is written
  // and read. Of what advances, the first substage of rk2 reads u and writes u and acc, the second reads acc and writes
  // u; of rk4 they are 1 + 3, 2 + 2, 2 + 2 and 1 + 1.
  const double stored = is_rk4 ? 14.0 : 5.0;
  const double bytes = substages * (advanced * field + 2.0 * (in + mixed) * between) + stored * advanced * field;
  return {.flops = substages * (transforms + products + advance), .bytes = bytes};
}

}  // namespace tacit::dns
