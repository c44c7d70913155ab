// Texts that tests of readers damage, or make long.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tacit/base/random.hpp"

namespace config_test {

inline std::string repeat(std::string_view text, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}

/// `text` with a few random edits: bytes changed, removed, doubled, or exchanged for one of the pieces; or cut off.
inline std::string damaged(std::string text, std::uint64_t seed, std::span<const std::string_view> pieces) {
  const auto draw = [seed](std::uint64_t edit, std::uint64_t which, std::size_t count) {
    return static_cast<std::size_t>(tacit::base::uniform(seed, edit, which) * static_cast<double>(count));
  };
  for (std::uint64_t edit = 0; edit < 1 + seed % 5; ++edit) {
    const std::size_t at = draw(edit, 0, text.size());
    const std::size_t length = std::min(draw(edit, 1, 12), text.size() - at);
    switch (draw(edit, 2, 5)) {
      case 0:
        text[at] = static_cast<char>(draw(edit, 3, 256));
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, text.substr(at, length));
        break;
      case 3:
        text.resize(at);
        break;
      default:
        text.replace(at, length / 4, pieces[draw(edit, 3, pieces.size())]);
    }
    if (text.empty()) return text;
  }
  return text;
}

}  // namespace config_test
