// All that is measured of atoms while a run goes on, and its files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tacit/engine/solver.hpp"
#include "tacit/io/file.hpp"
#include "tacit/solvers/md/analysis/motion.hpp"
#include "tacit/solvers/md/analysis/pair_distribution.hpp"
#include "tacit/solvers/md/analysis/parameters.hpp"
#include "tacit/solvers/md/analysis/slabs.hpp"
#include "tacit/solvers/md/analysis/waves.hpp"
#include "tacit/solvers/md/atoms.hpp"
#include "tacit/solvers/md/file_rows.hpp"
#include "tacit/solvers/md/parameters.hpp"

namespace tacit::md {

/// Samples states when they are due. Made and called by all ranks.
class Analysis {
 public:
  /// @param order  outlives this
  Analysis(const MdParameters& parameters, const Box& box, const FileOrder& order, const engine::Resources& resources);

  /// Takes what samples are due of a state. @param step      so many have been taken
  ///                                        @param per_atom  gives energies and virials of this rank's atoms
  void look(const Atoms& atoms, const Box& box, std::uint64_t step, const std::function<const PerAtom&()>& per_atom);

  [[nodiscard]] const std::optional<PairDistribution>& pairs() const noexcept { return pairs_; }
  [[nodiscard]] const std::optional<Motion>& motion() const noexcept { return motion_; }
  [[nodiscard]] const std::optional<StructureFactor>& waves() const noexcept { return waves_; }
  [[nodiscard]] const std::optional<Slabs>& slabs() const noexcept { return slabs_; }

  /// Writes what has been measured so far, into groups of its own.
  void write(io::FileWriter& file) const;
  /// Stores what is needed to go on.
  void save(io::FileWriter& checkpoint) const;
  /// @throws base::FormatError if it is not in the file, or of another kind
  void load(const io::FileReader& checkpoint);

 private:
  void write_pairs(io::FileWriter& file) const;
  void write_motion(io::FileWriter& file) const;
  void write_waves(io::FileWriter& file) const;
  void write_slabs(io::FileWriter& file) const;

  AnalysisParameters parameters_;
  std::vector<std::string> elements_;
  std::optional<PairDistribution> pairs_;
  std::optional<Motion> motion_;
  std::optional<StructureFactor> waves_;
  std::optional<Slabs> slabs_;
  double slab_width_ = 0.0;  // of the first box
};

}  // namespace tacit::md
