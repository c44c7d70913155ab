// Divides the numbers of elements that keys give.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/engine/coarser.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

namespace tacit::engine {
namespace {

/// Divides them all. @return how much longer the distances are; nothing: they cannot be divided so
std::optional<double> divide(std::span<std::int64_t> numbers, std::uint64_t quarters, const CoarserRule& rule) {
  if (numbers.empty()) return std::nullopt;
  const std::int64_t step = static_cast<std::int64_t>(quarters) * rule.unit;
  const auto divided = [&](std::int64_t number) { return (4 * number + step - 1) / step * rule.unit; };
  const std::int64_t first = numbers.front();
  const std::int64_t first_fewer = divided(first);
  for (std::int64_t& number : numbers) {
    const std::int64_t fewer = divided(number);
    if (fewer < rule.least || fewer >= number || fewer * first != first_fewer * number) return std::nullopt;
    number = fewer;
  }
  return static_cast<double>(first) / static_cast<double>(first_fewer);
}

}  // namespace

std::optional<Coarser> coarser_count(const config::Parameters& parameters, std::span<const std::string_view> keys,
                                     std::uint64_t quarters, const CoarserRule& rule) {
  std::vector<std::string_view> given;
  std::ranges::copy_if(keys, std::back_inserter(given), [&](std::string_view key) { return parameters.has(key); });
  std::vector<std::int64_t> numbers;
  for (const std::string_view key : given) numbers.push_back(parameters.integer(key));
  const auto longer = divide(numbers, quarters, rule);
  if (!longer) return std::nullopt;
  Coarser result{.factor = *longer};
  for (std::size_t i = 0; i < given.size(); ++i) result.settings.push_back(fmt::format("{}={}", given[i], numbers[i]));
  return result;
}

std::optional<Coarser> coarser_list(const config::Parameters& parameters, std::string_view key, std::uint64_t quarters,
                                    const CoarserRule& rule) {
  if (!parameters.has(key)) return std::nullopt;
  std::vector<std::int64_t> numbers;
  for (const double number : parameters.vector(key)) numbers.push_back(static_cast<std::int64_t>(number));
  const auto longer = divide(numbers, quarters, rule);
  if (!longer) return std::nullopt;
  return Coarser{.factor = *longer, .settings = {fmt::format("{}=[{}]", key, fmt::join(numbers, ", "))}};
}

}  // namespace tacit::engine
