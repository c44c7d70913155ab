// How a grid is divided among ranks.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/fft/pencils.hpp"

#include <fmt/format.h>

#include "tacit/base/error.hpp"

namespace tacit::fft {

Pencils::Pencils(const Modes& modes, const ProcessGrid& grid, std::size_t rank) : modes_(modes), grid_(grid) {
  if (grid.row_size == 0 || rank >= grid.ranks()) {
    throw base::PreconditionError(
        fmt::format("rank {} on a grid of {} x {} ranks", rank, grid.column_size, grid.row_size));
  }
  place_in_row_ = rank % grid.row_size;
  place_in_column_ = rank / grid.row_size;
}

}  // namespace tacit::fft
