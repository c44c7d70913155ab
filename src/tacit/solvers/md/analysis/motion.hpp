// How atoms move away from where they were, and forget how fast: displacements and velocity autocorrelations.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tacit/base/exact_sum.hpp"
#include "tacit/engine/averages/block_averages.hpp"
#include "tacit/engine/solver.hpp"
#include "tacit/exchange/reductions.hpp"
#include "tacit/io/file.hpp"
#include "tacit/solvers/md/analysis/parameters.hpp"
#include "tacit/solvers/md/atoms.hpp"
#include "tacit/solvers/md/file_rows.hpp"

namespace tacit::md {

/// For each type and lag t, over all its atoms and all samples that have another one a time t before them,
///
///     msd(t) = < |x(t0 + t) - x(t0)|^2 >,     vacf(t) = < v(t0 + t) . v(t0) >
///
/// from positions that are followed through periodic faces. Histories have levels: level l keeps the last 16 of every
/// 2^l-th sample, so lags are 0 ... 16 intervals, then 18, 20, ... 32, then 36, 40, ... 64, and so on: a spacing of at
/// most 1/8 of the lag, up to lags as long as one likes. No sample is averaged with others before it is compared.
///
///     D(t) = (msd(t) - msd(9/16 t)) / (6 (t - 9/16 t))       Einstein's relation, between two lags of a level
///     D(t) = 1/3 integral of vacf from 0 to t                Green and Kubo
///
/// Errors are by blocking over the samples t0. Sums over atoms are exact; histories lie with the ranks that write the
/// rows of files, so they need not move with atoms, and a run may go on with other ranks: bits depend on none of it.
///
/// @see Frenkel & Smit (2002), Understanding Molecular Simulation, section 4.4; Ramirez et al. (2010), J. Chem. Phys.
///      133, 154103 for the levels
/// Memory: 768 bytes for each atom and level.
class Motion {
 public:
  static constexpr std::size_t slots = 16;  ///< samples that a level keeps

  /// All ranks make it. @param order  outlives this
  Motion(const MotionSampling& sampling, std::size_t types, const FileOrder& order, const engine::Resources& resources);

  /// Takes the sample of that number, from 0 on, without a gap. All ranks call it.
  void sample(const Atoms& atoms, const Box& box, std::uint64_t number);

  struct Lag {
    double time = 0.0;                           ///< [time]
    std::uint64_t samples = 0;                   ///< t0 over which the means are
    engine::BlockEstimate msd;                   ///< [length^2]
    std::array<engine::BlockEstimate, 3> along;  ///< its parts along x, y, z
    engine::BlockEstimate vacf;                  ///< [length^2 / time^2]
  };
  /// By rising lag; those that no two samples are apart so far are left out.
  [[nodiscard]] std::vector<Lag> lags(std::size_t type) const;

  struct Slope {
    double from = 0.0;  ///< lags between which it is measured [time]
    double to = 0.0;
    engine::BlockEstimate diffusion;  ///< [length^2 / time]
  };
  /// By rising lag; likewise.
  [[nodiscard]] std::vector<Slope> slopes(std::size_t type) const;

  /// Of the histories of an atom.
  [[nodiscard]] std::uint64_t bytes_of_atom() const noexcept { return histories_.size() * slots * sizeof(Sample); }

  /// Stores histories and averages. All ranks call it. @param group  that is there
  void save(io::FileWriter& file, const std::string& group) const;
  /// @throws base::FormatError if they are not of this kind, or damaged
  void load(const io::FileReader& file, const std::string& group);

 private:
  struct Sample {
    std::array<double, 3> x;  // unwrapped
    std::array<double, 3> v;
  };
  static constexpr std::size_t quantities = 5;  // msd, its 3 parts, vacf
  /// Lags, in intervals of a level, that the level measures: those below are the level's before it.
  [[nodiscard]] static std::size_t first_lag(std::size_t level) noexcept { return level == 0 ? 0 : slots / 2 + 1; }
  [[nodiscard]] static std::size_t lags_of(std::size_t level) noexcept { return slots + 1 - first_lag(level); }
  [[nodiscard]] double interval_of(std::size_t level) const noexcept;
  [[nodiscard]] std::span<const Sample> history(std::size_t level, std::size_t slot) const noexcept;
  void compare(std::size_t level, std::uint64_t number, std::span<const Sample> now);
  [[nodiscard]] std::vector<base::ExactSum> sums_of(std::span<const Sample> now, std::span<const Sample> before) const;

  double interval_;
  std::size_t types_;
  const FileOrder& order_;
  tasks::Scheduler& scheduler_;
  comm::Communicator& ranks_;
  exchange::RankReductions reductions_;
  std::size_t rows_;                                         // of files, that this rank has
  std::vector<std::uint32_t> type_;                          // by row
  std::vector<double> atoms_of_;                             // by type, of all ranks
  std::vector<std::vector<Sample>> histories_;               // by level; shape (slots, rows)
  std::vector<std::vector<engine::BlockAverages>> of_lags_;  // by level and lag; shape (types, quantities) each
  std::vector<engine::BlockAverages> of_slopes_;             // by level; shape (types)
};

}  // namespace tacit::md
