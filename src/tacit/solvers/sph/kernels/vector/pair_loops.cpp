// Puts what a vector loop needs into the units of its cache, and the sums back.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/kernels/vector/pair_loops.hpp"

#include <algorithm>
#include <array>

#include "tacit/base/error.hpp"
#include "tacit/solvers/sph/kernels/vector/results.hpp"

namespace tacit::sph::kernels::vector {
namespace {

/// The target of a force in the units of the cache.
GasCentre in_frame(const Frame& frame, const ForceTarget& i, double H) noexcept {
  return {{frame.place({i.at.x, i.at.y, i.at.z}), frame.velocity(i.v)},
          frame.speed(i.cs),
          1.0F / frame.length(H),
          frame.density(i.rho),
          frame.omega_P(i.omega_P),
          static_cast<float>(i.balsara),
          static_cast<float>(i.hubble * frame.length_unit() / frame.velocity_unit())};
}

SphenixCentre in_frame(const Frame& frame, const SphenixTarget& i, double H) noexcept {
  return {in_frame(frame, i.gas, H), frame.energy(i.u), static_cast<float>(i.f), static_cast<float>(i.alpha_v),
          static_cast<float>(i.alpha_d)};
}

}  // namespace

double own_weight(const PairKernels& kernels) {
  std::array<float, widest> r{};
  std::array<float, widest> m{1.0F};
  return kernels.density({1, nullptr, r.data(), m.data()}, 1.0F).sum_w;
}

void PairLoops::shortlist(VectorCache& cache, const Box& box, double radius) const {
  cache.shortlist(kernels_.search, box, radius);
}

void PairLoops::shortlist_either(VectorCache& cache, const Box& box, double radius) const {
  cache.shortlist_either(kernels_.search, box, radius);
}

void PairLoops::find_within(VectorCache& cache, const base::Vec3& at, double radius) const {
  const float H = cache.frame().length(radius);
  TACIT_EXPECT(cache.lists(H));
  cache.hits().count = kernels_.search.find_within(cache.shortlist(), cache.frame().place(at), H, cache.hits());
}

void PairLoops::find_within_either(VectorCache& cache, const base::Vec3& at, double radius) const {
  const float H = cache.frame().length(radius);
  TACIT_EXPECT(cache.lists(H));
  cache.hits().count = kernels_.search.find_within_either(cache.shortlist(), cache.frame().place(at), H, cache.hits());
}

Density PairLoops::density(const VectorCache& cache, double h) const {
  const Frame& frame = cache.frame();
  return Results{frame, space_}.density(kernels_.density(cache.hits(), 1.0F / frame.length(space_.gamma * h)), h);
}

SmoothingLengthResult PairLoops::solve_smoothing_length(VectorCache& cache, const base::Vec3& at, double m,
                                                        double guess, double reach,
                                                        const SmoothingLengthRule& rule) const {
  return iterate_smoothing_length([&](double h) { find_within(cache, at, space_.gamma * h); },
                                  [&](double h) { return density(cache, h); }, m, guess, reach, rule_for_floats(rule));
}

SmoothingLengthResult PairLoops::solve_smoothing_length_beside(VectorCache& cache, const base::Vec3& at, double m,
                                                               double besides, double guess, double reach,
                                                               const SmoothingLengthRule& rule) const {
  const Results results{cache.frame(), space_};
  const double own_sum = own_weight(kernels_) * besides / cache.frame().mass_unit();
  const auto without = [&](double h) {
    const Density all = density(cache, h);
    const Density left_out = results.density({own_sum, 0.0}, h);
    return Density{all.rho - left_out.rho, all.drho_dh - left_out.drho_dh};
  };
  SmoothingLengthResult result = iterate_smoothing_length([&](double h) { find_within(cache, at, space_.gamma * h); },
                                                          without, m, guess, reach, rule_for_floats(rule));
  if (result.state != SmoothingLengthResult::State::out_of_reach) result.density = density(cache, result.h);
  return result;
}

SmoothingLengthRule PairLoops::rule_for_floats(const SmoothingLengthRule& rule) noexcept {
  SmoothingLengthRule coarse = rule;
  coarse.tolerance = std::max(rule.tolerance, 0x1p-20);
  return coarse;
}

VelocityGradients PairLoops::gradients(const VectorCache& cache, const base::Vec3& at, const base::Vec3& v, double h,
                                       double rho) const {
  const Frame& frame = cache.frame();
  const GradientSums sums = kernels_.gradients(cache.candidates(), cache.hits(), {frame.place(at), frame.velocity(v)},
                                               1.0F / frame.length(space_.gamma * h));
  return Results{frame, space_}.gradients(sums, h, rho);
}

Force PairLoops::force(const VectorCache& cache, const ForceTarget& i, double alpha) const {
  const Frame& frame = cache.frame();
  const ForceConstants constants{static_cast<float>(alpha), static_cast<float>(space_.norm), space_.dimension};
  const ForceSums sums =
      kernels_.forces(cache.candidates(), cache.hits(), in_frame(frame, i, space_.gamma * i.h), constants);
  return Results{frame, space_}.force(sums, i.cs);
}

SphenixGradients PairLoops::sphenix_gradients(const VectorCache& cache, const SphenixTarget& i, double beta_v) const {
  const Frame& frame = cache.frame();
  const SphenixCentre centre = in_frame(frame, i, space_.gamma * i.gas.h);
  const SphenixGradientSums sums =
      kernels_.sphenix.gradients(cache.candidates(), cache.hits(), centre, static_cast<float>(beta_v));
  return Results{frame, space_}.sphenix_gradients(sums, i.gas.h, i.gas.cs, i.alpha_v);
}

SphenixForce PairLoops::sphenix_force(const VectorCache& cache, const SphenixTarget& i, double beta_v) const {
  const Frame& frame = cache.frame();
  const ForceConstants constants{static_cast<float>(beta_v), static_cast<float>(space_.norm), space_.dimension};
  const SphenixForceSums sums =
      kernels_.sphenix.forces(cache.candidates(), cache.hits(), in_frame(frame, i, space_.gamma * i.gas.h), constants);
  return Results{frame, space_}.sphenix_force(sums, i.gas.cs);
}

}  // namespace tacit::sph::kernels::vector
