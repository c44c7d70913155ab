// Makes modes those of a real field where both of a conjugate pair are stored.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "tacit/fft/grid_ranks.hpp"
#include "tacit/fft/pencils.hpp"

namespace tacit::dns {

/// For kx = 0: u(-k) = conj u(k). Of a pair, the mode that stands first (by kz, then ky) says what both are. Partners
/// may be modes of different ranks, which all call this.
/// @param fields  modes in the order of fft::Pencils::spectral_place
/// @param ranks   null: one rank
void pair_conjugates(const fft::Pencils& pencils, std::span<const std::span<std::complex<double>>> fields,
                     fft::GridRanks* ranks);

}  // namespace tacit::dns
