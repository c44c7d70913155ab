// Keeps actions sorted by name, so that all ranks number them alike.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/actions/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <utility>

namespace tacit::actions {

namespace detail {

std::uint32_t next_function_id() noexcept {
  static std::atomic<std::uint32_t> next{0};
  return next.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace detail

void Table::add(detail::Entry entry) {
  for (const detail::Entry& other : entries_) {
    if (other.name == entry.name)
      throw base::PreconditionError(fmt::format("two actions have the name '{}'", entry.name));
    if (other.function == entry.function) {
      throw base::PreconditionError(
          fmt::format("the function of action '{}' is that of '{}', too", entry.name, other.name));
    }
  }
  if (entries_.size() == std::numeric_limits<std::uint16_t>::max())
    throw base::PreconditionError("a table holds 65535 actions at most");
  const auto place = std::ranges::lower_bound(entries_, entry.name, {}, &detail::Entry::name);
  entries_.insert(place, std::move(entry));
}

}  // namespace tacit::actions
