// The loop over bonds of Tersoff's potential.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/kernels/tersoff.hpp"

#include <algorithm>
#include <utility>

#include "tacit/base/error.hpp"

namespace tacit::md::kernels {
namespace {

/// One centre: its neighbours within the cutoff are the last slots.
class Centre {
 public:
  Centre(const TersoffTable& table, std::uint32_t type, Bonds& bonds)
      : table_(table), type_(type), bonds_(bonds), forces_(std::span(bonds.force).subspan(bonds.begin.back())) {}

  /// E_i = 1/2 sum_j fC(r_ij) [A exp(-lambda1 r_ij) - b_ij B exp(-lambda2 r_ij)]
  double sum() {
    double energy = 0.0;
    for (std::uint32_t j = 0; j < bonds_.neighbours.size(); ++j) energy += sum_bond(j);
    return energy;
  }

 private:
  double sum_bond(std::uint32_t j) {
    const Bonds::Neighbour& to = bonds_.neighbours[j];
    const TersoffTriple& of = table_.of(type_, to.type, to.type);
    if (to.r >= of.cutoff()) return 0.0;
    const WithSlope order = tersoff_order(find_thirds(j), of);
    const double repulsion = of.A * std::exp(-of.lambda1 * to.r);
    const double attraction = -of.B * std::exp(-of.lambda2 * to.r);
    const double inside = repulsion + order.value * attraction;
    const double slope = -of.lambda1 * repulsion - order.value * of.lambda2 * attraction;
    TersoffBond bond{.energy = 0.5 * to.cutoff.value * inside,
                     .by_r = 0.5 * (to.cutoff.slope * inside + to.cutoff.value * slope),
                     .by_zeta = 0.5 * to.cutoff.value * attraction * order.slope};
    if (of.z != 0.0) bond = join_nuclei(bond, to.r, of);
    push(j, bond.by_r, bond.by_zeta);
    return bond.energy;
  }

  /// zeta_ij = sum_k fC(r_ik) g(theta_ijk) exp(...), with the derivatives of each term
  double find_thirds(std::uint32_t j) {
    const Bonds::Neighbour& to = bonds_.neighbours[j];
    bonds_.thirds.clear();
    double zeta = 0.0;
    for (std::uint32_t k = 0; k < bonds_.neighbours.size(); ++k) {
      const Bonds::Neighbour& third = bonds_.neighbours[k];
      const TersoffTriple& of = table_.of(type_, to.type, third.type);
      if (k == j || third.r >= of.cutoff()) continue;
      const TersoffTriple& alike = table_.of(type_, third.type, third.type);
      const bool is_known = of.R == alike.R && of.D == alike.D;
      const WithSlope cutoff = is_known ? third.cutoff : tersoff_cutoff(third.r, of.R, of.D);
      const double cosine = base::dot(to.direction, third.direction);
      const WithSlope angle = tersoff_angle(cosine, of);
      const WithSlope distances = tersoff_distances(to.r - third.r, of);
      zeta += cutoff.value * angle.value * distances.value;
      const double by_distance = cutoff.value * angle.value * distances.slope;
      bonds_.thirds.push_back({.k = k,
                               .by_cosine = cutoff.value * angle.slope * distances.value,
                               .by_r_ij = by_distance,
                               .by_r_ik = cutoff.slope * angle.value * distances.value - by_distance,
                               .cosine = cosine});
    }
    return zeta;
  }

  /// Adds the forces of a bond to the slots. @param by_r, by_zeta  derivatives of its energy
  void push(std::uint32_t j, double by_r, double by_zeta) {
    const Bonds::Neighbour& to = bonds_.neighbours[j];
    base::Vec3 on_j = -by_r * to.direction;
    for (const Bonds::Third& third : bonds_.thirds) {
      const Bonds::Neighbour& other = bonds_.neighbours[third.k];
      const double turn_j = by_zeta * third.by_cosine / to.r;
      const double turn_k = by_zeta * third.by_cosine / other.r;
      on_j = on_j - turn_j * other.direction - (by_zeta * third.by_r_ij - turn_j * third.cosine) * to.direction;
      forces_[third.k] = forces_[third.k] - turn_k * to.direction -
                         (by_zeta * third.by_r_ik - turn_k * third.cosine) * other.direction;
    }
    forces_[j] = forces_[j] + on_j;
  }

  const TersoffTable& table_;
  const std::uint32_t type_;
  Bonds& bonds_;
  std::span<base::Vec3> forces_;
};

/// The same of atoms of one type, by loops over packs: between those for angles and for forces it knows each bond.
class StarCentre {
 public:
  StarCentre(const TersoffTriple& of, const BondLoops& loops, Star& star) : of_(of), loops_(loops), star_(star) {}

  /// @param to  forces on the neighbours
  double sum(std::span<const Bonds::Neighbour> neighbours, std::span<base::Vec3> to) {
    fill(neighbours);
    loops_.find_zeta(
        {.is_cubic = of_.m == 3, .gamma = of_.gamma, .lambda3 = of_.lambda3, .c = of_.c, .d = of_.d, .h = of_.h},
        star_);
    double energy = 0.0;
    for (std::size_t j = 0; j < star_.count; ++j) energy += find_bond(j);
    loops_.push(star_);
    for (std::size_t j = 0; j < star_.count; ++j) to[j] = {star_.fx[j], star_.fy[j], star_.fz[j]};
    return energy;
  }

 private:
  void fill(std::span<const Bonds::Neighbour> neighbours) {
    star_.count = neighbours.size();
    for (std::size_t j = 0; j < star_.count; ++j) set(j, neighbours[j]);
    for (std::size_t j = star_.count; j % Star::widest != 0; ++j) {
      set(j, {.r = 1.0, .direction = {}, .type = 0, .cutoff = {}});
      star_.by_r[j] = star_.by_zeta[j] = 0.0;
    }
  }
  void set(std::size_t j, const Bonds::Neighbour& neighbour) {
    star_.r[j] = neighbour.r;
    star_.x[j] = neighbour.direction.x;
    star_.y[j] = neighbour.direction.y;
    star_.z[j] = neighbour.direction.z;
    star_.cutoff[j] = neighbour.cutoff.value;
    star_.cutoff_slope[j] = neighbour.cutoff.slope;
    star_.fx[j] = star_.fy[j] = star_.fz[j] = 0.0;
  }
  double find_bond(std::size_t j) {
    const WithSlope order = tersoff_order(star_.zeta[j], of_);
    const double repulsion = of_.A * std::exp(-of_.lambda1 * star_.r[j]);
    const double attraction = -of_.B * std::exp(-of_.lambda2 * star_.r[j]);
    const double inside = repulsion + order.value * attraction;
    const double slope = -of_.lambda1 * repulsion - order.value * of_.lambda2 * attraction;
    TersoffBond bond{.energy = 0.5 * star_.cutoff[j] * inside,
                     .by_r = 0.5 * (star_.cutoff_slope[j] * inside + star_.cutoff[j] * slope),
                     .by_zeta = 0.5 * star_.cutoff[j] * attraction * order.slope};
    if (of_.z != 0.0) bond = join_nuclei(bond, star_.r[j], of_);
    star_.by_r[j] = bond.by_r;
    star_.by_zeta[j] = bond.by_zeta;
    return bond.energy;
  }

  const TersoffTriple& of_;
  const BondLoops& loops_;
  Star& star_;
};

/// The atoms within reach of an atom, in the order of its list. Who finds whom is symmetric.
void find_bonded(const TersoffTable& table, const PairWork& work, std::size_t i, Bonds& bonds) {
  const double* own = work.records + 4 * (work.first + i);
  const auto type = static_cast<std::size_t>(own[3]);
  const double cutoff = table.cutoff_of(type);
  bonds.neighbours.clear();
  for (std::size_t at = work.begin[i]; at < work.begin[i + 1]; ++at) {
    const double* other = work.records + 4 * std::size_t{work.lists[at]};
    const base::Vec3 d{other[0] - own[0], other[1] - own[1], other[2] - own[2]};
    const double r2 = base::dot(d, d);
    if (!(r2 < cutoff * cutoff)) continue;
    const auto their = static_cast<std::uint32_t>(other[3]);
    const double reach = table.reach(type, their);
    if (!(r2 < reach * reach)) continue;
    const double r = std::sqrt(r2);
    const TersoffTriple& alike = table.of(type, their, their);
    bonds.neighbours.push_back({r, (1.0 / r) * d, their, tersoff_cutoff(r, alike.R, alike.D)});
    bonds.atom.push_back(work.lists[at]);
    bonds.force.push_back({});
  }
}

}  // namespace

TersoffTable::TersoffTable(std::size_t types, std::vector<TersoffTriple> triples)
    : types_(types), triples_(std::move(triples)), reaches_(types * types, 0.0), cutoffs_(types, 0.0) {
  TACIT_EXPECT(triples_.size() == types * types * types);
  const auto extend = [&](std::size_t a, std::size_t b, double to) {
    for (double* reach : {&reaches_[a * types + b], &reaches_[b * types + a]}) *reach = std::max(*reach, to);
  };
  for (std::size_t i = 0; i < types; ++i) {
    for (std::size_t j = 0; j < types; ++j) {
      extend(i, j, of(i, j, j).cutoff());
      for (std::size_t k = 0; k < types; ++k) extend(i, k, of(i, j, k).cutoff());
    }
  }
  for (std::size_t i = 0; i < types; ++i) {
    cutoffs_[i] = *std::max_element(&reaches_[i * types], &reaches_[i * types] + types);
  }
}

double TersoffTable::cutoff() const noexcept { return *std::ranges::max_element(cutoffs_); }

void sum_tersoff(const TersoffTable& table, const PairWork& work, Bonds& bonds, const PairSums& sums,
                 const BondLoops* loops) {
  Star star;
  bonds.begin.assign(1, 0);
  bonds.atom.clear();
  bonds.force.clear();
  for (std::size_t i = 0; i < work.count; ++i) {
    find_bonded(table, work, i, bonds);
    const double* own = work.records + 4 * (work.first + i);
    const std::size_t first = bonds.begin.back();
    const bool is_star = loops != nullptr && table.types() == 1 && bonds.neighbours.size() <= Star::most;
    const double energy =
        is_star
            ? StarCentre(table.of(0, 0, 0), *loops, star).sum(bonds.neighbours, std::span(bonds.force).subspan(first))
            : Centre(table, static_cast<std::uint32_t>(own[3]), bonds).sum();
    bonds.begin.push_back(static_cast<std::uint32_t>(bonds.atom.size()));
    if (sums.energy == nullptr) continue;
    sums.energy[i] = energy;
    std::array<double, 6> virial{};
    for (std::size_t n = first; n < bonds.atom.size(); ++n) {
      const Bonds::Neighbour& neighbour = bonds.neighbours[n - first];
      const base::Vec3 d = neighbour.r * neighbour.direction;
      const base::Vec3& f = bonds.force[n];
      virial[0] += d.x * f.x;
      virial[1] += d.y * f.y;
      virial[2] += d.z * f.z;
      virial[3] += d.x * f.y;
      virial[4] += d.x * f.z;
      virial[5] += d.y * f.z;
    }
    for (std::size_t k = 0; k < 6; ++k) sums.virial[k][i] = virial[k];
  }
}

}  // namespace tacit::md::kernels
