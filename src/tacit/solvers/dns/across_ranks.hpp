// What the ranks of a flow do together for modes whose conjugate partner is on another rank.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "tacit/fft/pencils.hpp"
#include "tacit/fft/process_grid.hpp"
#include "tacit/solvers/dns/modes.hpp"

namespace tacit::dns {

/// Makes modes those of a real field where both of a conjugate pair are stored, kx = 0: u(-k) = conj u(k). Of a pair,
/// the mode that stands first (by kz, then ky) is kept. Partners may be modes of different ranks, which all call this.
/// @param fields  modes in the order of fft::Pencils::spectral_place
void pair_conjugates(const fft::Pencils& pencils, std::span<const std::span<Complex>> fields,
                     fft::GridCommunicators& ranks);

}  // namespace tacit::dns
