// What FFTW has measured, the same on all ranks of a run and kept for other runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "tacit/comm/communicator.hpp"
#include "tacit/fft/lines.hpp"
#include "tacit/fft/modes.hpp"

namespace tacit::fft {

/// Has the first rank find the fastest transforms along each axis of a grid, and gives what it has found to the others:
/// all then transform in the same way, bitwise identically, and measure nothing. Called by all ranks.
/// @param file  where the first rank finds what other runs have measured, and keeps it; empty: nowhere
/// @throws base::SystemError on the first rank, and base::Error on the others, if the file cannot be written
/// Cost: Rigor::estimate: nothing; else some tens of milliseconds per length, unless the file knows it
template <class Real>
void share_wisdom(const Shape& points, Rigor rigor, comm::Communicator& ranks, const std::filesystem::path& file);

extern template void share_wisdom<double>(const Shape&, Rigor, comm::Communicator&, const std::filesystem::path&);
extern template void share_wisdom<float>(const Shape&, Rigor, comm::Communicator&, const std::filesystem::path&);

}  // namespace tacit::fft
