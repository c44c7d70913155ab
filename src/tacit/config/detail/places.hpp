// Lines and columns of offsets in a text, for parsers that know only the latter.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tacit/config/parameters.hpp"

namespace tacit::config::detail {

class Places {
 public:
  /// @param file  its name, for messages
  Places(std::string_view text, std::string file) : file_(std::move(file)) {
    for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n', end + 1)) {
      begins_.push_back(end + 1);
    }
  }

  /// Cost: O(log of the lines).
  [[nodiscard]] Location find(std::size_t offset) const {
    const auto line = std::ranges::upper_bound(begins_, offset) - begins_.begin();
    const std::size_t begin = begins_[static_cast<std::size_t>(line) - 1];
    return {file_, static_cast<int>(line), static_cast<int>(offset - begin) + 1};
  }

 private:
  std::string file_;
  std::vector<std::size_t> begins_{0};  ///< of each line
};

}  // namespace tacit::config::detail
