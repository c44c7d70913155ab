// Divides a rank's part of a grid into messages.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/fft/exchange_plan.hpp"

#include <algorithm>

#include "tacit/base/error.hpp"

namespace tacit::fft {
namespace {

Range part(const Range& whole, std::size_t parts, std::size_t which) {
  const Range inner = split(whole.size(), parts, which);
  return {whole.begin + inner.begin, whole.begin + inner.end};
}

}  // namespace

Division settled(const Pencils& pencils, const Division& wanted) {
  const ProcessGrid& grid = pencils.grid();
  Division division = wanted;
  if (division.chunks == 0) {
    const std::size_t planes = (pencils.modes().points()[2] + grid.column_size - 1) / grid.column_size;
    division.chunks = grid.ranks() == 1 ? 1 : std::min<std::size_t>(4, planes);
  }
  if (division.groups == 0) division.groups = grid.column_size == 1 ? 1 : 2;
  return division;
}

ExchangePlan::ExchangePlan(const Pencils& pencils, const Division& division) : pencils_(pencils), division_(division) {
  TACIT_EXPECT(division.chunks > 0 && division.groups > 0 && pencils.grid().row_size > 0);
  for (std::size_t place = 0; place < pencils.grid().column_size; ++place) {
    ky_.push_back(pencils.ky_of(place));
    for (std::size_t chunk = 0; chunk < division.chunks; ++chunk) {
      z_.push_back(part(pencils.z_of(place), division.chunks, chunk));
    }
  }
  for (std::size_t place = 0; place < pencils.grid().row_size; ++place) {
    y_.push_back(pencils.y_of(place));
    kx_.push_back(pencils.kx_of(place));
  }
  for (std::size_t group = 0; group < division.groups; ++group) {
    groups_.push_back(part(pencils.kx(), division.groups, group));
    group_of_.insert(group_of_.end(), groups_.back().size(), group);
  }
}

}  // namespace tacit::fft
