// Reads numbers of pairs of types.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/potentials/named_pairs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "tacit/base/error.hpp"
#include "tacit/base/text.hpp"
#include "tacit/solvers/md/formats/words.hpp"

namespace tacit::md {
namespace {

/// Several types may have one element, as of atoms that a program has told apart.
struct NamedPair {
  std::vector<std::size_t> i, j;
  std::vector<double> numbers;
};

/// "epsilon, sigma and cutoff"
std::string listed(std::span<const PairNumber> numbers) {
  std::string result(numbers[0].name);
  for (std::size_t k = 1; k < numbers.size(); ++k) {
    result += fmt::format("{}{}", k + 1 == numbers.size() ? " and " : ", ", numbers[k].name);
  }
  return result;
}

NamedPair read_pair(std::string_view text, std::span<const std::string> elements, std::span<const PairNumber> numbers) {
  const std::vector<std::string_view> words = words_of(text);
  if (words.size() != 2 + numbers.size()) {
    throw base::Error(fmt::format("'{}' has {} words, expected two elements, {}", base::printable(text), words.size(),
                                  listed(numbers)));
  }
  const auto types_of = [&](std::string_view word) {
    std::vector<std::size_t> result;
    for (std::size_t type = 0; type < elements.size(); ++type) {
      if (elements[type] == word) result.push_back(type);
    }
    if (!result.empty()) return result;
    throw base::Error(
        fmt::format("'{}' is none of the elements ({})", base::printable(word), fmt::join(elements, " ")));
  };
  NamedPair result{types_of(words[0]), types_of(words[1]), {}};
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const std::optional<double> value = number_of<double>(words[2 + k]);
    const bool is_good = value && std::isfinite(*value) && (*value > 0.0 || (numbers[k].may_be_zero && *value == 0.0));
    if (!is_good) {
      throw base::Error(fmt::format("'{}' is no number {}", base::printable(words[2 + k]),
                                    numbers[k].may_be_zero ? "from 0 on" : "above 0"));
    }
    result.numbers.push_back(*value);
  }
  return result;
}

}  // namespace

std::vector<std::optional<std::vector<double>>> read_named_pairs(const std::string& text,
                                                                 std::span<const std::string> elements,
                                                                 std::span<const PairNumber> numbers) {
  const std::size_t n = elements.size();
  std::vector<std::optional<std::vector<double>>> named(n * n);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const NamedPair pair = read_pair(std::string_view(text).substr(at, end - at), elements, numbers);
    if (named[pair.i[0] * n + pair.j[0]]) {
      throw base::Error(fmt::format("names {} {} twice", elements[pair.i[0]], elements[pair.j[0]]));
    }
    for (const std::size_t i : pair.i) {
      for (const std::size_t j : pair.j) named[i * n + j] = named[j * n + i] = pair.numbers;
    }
    at = end + 1;
  }
  return named;
}

}  // namespace tacit::md
