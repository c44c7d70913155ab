// Adds up what several potentials say.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/potentials/overlay.hpp"

#include <algorithm>
#include <utility>

#include "tacit/base/error.hpp"
#include "tacit/solvers/md/parameters.hpp"

namespace tacit::md {
namespace {

class OverlayInteraction final : public Interaction {
 public:
  OverlayInteraction(std::unique_ptr<Interaction> main, std::vector<std::unique_ptr<Interaction>> beside)
      : main_(std::move(main)), beside_(std::move(beside)) {
    for (const auto& one : beside_) TACIT_EXPECT(one->kind() == Kind::pairs);
  }
  [[nodiscard]] Kind kind() const override { return main_->kind(); }
  [[nodiscard]] double cutoff() const override {
    double result = main_->cutoff();
    for (const auto& one : beside_) result = std::max(result, one->cutoff());
    return result;
  }
  [[nodiscard]] bool acts(std::size_t a, std::size_t b) const override {
    return main_->acts(a, b) || std::ranges::any_of(beside_, [&](const auto& one) { return one->acts(a, b); });
  }
  void sum(kernels::PairWork work, const kernels::PairSums& sums) const override {
    main_->sum(work, sums);
    add_pairs(work, sums);
  }
  void find_bonds(const kernels::PairWork& work, kernels::Bonds& bonds, const kernels::PairSums& sums) const override {
    main_->find_bonds(work, bonds, sums);
  }
  void embed(kernels::PairWork work, double* slopes, double* energies) const override {
    main_->embed(work, slopes, energies);
  }
  void sum_embedded(kernels::PairWork work, const kernels::Embedding& of,
                    const kernels::PairSums& sums) const override {
    main_->sum_embedded(work, of, sums);
  }
  [[nodiscard]] bool has_pairs_beside() const override { return true; }
  void add_pairs(kernels::PairWork work, kernels::PairSums sums) const override {
    sums.adds = true;
    for (const auto& one : beside_) one->sum(work, sums);
  }
  [[nodiscard]] Tail tail(std::span<const std::uint64_t> atoms, double volume) const override {
    Tail result = main_->tail(atoms, volume);
    for (const auto& one : beside_) {
      const Tail more = one->tail(atoms, volume);
      result.energy += more.energy;
      result.pressure += more.pressure;
    }
    return result;
  }

 private:
  std::unique_ptr<Interaction> main_;
  std::vector<std::unique_ptr<Interaction>> beside_;
};

}  // namespace

namespace {

std::unique_ptr<Interaction> make_one(Potential which, const MdParameters& md) {
  switch (which) {
    case Potential::tersoff:
      return make_tersoff(md.tersoff);
    case Potential::stillinger_weber:
      return make_stillinger_weber(md.stillinger_weber);
    case Potential::eam:
      return make_embedded_atoms(md.embedded);
    case Potential::morse:
      return make_exponential(md.morse);
    case Potential::buckingham:
      return make_exponential(md.buckingham);
    case Potential::coulomb:
      return make_damped_coulomb(md.coulomb);
    case Potential::zbl:
      return make_universal_repulsion(md.zbl);
    case Potential::table:
      return make_table(md.table);
    case Potential::lennard_jones:
      break;
  }
  return make_lennard_jones(md.lennard_jones);
}

}  // namespace

std::unique_ptr<Interaction> make_interaction(const MdParameters& md) {
  std::unique_ptr<Interaction> result = make_one(md.potential, md);
  if (md.overlay.empty()) return result;
  std::vector<std::unique_ptr<Interaction>> beside;
  for (const Potential which : md.overlay) beside.push_back(make_one(which, md));
  return make_overlay(std::move(result), std::move(beside));
}

std::unique_ptr<Interaction> make_overlay(std::unique_ptr<Interaction> main,
                                          std::vector<std::unique_ptr<Interaction>> beside) {
  return std::make_unique<OverlayInteraction>(std::move(main), std::move(beside));
}

}  // namespace tacit::md
