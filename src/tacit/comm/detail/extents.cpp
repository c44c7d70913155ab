// Takes parts of a piece of memory, and gives them back.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/detail/extents.hpp"

#include <algorithm>
#include <iterator>

namespace tacit::comm::detail {

std::optional<std::size_t> Extents::take(std::size_t bytes) {
  const auto found = std::ranges::find_if(free_, [bytes](const auto& extent) { return extent.second >= bytes; });
  if (found == free_.end()) return std::nullopt;
  const auto [begin, length] = *found;
  free_.erase(found);
  if (length > bytes) free_.emplace(begin + bytes, length - bytes);
  in_use_.emplace(begin, bytes);
  return begin;
}

bool Extents::give_back(std::size_t offset) noexcept {
  auto node = in_use_.extract(offset);
  if (node.empty()) return false;
  auto here = free_.insert(std::move(node)).position;
  const auto next = std::next(here);
  if (next != free_.end() && here->first + here->second == next->first) {
    here->second += next->second;
    free_.erase(next);
  }
  if (here == free_.begin()) return true;
  const auto before = std::prev(here);
  if (before->first + before->second != here->first) return true;
  before->second += here->second;
  free_.erase(here);
  return true;
}

}  // namespace tacit::comm::detail
