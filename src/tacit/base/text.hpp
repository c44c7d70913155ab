// Small tools for messages: text made safe to print, and the known word that a misspelt one is closest to.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tacit::base {

/// A text from outside, safe to show in a message: control characters and bytes that are no UTF-8 become \xNN.
///
/// @param longest  bytes to keep before "..." replaces the rest; a character is never cut in two
[[nodiscard]] std::string printable(std::string_view text, std::size_t longest = 60);

/// How many insertions, deletions, substitutions and swaps of neighbours turn `a` into `b`, letter case ignored.
///
/// No part is edited twice (optimal string alignment), so "ca" to "abc" is 3.
///
/// @see Damerau (1964), Communications of the ACM 7, 171 (the four kinds of error)
/// Cost: O(size of a * size of b), three rows of size b.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate closest to `word`, or nothing if none is close: at most a third of the letters may differ, at least
/// one; a word of one letter only matches in another case, one above 64 never. Of equals the first wins.
[[nodiscard]] std::optional<std::string> closest(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace tacit::base
