// Numbers of pairs of types, as a key names them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tacit::md {

/// A number that each pair has.
struct PairNumber {
  std::string_view name;
  bool may_be_zero = false;
};

/// The pairs of "Ar Ar 1 1 2.5, Ar Kr 1.1 1.05 2.5": two elements and a number of each kind. Several types may have one
/// element.
/// @return shape (types, types), symmetric; nothing where the text does not name a pair
/// @throws base::Error  what is wrong with the text
[[nodiscard]] std::vector<std::optional<std::vector<double>>> read_named_pairs(const std::string& text,
                                                                               std::span<const std::string> elements,
                                                                               std::span<const PairNumber> numbers);

}  // namespace tacit::md
