// Numbers of pairs of charges, and their sums.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/potentials/screened.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "tacit/solvers/md/kernels/screened_pairs.hpp"

namespace tacit::md {
namespace {

using config::Key;
namespace dim = base::dimension;

constexpr std::array coulomb_table{
    Key::numbers("coulomb.charges",
                 "Charge of an atom of each type, in units of the proton's; with md.units = \"si\" in C, with \"lj\" "
                 "reduced."),
    Key::non_negative("coulomb.damping",
                      "alpha of the damping erfc(alpha r), in code units; 0.2 per Angstrom is usual.", "0"),
    Key::positive("coulomb.cutoff", dim::length, "Distance beyond which no pair acts."),
};
constexpr std::array zbl_table{
    Key::numbers("zbl.atomic_numbers", "Number of protons of each type; 0: none acts on it.", config::non_negative),
    Key::positive("zbl.inner", dim::length, "Distance from which on the repulsion is switched off."),
    Key::positive("zbl.cutoff", dim::length, "Distance at which it has ended, with slope and curvature."),
};

std::vector<double> one_for_each_type(const config::Parameters& p, const char* key, const char* potential,
                                      std::span<const std::string> elements) {
  if (!p.has(key)) {
    throw config::Error(p.where(key), key, fmt::format("is missing: a potential is \"{}\"", potential),
                        fmt::format("give a number for each type of atoms ({})", fmt::join(elements, " ")));
  }
  std::vector<double> result = p.vector(key);
  if (result.size() == elements.size()) return result;
  throw config::Error(p.where(key), key,
                      fmt::format("has {} number(s) for {} type(s) of atoms ({})", result.size(), elements.size(),
                                  fmt::join(elements, " ")),
                      "give one for each type");
}

double needed_length(const config::Parameters& p, const char* key, const char* potential, const char* example) {
  if (p.has(key)) return p.real(key);
  throw config::Error(p.where(key), key, fmt::format("is missing: a potential is \"{}\"", potential),
                      fmt::format("for example {}", example));
}

class DampedCoulombInteraction final : public Interaction {
 public:
  explicit DampedCoulombInteraction(const DampedCoulombParameters& parameters)
      : parameters_(parameters), loop_(pair_loops().damped_coulomb) {
    const double alpha = parameters.alpha;
    const double rc = parameters.cutoff;
    const double root_pi = std::sqrt(std::numbers::pi);
    const double damped = std::erfc(alpha * rc);
    const double slope = -(damped / (rc * rc) + 2.0 * alpha / root_pi * std::exp(-alpha * alpha * rc * rc) / rc);
    const double shift = damped / rc - slope * rc;
    for (const double a : parameters.charges) {
      own_.push_back(-parameters.coulomb * a * a * (0.5 * shift + alpha / root_pi));
      for (const double b : parameters.charges) {
        // Of atoms without charge nothing is looked at.
        of_pairs_.insert(of_pairs_.end(),
                         {a * b == 0.0 ? 0.0 : rc * rc, parameters.coulomb * a * b, alpha, slope, shift});
      }
    }
  }
  [[nodiscard]] Kind kind() const override { return Kind::pairs; }
  [[nodiscard]] double cutoff() const override { return parameters_.cutoff; }
  [[nodiscard]] bool acts(std::size_t a, std::size_t b) const override {
    return parameters_.charges[a] * parameters_.charges[b] != 0.0;
  }
  void sum(kernels::PairWork work, const kernels::PairSums& sums) const override {
    work.of_pairs = of_pairs_.data();
    work.types = own_.size();
    loop_(work, sums);
    if (sums.energy == nullptr) return;
    for (std::size_t i = 0; i < work.count; ++i) {
      sums.energy[i] += own_[static_cast<std::size_t>(work.records[4 * (work.first + i) + 3])];
    }
  }
  [[nodiscard]] Tail tail(std::span<const std::uint64_t> /*atoms*/, double /*volume*/) const override { return {}; }

 private:
  DampedCoulombParameters parameters_;
  void (*loop_)(const kernels::PairWork&, const kernels::PairSums&);
  base::PackVector<double> of_pairs_;
  std::vector<double> own_;  // energy of an atom of each type
};

/// u and its derivatives at a distance, without the switch.
std::array<double, 3> unscreened_end(double z, double inverse_a, double r) {
  std::array<double, 3> phi{};  // and its derivatives by r
  for (std::size_t k = 0; k < 4; ++k) {
    const double rate = -kernels::universal_screening.rate[k] * inverse_a;
    const double term = kernels::universal_screening.amplitude[k] * std::exp(rate * r);
    phi[0] += term;
    phi[1] += rate * term;
    phi[2] += rate * rate * term;
  }
  return {z * phi[0] / r, z * (phi[1] - phi[0] / r) / r, z * (phi[2] - 2.0 * phi[1] / r + 2.0 * phi[0] / (r * r)) / r};
}

class UniversalRepulsionInteraction final : public Interaction {
 public:
  explicit UniversalRepulsionInteraction(const UniversalRepulsionParameters& parameters)
      : parameters_(parameters), loop_(pair_loops().universal_repulsion) {
    const double width = parameters.cutoff - parameters.inner;
    for (const double a : parameters.atomic_numbers) {
      for (const double b : parameters.atomic_numbers) {
        const double z = parameters.coulomb * a * b;
        const double inverse_a = (std::pow(a, 0.23) + std::pow(b, 0.23)) / (0.46850 * parameters.angstrom);
        const auto [u, slope, curvature] = unscreened_end(z, inverse_a, parameters.cutoff);
        of_pairs_.insert(of_pairs_.end(), {z == 0.0 ? 0.0 : parameters.cutoff * parameters.cutoff, z, inverse_a,
                                           parameters.inner, (-3.0 * slope + width * curvature) / (width * width),
                                           (2.0 * slope - width * curvature) / (width * width * width),
                                           -u + 0.5 * width * slope - width * width * curvature / 12.0});
      }
    }
  }
  [[nodiscard]] Kind kind() const override { return Kind::pairs; }
  [[nodiscard]] double cutoff() const override { return parameters_.cutoff; }
  [[nodiscard]] bool acts(std::size_t a, std::size_t b) const override {
    return parameters_.atomic_numbers[a] * parameters_.atomic_numbers[b] != 0.0;
  }
  void sum(kernels::PairWork work, const kernels::PairSums& sums) const override {
    work.of_pairs = of_pairs_.data();
    work.types = parameters_.atomic_numbers.size();
    loop_(work, sums);
  }
  [[nodiscard]] Tail tail(std::span<const std::uint64_t> /*atoms*/, double /*volume*/) const override { return {}; }

 private:
  UniversalRepulsionParameters parameters_;
  void (*loop_)(const kernels::PairWork&, const kernels::PairSums&);
  base::PackVector<double> of_pairs_;
};

}  // namespace

std::unique_ptr<Interaction> make_damped_coulomb(const DampedCoulombParameters& parameters) {
  return std::make_unique<DampedCoulombInteraction>(parameters);
}
std::unique_ptr<Interaction> make_universal_repulsion(const UniversalRepulsionParameters& parameters) {
  return std::make_unique<UniversalRepulsionInteraction>(parameters);
}

std::span<const Key> coulomb_keys() { return coulomb_table; }
std::span<const Key> zbl_keys() { return zbl_table; }

DampedCoulombParameters read_damped_coulomb(const config::Parameters& p, const Units& units,
                                            std::span<const std::string> elements) {
  return {.charges = one_for_each_type(p, "coulomb.charges", "coulomb", elements),
          .alpha = p.real("coulomb.damping"),
          .cutoff = needed_length(p, "coulomb.cutoff", "coulomb", "cutoff = 10.0"),
          .coulomb = units.coulomb};
}

UniversalRepulsionParameters read_universal_repulsion(const config::Parameters& p, const Units& units,
                                                      std::span<const std::string> elements) {
  if (units.electronvolt == 0.0) {
    throw config::Error(p.where("md.units"), "md.units",
                        "is \"lj\", but nuclei have charges and sizes in nature's units",
                        "write 'units = \"metal\"' in [md]");
  }
  UniversalRepulsionParameters result{.atomic_numbers = one_for_each_type(p, "zbl.atomic_numbers", "zbl", elements),
                                      .inner = needed_length(p, "zbl.inner", "zbl", "inner = 1.0"),
                                      .cutoff = needed_length(p, "zbl.cutoff", "zbl", "cutoff = 2.0"),
                                      .coulomb = units.coulomb_of_protons,
                                      .angstrom = units.angstrom};
  if (result.cutoff > result.inner) return result;
  throw config::Error(p.where("zbl.cutoff"), "zbl.cutoff",
                      fmt::format("is {:.6g}, not beyond zbl.inner = {:.6g}", result.cutoff, result.inner),
                      "the switch goes from the inner distance to the cutoff");
}

}  // namespace tacit::md
