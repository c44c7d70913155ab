// Numbers of pairs of types of Lennard-Jones atoms: those that are named, and those that follow by rules.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "tacit/base/error.hpp"
#include "tacit/base/text.hpp"
#include "tacit/solvers/md/formats/words.hpp"
#include "tacit/solvers/md/interaction.hpp"

namespace tacit::md {
namespace {

/// A length of an unlike pair.
double mixed_length(double a, double b, Mixing mixing) {
  if (mixing == Mixing::geometric) return std::sqrt(a * b);
  if (mixing == Mixing::arithmetic) return 0.5 * (a + b);
  return std::pow(0.5 * (std::pow(a, 6) + std::pow(b, 6)), 1.0 / 6.0);
}

LennardJonesTypes mixed(const LennardJonesTypes& a, const LennardJonesTypes& b, Mixing mixing) {
  LennardJonesTypes result{.epsilon = std::sqrt(a.epsilon * b.epsilon),
                           .sigma = mixed_length(a.sigma, b.sigma, mixing),
                           .cutoff = mixed_length(a.cutoff, b.cutoff, mixing)};
  if (mixing == Mixing::sixthpower) {
    const double a3 = std::pow(a.sigma, 3);
    const double b3 = std::pow(b.sigma, 3);
    result.epsilon *= 2.0 * a3 * b3 / (a3 * a3 + b3 * b3);
  }
  return result;
}

/// Several types may have one element, as of atoms that a program has told apart.
struct NamedPair {
  std::vector<std::size_t> i, j;
  LennardJonesTypes numbers;
};

NamedPair read_pair(std::string_view text, std::span<const std::string> elements) {
  const std::vector<std::string_view> words = words_of(text);
  if (words.size() != 5) {
    throw base::Error(fmt::format("'{}' has {} words, expected two elements, epsilon, sigma and cutoff",
                                  base::printable(text), words.size()));
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
  const auto number = [](std::string_view word) {
    const std::optional<double> value = number_of<double>(word);
    if (value && *value > 0.0 && std::isfinite(*value)) return *value;
    throw base::Error(fmt::format("'{}' is no number above 0", base::printable(word)));
  };
  return {types_of(words[0]), types_of(words[1]), {number(words[2]), number(words[3]), number(words[4])}};
}

}  // namespace

std::vector<LennardJonesTypes> mixed_pairs(const std::string& text, std::span<const std::string> elements,
                                           const LennardJonesTypes& otherwise, Mixing mixing) {
  const std::size_t n = elements.size();
  std::vector<std::optional<LennardJonesTypes>> named(n * n);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const NamedPair pair = read_pair(std::string_view(text).substr(at, end - at), elements);
    if (named[pair.i[0] * n + pair.j[0]]) {
      throw base::Error(fmt::format("names {} {} twice", elements[pair.i[0]], elements[pair.j[0]]));
    }
    for (const std::size_t i : pair.i) {
      for (const std::size_t j : pair.j) named[i * n + j] = named[j * n + i] = pair.numbers;
    }
    at = end + 1;
  }
  for (std::size_t i = 0; i < n; ++i) named[i * n + i] = named[i * n + i].value_or(otherwise);
  std::vector<LennardJonesTypes> result;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      result.push_back(named[i * n + j].value_or(mixed(*named[i * n + i], *named[j * n + j], mixing)));
    }
  }
  return result;
}

}  // namespace tacit::md
