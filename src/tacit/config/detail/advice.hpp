// What to do about messages of the parsers that we use.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

namespace tacit::config::detail {

struct Advice {
  std::string_view part_of_message;
  std::string_view hint;
};

/// The hint of the first that applies; empty if none does.
[[nodiscard]] inline std::string advice_on(std::string_view message, std::span<const Advice> advices) {
  const auto applies = [message](const Advice& advice) { return message.find(advice.part_of_message) != message.npos; };
  const auto advice = std::ranges::find_if(advices, applies);
  return advice == advices.end() ? std::string() : std::string(advice->hint);
}

}  // namespace tacit::config::detail
