// Finds who of a gas flies towards others beyond its kernels, and how long steps may last for it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacit/comm/communicator.hpp"
#include "tacit/exchange/reductions.hpp"
#include "tacit/solvers/sph/approach.hpp"
#include "tacit/solvers/sph/gas_cells.hpp"
#include "tacit/solvers/sph/parameters.hpp"
#include "tacit/solvers/sph/time_line.hpp"

namespace tacit::sph {

/// Particles of a cell that ended their steps now, and whose next one lasts too long.
struct TooLong {
  std::uint32_t cell = 0;
  std::uint8_t bin = 0;       ///< of all of them
  double longest_step = 0.0;  ///< that they may take [time]
};

/// Looks beyond the kernels. Courant's condition knows of a particle's neighbours alone; what is farther may come
/// through them within a step.
///
/// Of two particles that approach each other, one has to end its step before they meet: then it is looked at again, and
/// once they are neighbours, their steps are kept together. The particles of a cell that end their steps together are
/// one Crowd. A search has three stages, of which most gases need none or one: velocities of all against signal
/// velocities; those of each bin against lengths of steps; and of what is left, crowds against crowds. Crowds follow
/// from the state alone, and every rank is told of all those that are left: steps do not depend on how cells are
/// divided.
class ApproachWatch {
 public:
  /// All must outlive it. All ranks make the same calls.
  ApproachWatch(const Physics& physics, const StepClock& clock, comm::Communicator& ranks)
      : physics_(physics), clock_(clock), ranks_(ranks), reductions_(ranks) {}

  /// Whether nothing can be overrun, for nothing is fast against the sound around it.
  /// @param fastest         speed of any particle of all ranks
  /// @param slowest_signal  least of all particles' largest signal velocities
  [[nodiscard]] bool is_quiet(double fastest, double slowest_signal) const noexcept;

  /// The longest common step from here, if it is below dt; else dt. Over all ranks. Cost: O(particles).
  /// @pre  all particles are at the present time
  [[nodiscard]] double longest_common_step(GasCells& cells, double dt);

  /// What of this rank has steps of its own that are too long. Cost: O(particles that ended their steps, and cells).
  [[nodiscard]] std::span<const TooLong> find_too_long(GasCells& cells);

 private:
  /// A crowd by the cell and the bin that it is of, as it travels.
  struct Member {
    Crowd crowd;
    std::uint32_t leaf = 0;
    std::uint32_t bin = 0;
  };
  /// Of all particles of a bin and those above it.
  struct Bin {
    Intervals velocity;
    double shortest = std::numeric_limits<double>::infinity();
    bool is_risky = false;
  };

  void look_at_all(GasCells& cells);
  void look_at_changed(GasCells& cells);
  void look_at(const GasCells& cells, std::size_t c);
  void look_at_whole(const GasCells& cells, std::size_t c, double dt);
  [[nodiscard]] Crowd present(const Member& member) const;
  [[nodiscard]] bool find_risky_bins(std::size_t highest_active);
  [[nodiscard]] double span(std::size_t bin) const noexcept { return clock_.is_common ? dt_ : 2.0 * clock_.ahead[bin]; }
  [[nodiscard]] bool is_at_risk(const Member& member) const;
  void find_places(const GasCells& cells, std::size_t c);
  void gather_crowds(GasCells& cells);
  [[nodiscard]] ApproachRule rule(const GasCells& cells) const {
    return {cells.tree().domain(), most_overlap(physics_.cfl)};
  }

  const Physics& physics_;
  const StepClock& clock_;
  comm::Communicator& ranks_;
  exchange::RankReductions reductions_;
  double dt_ = 0.0;                           // of a common step
  std::vector<std::vector<Member>> members_;  // shape (cells): crowds of each; places where steps began
  std::vector<std::int64_t> looked_at_;       // shape (cells): when [ticks]; below 0: never
  std::uint64_t sorts_ = 0;                   // of the particles, when cells were looked at
  particles::Domain domain_;                  // the same
  std::array<Bin, TimeLine::bins> bins_;
  std::vector<Member> mine_, all_;  // those at risk, of this rank and of all
  std::vector<Crowd> crowds_;       // the same as all_, at present
  CrowdTree tree_;
  std::vector<TooLong> too_long_;
};

}  // namespace tacit::sph
