// Checksums of what files hold: HDF5's Fletcher-32 of a chunk, XXH3 of any bytes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tacit::io::detail {

/// As the HDF5 library computes it for its filter (H5checksum.c): two sums modulo 65535 over words of two bytes, the
/// first byte the higher one.
///
///     s1 = w0 + w1 + ...      s2 = n w0 + (n-1) w1 + ...      result = s2 2^16 + s1
///
/// where 65535 stands for 0 unless all words are 0.
[[nodiscard]] std::uint32_t fletcher32(std::span<const std::byte> bytes) noexcept;

}  // namespace tacit::io::detail
