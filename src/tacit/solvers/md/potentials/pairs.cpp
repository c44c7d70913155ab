// Numbers of pairs of types of Morse and Buckingham, and their sums.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/potentials/pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "tacit/base/error.hpp"
#include "tacit/solvers/md/potentials/named_pairs.hpp"

namespace tacit::md {
namespace {

using config::Choice;
using config::Key;
using kernels::Truncation;

constexpr std::array truncation_choices{
    Choice{"cut", Truncation::cut, "the energy of a pair jumps to 0 at the cutoff"},
    Choice{"shifted", Truncation::shifted, "shifted, so that the energy ends at 0; the same forces"},
    Choice{"force_shifted", Truncation::force_shifted, "energy and force end at 0"},
};
constexpr std::array morse_table{
    Key::text(
        "morse.pairs",
        "Numbers of all pairs of types, in code units, separated by commas: \"Cu Cu 0.3429 1.3588 2.866 6.5\" are two "
        "elements, depth, alpha, distance r0 of least energy, and cutoff."),
    Key::choice("morse.truncation", truncation_choices, Truncation::cut, "How it ends at the cutoff."),
};
constexpr std::array buckingham_table{
    Key::text("buckingham.pairs",
              "Numbers of all pairs of types, in code units, separated by commas: \"Ar Ar 63.4 0.27 62.9 8.5\" are two "
              "elements, A, rho, C and cutoff."),
    Key::choice("buckingham.truncation", truncation_choices, Truncation::cut, "How it ends at the cutoff."),
};

constexpr std::array morse_numbers{PairNumber{"depth", true}, PairNumber{"alpha"}, PairNumber{"r0"},
                                   PairNumber{"cutoff"}};
constexpr std::array buckingham_numbers{PairNumber{"A", true}, PairNumber{"rho"}, PairNumber{"C", true},
                                        PairNumber{"cutoff"}};

/// u and u' at the cutoff, by the formulas themselves.
struct End {
  double energy = 0.0;
  double slope = 0.0;
};
End end_of(ExponentialKind kind, const ExponentialTypes& of) {
  const double r = of.cutoff;
  if (kind == ExponentialKind::morse) {
    const double e = std::exp(-of.rate * (r - of.third));
    return {of.depth * e * (e - 2.0), -2.0 * of.depth * of.rate * e * (e - 1.0)};
  }
  const double repulsion = of.depth * std::exp(-of.rate * r);
  const double attraction = of.third / std::pow(r, 6);
  return {repulsion - attraction, -of.rate * repulsion + 6.0 * attraction / r};
}

class ExponentialInteraction final : public Interaction {
 public:
  explicit ExponentialInteraction(const ExponentialParameters& parameters)
      : parameters_(parameters),
        loop_(parameters.kind == ExponentialKind::morse ? pair_loops().morse : pair_loops().buckingham) {
    TACIT_EXPECT(parameters.pairs.size() == parameters.types * parameters.types);
    for (const ExponentialTypes& of : parameters.pairs) {
      if (of.cutoff == 0.0) {
        of_pairs_.insert(of_pairs_.end(), {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0});
        continue;
      }
      const End end = end_of(parameters.kind, of);
      const bool is_shifted = parameters.truncation != Truncation::cut;
      const bool is_smooth = parameters.truncation == Truncation::force_shifted;
      of_pairs_.insert(of_pairs_.end(), {of.cutoff * of.cutoff, of.depth, of.rate, of.third,
                                         is_shifted ? end.energy : 0.0, is_smooth ? end.slope : 0.0, of.cutoff});
    }
  }
  [[nodiscard]] Kind kind() const override { return Kind::pairs; }
  [[nodiscard]] double cutoff() const override {
    return std::ranges::max(parameters_.pairs, {}, &ExponentialTypes::cutoff).cutoff;
  }
  [[nodiscard]] bool acts(std::size_t a, std::size_t b) const override {
    return parameters_.pairs[a * parameters_.types + b].cutoff > 0.0;
  }
  void sum(kernels::PairWork work, const kernels::PairSums& sums) const override {
    work.of_pairs = of_pairs_.data();
    work.types = parameters_.types;
    loop_(work, sums);
  }
  [[nodiscard]] Tail tail(std::span<const std::uint64_t> /*atoms*/, double /*volume*/) const override { return {}; }

 private:
  ExponentialParameters parameters_;
  void (*loop_)(const kernels::PairWork&, const kernels::PairSums&);
  base::PackVector<double> of_pairs_;
};

}  // namespace

std::unique_ptr<Interaction> make_exponential(const ExponentialParameters& parameters) {
  return std::make_unique<ExponentialInteraction>(parameters);
}

std::span<const Key> morse_keys() { return morse_table; }
std::span<const Key> buckingham_keys() { return buckingham_table; }

ExponentialParameters read_exponential(const config::Parameters& p, ExponentialKind kind,
                                       std::span<const std::string> elements, bool may_leave_out) {
  const bool is_morse = kind == ExponentialKind::morse;
  const std::string key = is_morse ? "morse.pairs" : "buckingham.pairs";
  const char* hint = is_morse ? "for example \"Cu Cu 0.3429 1.3588 2.866 6.5\": two elements, depth, alpha, r0, cutoff"
                              : "for example \"Ar Ar 63.4 0.27 62.9 8.5\": two elements, A, rho, C, cutoff";
  const auto refuse = [&](const std::string& what) { throw config::Error(p.where(key), key, what, hint); };
  if (!p.has(key)) refuse("is missing: md.potential needs it");
  std::vector<std::optional<std::vector<double>>> named;
  try {
    named = read_named_pairs(p.text(key), elements,
                             is_morse ? std::span<const PairNumber>(morse_numbers) : buckingham_numbers);
  } catch (const base::Error& error) {
    refuse(error.what());
  }
  ExponentialParameters result{.kind = kind, .types = elements.size()};
  for (std::size_t i = 0; i < elements.size(); ++i) {
    for (std::size_t j = 0; j < elements.size(); ++j) {
      const auto& of = named[i * elements.size() + j];
      if (!of && may_leave_out) {
        result.pairs.push_back({});
        continue;
      }
      if (!of) refuse(fmt::format("does not name {} {}", elements[i], elements[j]));
      result.pairs.push_back(
          {.depth = (*of)[0], .rate = is_morse ? (*of)[1] : 1.0 / (*of)[1], .third = (*of)[2], .cutoff = (*of)[3]});
    }
  }
  result.truncation = p.choice(is_morse ? "morse.truncation" : "buckingham.truncation", truncation_choices);
  return result;
}

}  // namespace tacit::md
