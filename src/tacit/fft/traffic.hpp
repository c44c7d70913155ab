// What the ranks of a grid send each other in a pass, as arithmetic alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "tacit/fft/exchange_plan.hpp"
#include "tacit/fft/pass.hpp"

namespace tacit::fft {

/// What is sent to other ranks, in all exchanges of one pass.
struct PassTraffic {
  std::uint64_t messages = 0;      ///< blocks that are not empty
  std::uint64_t row_bytes = 0;     ///< between ranks of a row
  std::uint64_t column_bytes = 0;  ///< between ranks of a column
  [[nodiscard]] std::uint64_t bytes() const noexcept { return row_bytes + column_bytes; }
};

/// Of the rank that the pencils are of.
/// @param number_bytes  of a complex number: 16, or 8 in single precision
/// Cost: O(messages)
[[nodiscard]] PassTraffic traffic_of_rank(const Pencils& pencils, const PassFields& fields, const Division& division,
                                          std::size_t number_bytes = 16);

/// Bytes of all ranks, without their messages:
///
///     columns   number_bytes (in + mixed) |kx| (|z| |ky| - sum over a column of its parts z_a ky_a)
///     rows      number_bytes (in + out) |z| (|y| |kx| - sum over a row of its parts y_b kx_b)
///
/// Cost: O(ranks of a row and of a column)
[[nodiscard]] PassTraffic bytes_of_all_ranks(const Modes& modes, const ProcessGrid& grid, const PassFields& fields,
                                             std::size_t number_bytes = 16);

}  // namespace tacit::fft
