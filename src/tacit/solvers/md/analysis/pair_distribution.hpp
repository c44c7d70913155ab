// The pair distribution function g(r), and how many neighbours are within r.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tacit/engine/averages/block_averages.hpp"
#include "tacit/engine/solver.hpp"
#include "tacit/exchange/reductions.hpp"
#include "tacit/solvers/md/analysis/parameters.hpp"
#include "tacit/solvers/md/atoms.hpp"

namespace tacit::md {

/// For each pair of types a, b, and distances in bins of equal width,
///
///     g_ab(r) = V n_ab / (N_a N_b v(r)),     g_aa(r) = V n_aa / (N_a (N_a - 1) v(r))
///
/// with n the ordered pairs in a bin and v the volume of its shell: 1 where atoms lie at random. Means over samples,
/// with errors by blocking. Pairs are counted, so bits do not depend on ranks or threads.
///
/// @see Allen & Tildesley (2017), Computer Simulation of Liquids, eq. (2.94) and section 8.2
class PairDistribution {
 public:
  /// All ranks make it.
  PairDistribution(const PairSampling& sampling, std::size_t types, const engine::Resources& resources);

  /// Takes a sample. All ranks call it.
  void sample(const Atoms& atoms, const Box& box);

  [[nodiscard]] std::size_t bins() const noexcept { return bins_; }
  [[nodiscard]] double width() const noexcept { return width_; }
  [[nodiscard]] std::uint64_t samples() const noexcept { return averages_.count(); }
  /// g of two types in a bin, with its error. @pre samples() > 0
  [[nodiscard]] engine::BlockEstimate g(std::size_t a, std::size_t b, std::size_t bin) const;
  /// How many atoms of type b an atom of type a has on average up to the outer edge of a bin. @pre samples() > 0
  [[nodiscard]] engine::BlockEstimate neighbours(std::size_t a, std::size_t b, std::size_t bin) const;

  [[nodiscard]] std::vector<double> state() const;
  /// @throws base::Error if it is none of these types and bins
  void restore(std::span<const double> state);

 private:
  [[nodiscard]] std::size_t kind_of(std::size_t a, std::size_t b) const noexcept;
  [[nodiscard]] std::vector<std::uint64_t> count(const Atoms& atoms, const Box& box) const;

  double reach_;
  double width_;
  std::size_t bins_;
  std::size_t types_;
  std::size_t kinds_;  // pairs of types, unordered
  tasks::Scheduler& scheduler_;
  comm::Communicator& ranks_;
  exchange::RankReductions reductions_;
  engine::BlockAverages averages_;       // shape (2, kinds, bins): g; of the lower type, neighbours of the higher one
  std::vector<std::uint64_t> atoms_of_;  // by type
};

}  // namespace tacit::md
