// Adds up the blocks of an exchange plan.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/fft/traffic.hpp"

namespace tacit::fft {
namespace {

/// Adds the blocks for all places but the own one.
/// @param block_for  (place) -> numbers
template <class Block>
void add_blocks(std::size_t places, std::size_t own, const Block& block_for, std::uint64_t& messages,
                std::uint64_t& numbers) {
  for (std::size_t place = 0; place < places; ++place) {
    const std::size_t count = place == own ? 0 : block_for(place);
    if (count == 0) continue;
    ++messages;
    numbers += count;
  }
}

}  // namespace

PassTraffic traffic_of_rank(const Pencils& pencils, const PassFields& fields, const Division& division,
                            std::size_t number_bytes) {
  const ExchangePlan plan(pencils, settled(pencils, division));
  const std::size_t column = pencils.grid().column_size;
  const std::size_t row = pencils.grid().row_size;
  const std::size_t in_column = pencils.place_in_column();
  const std::size_t in_row = pencils.place_in_row();
  PassTraffic traffic;
  for (std::size_t chunk = 0; chunk < plan.division().chunks; ++chunk) {
    for (std::size_t group = 0; group < plan.division().groups; ++group) {
      const auto to_points = [&](std::size_t to) { return plan.column_block(fields.in, in_column, to, group, chunk); };
      const auto to_modes = [&](std::size_t to) {
        return plan.column_block(fields.mixed, to, in_column, group, chunk);
      };
      add_blocks(column, in_column, to_points, traffic.messages, traffic.column_bytes);
      add_blocks(column, in_column, to_modes, traffic.messages, traffic.column_bytes);
    }
    const auto rows_in = [&](std::size_t to) { return plan.row_block(fields.in, in_row, to, chunk); };
    const auto rows_out = [&](std::size_t to) { return plan.row_block(fields.out, to, in_row, chunk); };
    add_blocks(row, in_row, rows_in, traffic.messages, traffic.row_bytes);
    add_blocks(row, in_row, rows_out, traffic.messages, traffic.row_bytes);
  }
  traffic.row_bytes *= number_bytes;
  traffic.column_bytes *= number_bytes;
  return traffic;
}

PassTraffic bytes_of_all_ranks(const Modes& modes, const ProcessGrid& grid, const PassFields& fields,
                               std::size_t number_bytes) {
  const Pencils pencils(modes, grid, 0);
  const auto& n = modes.points();
  std::uint64_t column = n[2] * modes.count(1);
  for (std::size_t a = 0; a < grid.column_size; ++a) column -= pencils.z_of(a).size() * pencils.ky_of(a).size();
  std::uint64_t row = n[1] * modes.count(0);
  for (std::size_t b = 0; b < grid.row_size; ++b) row -= pencils.y_of(b).size() * pencils.kx_of(b).size();
  return {.messages = 0,
          .row_bytes = number_bytes * (fields.in + fields.out) * n[2] * row,
          .column_bytes = number_bytes * (fields.in + fields.mixed) * modes.count(0) * column};
}

}  // namespace tacit::fft
