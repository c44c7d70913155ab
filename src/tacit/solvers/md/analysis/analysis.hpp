// All that is measured of atoms while a run goes on, and its files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tacit/engine/solver.hpp"
#include "tacit/io/file.hpp"
#include "tacit/solvers/md/analysis/motion.hpp"
#include "tacit/solvers/md/analysis/pair_distribution.hpp"
#include "tacit/solvers/md/analysis/parameters.hpp"
#include "tacit/solvers/md/atoms.hpp"
#include "tacit/solvers/md/file_rows.hpp"

namespace tacit::md {

/// Samples states when they are due. Made and called by all ranks.
class Analysis {
 public:
  /// @param elements  names of the types   @param order  outlives this
  Analysis(const AnalysisParameters& parameters, std::vector<std::string> elements, const FileOrder& order,
           const engine::Resources& resources);

  /// Takes what samples are due of a state. @param step  so many have been taken
  void look(const Atoms& atoms, const Box& box, std::uint64_t step);

  [[nodiscard]] const std::optional<PairDistribution>& pairs() const noexcept { return pairs_; }
  [[nodiscard]] const std::optional<Motion>& motion() const noexcept { return motion_; }

  /// Writes what has been measured so far, into groups of its own.
  void write(io::FileWriter& file) const;
  /// Stores what is needed to go on.
  void save(io::FileWriter& checkpoint) const;
  /// @throws base::FormatError if it is not in the file, or of another kind
  void load(const io::FileReader& checkpoint);

 private:
  void write_pairs(io::FileWriter& file) const;
  void write_motion(io::FileWriter& file) const;

  AnalysisParameters parameters_;
  std::vector<std::string> elements_;
  std::optional<PairDistribution> pairs_;
  std::optional<Motion> motion_;
};

}  // namespace tacit::md
