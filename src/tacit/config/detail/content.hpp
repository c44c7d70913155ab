// What a Document holds: its file and the entries, overrides applied.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tacit/config/detail/node.hpp"

namespace tacit::config {

struct Document::Content {
  std::filesystem::path file;
  std::vector<detail::Entry> entries;

  [[nodiscard]] const detail::Entry* find(std::string_view name) const {
    for (const auto& entry : entries) {
      if (entry.name == name) return &entry;
    }
    return nullptr;
  }
};

}  // namespace tacit::config
