// Sums over the coarse lattice that no order changes, many of them in one short message.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "tacit/comm/communicator.hpp"
#include "tacit/exchange/reductions.hpp"

namespace tacit::qcd::multigrid {

/// Sums of terms in fixed point: each is two integers, units of 2^-18 and of 2^-60, which are added exactly in any
/// order, by any threads and on any ranks. Made for vectors whose norms are some 1: terms below 2^-60 are lost, and
/// sums from 2^44 on are NaN, as are those with a term from 2^30 on or one that is not finite. A sum takes 16 B of a
/// message, where base::ExactSum takes 560 B: of a Krylov step of thirty directions all sums go in 1 kB.
///
///     sums.begin(2);
///     CoarseSums::Terms terms(sums);   // of a worker
///     terms.add(0, x); terms.add(1, y);
///     sums.merge(terms);
///     sums.run();                      // all ranks
///     use(sums.value(0), sums.value(1));
class CoarseSums {
 public:
  static constexpr std::size_t most = 1536;  ///< sums at once

  /// What a worker adds up before others see it.
  class Terms {
   public:
    /// All 0, for as many sums as were begun.
    explicit Terms(const CoarseSums& sums) noexcept { std::fill_n(words_.begin(), 2 * sums.count_, 0); }
    void add(std::size_t sum, double term) noexcept;

   private:
    friend class CoarseSums;
    std::array<std::int64_t, 2 * most> words_;  // [sum][coarse, fine]
    std::uint64_t refused_ = 0;                 // terms that were no numbers, or too large
  };

  using AddOver = std::function<void(std::span<std::uint64_t>)>;
  /// @param largest  sums at once at most   @param ranks  null: one rank; outlives this. All ranks make it
  /// @param add    replaces exchange::Reduction, unless empty
  explicit CoarseSums(comm::Communicator* ranks, std::size_t largest = 80, AddOver add = {});

  /// From 0 on.
  void begin(std::size_t count) noexcept;
  /// Any threads may call it at once.
  void merge(const Terms& terms) noexcept;
  /// Over all ranks.
  void run();
  [[nodiscard]] double value(std::size_t sum) const noexcept;

  /// Calls of `run` so far, and what those of several ranks took [s].
  [[nodiscard]] std::uint64_t runs() const noexcept { return runs_; }
  [[nodiscard]] double seconds() const noexcept { return seconds_; }

 private:
  /// Reductions of few lengths: the shortest that holds the present sums is taken.
  struct OverRanks {
    std::size_t sums = 0;
    std::unique_ptr<exchange::Reduction> reduction;
  };

  std::size_t count_ = 0;
  std::array<std::uint64_t, 2 * most + 1> words_{};  // [sum][coarse, fine], and how many terms were refused
  std::vector<OverRanks> over_ranks_;
  AddOver add_;
  std::uint64_t runs_ = 0;
  double seconds_ = 0.0;
};

}  // namespace tacit::qcd::multigrid
