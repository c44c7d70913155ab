// What a file says of the types and shapes of its arrays.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tacit/io/file.hpp"

namespace tacit::io::detail {

/// In messages.
[[nodiscard]] std::string_view name_of(Number number);
/// Only the standard layouts count as numbers: a damaged header can describe floats that send the conversion astray.
[[nodiscard]] Number number_of(hid_t type);
[[nodiscard]] bool is_number(Number number);
[[nodiscard]] bool is_integer(Number number);
/// What was expected where this was found, which is no number: in messages.
[[nodiscard]] std::string_view expectation(Number found);

[[nodiscard]] std::vector<std::uint64_t> shape_of(hid_t space);
/// a * b, or the largest number if it does not fit.
[[nodiscard]] std::uint64_t times(std::uint64_t a, std::uint64_t b);
[[nodiscard]] std::uint64_t element_count(std::span<const std::uint64_t> shape);

}  // namespace tacit::io::detail
