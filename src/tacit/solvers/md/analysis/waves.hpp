// The static structure factor S(k).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacit/engine/averages/block_averages.hpp"
#include "tacit/engine/solver.hpp"
#include "tacit/exchange/reductions.hpp"
#include "tacit/solvers/md/analysis/parameters.hpp"
#include "tacit/solvers/md/atoms.hpp"

namespace tacit::md {

/// Of waves that fit into the box, k = 2 pi (n_1 b_1 + n_2 b_2 + n_3 b_3) with the reciprocal edges b,
///
///     S_ab(k) = < Re rho_a(k) rho_b(k)* > / sqrt(N_a N_b),     rho_a(k) = sum over atoms of type a of exp(-i k x)
///
/// as means over shells of |k| and over samples: 1 (of like types) or 0 where atoms lie at random. Of shells with many
/// waves some are taken, spread evenly. Sums over atoms are of integers, multiples of 2^-40, so no bit depends on
/// ranks or threads.
///
/// @see Allen & Tildesley (2017), Computer Simulation of Liquids, section 2.6 and 8.3
/// Cost: 1 to 2 ns for each atom and wave.
class StructureFactor {
 public:
  /// All ranks make it. @param box  the first one: its waves are followed where it changes
  StructureFactor(const WaveSampling& sampling, std::size_t types, const Box& box, const engine::Resources& resources);

  /// Takes a sample. All ranks call it.
  void sample(const Atoms& atoms, const Box& box);

  [[nodiscard]] std::size_t shells() const noexcept { return waves_of_.size(); }
  /// Waves of a shell, one of each pair of opposite ones.
  [[nodiscard]] std::uint64_t waves(std::size_t shell) const noexcept { return waves_of_[shell]; }
  [[nodiscard]] std::uint64_t samples() const noexcept { return averages_.count(); }
  /// Mean |k| of a shell [length^-1]. @pre samples() > 0
  [[nodiscard]] double k(std::size_t shell) const { return averages_.mean(shell); }
  /// @pre samples() > 0
  [[nodiscard]] engine::BlockEstimate s(std::size_t a, std::size_t b, std::size_t shell) const;

  [[nodiscard]] std::vector<double> state() const { return averages_.state(); }
  /// @throws base::Error if it is none of these types and shells
  void restore(std::span<const double> state);

 private:
  using Wave = std::array<std::int32_t, 3>;
  [[nodiscard]] std::size_t kind_of(std::size_t a, std::size_t b) const noexcept;
  [[nodiscard]] std::vector<std::uint64_t> sums_of(const Atoms& atoms, const Box& box) const;
  void add_block(std::span<const base::Vec3> fractions, std::span<std::int64_t> sums) const;

  std::size_t types_;
  std::size_t kinds_;
  std::vector<Wave> waves_;               // shell by shell; n_1 >= 0
  std::vector<std::uint64_t> waves_of_;   // by shell
  std::array<std::size_t, 3> highest_{};  // |n| along each edge
  tasks::Scheduler& scheduler_;
  exchange::RankReductions reductions_;
  engine::BlockAverages averages_;  // shape (shells): |k|, then (kinds, shells): S
};

}  // namespace tacit::md
