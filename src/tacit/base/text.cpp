// Printable text and the distance between words.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace tacit::base {
namespace {

unsigned byte_at(std::string_view text, std::size_t i) {
  return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
}

/// @return bytes of the printable character that begins at `i`, or 0 if there is none (a control, no UTF-8)
std::size_t character_size(std::string_view text, std::size_t i) {
  const unsigned first = byte_at(text, i);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return 0;
  for (std::size_t k = 1; k < size; ++k) {
    if ((byte_at(text, i + k) & 0xc0U) != 0x80U) return 0;
  }
  const unsigned second = byte_at(text, i + 1);
  const bool is_control = first == 0xc2 && second < 0xa0;
  const bool is_overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool is_no_character = (first == 0xed && second >= 0xa0) || (first == 0xf4 && second >= 0x90);
  return is_control || is_overlong || is_no_character ? 0 : size;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// How many letters that stand at the same place differ in case: breaks ties.
std::size_t case_differences(std::string_view a, std::string_view b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) count += a[i] != b[i] && lower(a[i]) == lower(b[i]);
  return count;
}

}  // namespace

std::string printable(std::string_view text, std::size_t longest) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t size = character_size(text, i);
    if (i + std::max<std::size_t>(size, 1) > longest) return out + "...";
    out += size > 0 ? std::string(text.substr(i, size)) : fmt::format("\\x{:02x}", byte_at(text, i));
    i += std::max<std::size_t>(size, 1);
  }
  return out;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(above);
    above.swap(row);
  }
  return above[b.size()];
}

std::optional<std::string> closest(std::string_view word, std::span<const std::string_view> candidates) {
  constexpr std::size_t longest_word = 64;
  if (word.empty() || word.size() > longest_word) return std::nullopt;
  const std::size_t allowed = word.size() == 1 ? 0 : std::max<std::size_t>(1, word.size() / 3);
  std::optional<std::string> best;
  std::pair<std::size_t, std::size_t> best_score{allowed + 1, 0};
  for (const auto candidate : candidates) {
    if (candidate.size() > word.size() + allowed || word.size() > candidate.size() + allowed) continue;
    const std::pair score{edit_distance(word, candidate), case_differences(word, candidate)};
    if (score >= best_score) continue;
    best_score = score;
    best = candidate;
  }
  return best;
}

}  // namespace tacit::base
