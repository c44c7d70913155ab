// Numbers of pairs of types of Lennard-Jones atoms: those that are named, and those that follow by rules.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <optional>

#include "tacit/solvers/md/interaction.hpp"
#include "tacit/solvers/md/potentials/named_pairs.hpp"

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

constexpr std::array lennard_jones_numbers{PairNumber{"epsilon"}, PairNumber{"sigma"}, PairNumber{"cutoff"}};

}  // namespace

std::vector<LennardJonesTypes> mixed_pairs(const std::string& text, std::span<const std::string> elements,
                                           const LennardJonesTypes& otherwise, Mixing mixing) {
  const std::size_t n = elements.size();
  std::vector<std::optional<LennardJonesTypes>> named;
  for (const auto& of : read_named_pairs(text, elements, lennard_jones_numbers)) {
    named.push_back(of ? std::optional<LennardJonesTypes>({(*of)[0], (*of)[1], (*of)[2]}) : std::nullopt);
  }
  if (mixing == Mixing::none) {
    for (auto& one : named) one = one.value_or(LennardJonesTypes{.cutoff = 0.0});
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
