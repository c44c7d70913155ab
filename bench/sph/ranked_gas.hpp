// A gas on some ranks, to be timed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "comm/crew.hpp"
#include "sph/shear_gas.hpp"
#include "tacit/exchange/exchange.hpp"

namespace tacit::bench {

/// A gas stepped by the solver on all ranks of a communicator; some steps lie behind it.
class RankedGas {
 public:
  /// That of shear_layer with gadget2.
  RankedGas(comm::Communicator& ranks, std::size_t side, std::size_t workers, Steps steps);
  /// @param share    of this rank in the initial conditions
  /// @param warm_up  steps that it begins with
  RankedGas(comm::Communicator& ranks, std::size_t workers, const sph::SphParameters& parameters,
            sph::InitialConditions share, std::size_t warm_up = warm_up_steps);
  ~RankedGas() { scheduler_.detach(ranks_.completions()); }
  RankedGas(const RankedGas&) = delete;
  RankedGas& operator=(const RankedGas&) = delete;

  void run(std::size_t steps);
  [[nodiscard]] sph::SphSolver& solver() noexcept { return solver_; }
  /// Until all particles end their steps at the same time as those of bin `slow`. All ranks call it.
  void synchronise(std::uint8_t slow);
  /// Puts the particles that `is_quick`, by ID - 1, says into that bin, the others into the other. All ranks call it.
  void set_bins(const std::vector<std::uint8_t>& is_quick, std::uint8_t quick, std::uint8_t slow);
  /// Time so far in which this rank did nothing but communicate, or wait for that [s].
  [[nodiscard]] double exposed_s();
  /// Of that, what went into packing, sending, taking, unpacking and polling [s].
  [[nodiscard]] double handling_s();
  /// Who has the messages of a step. @pre several ranks
  [[nodiscard]] const exchange::Exchange& messages() const { return solver_.copies()->exchange(); }
  [[nodiscard]] std::size_t ranks() const noexcept { return ranks_.size(); }

 private:
  comm::Communicator& ranks_;
  trace::Recorder recorder_;
  tasks::Scheduler scheduler_;
  sph::SphSolver solver_;
  tasks::StepContext step_;
  std::vector<std::uint8_t> bins_;
};

using particles::share_of;

}  // namespace tacit::bench
