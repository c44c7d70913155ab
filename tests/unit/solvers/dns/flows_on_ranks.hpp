// A flow on several ranks of one process, and what all of them have of it together.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "running_flow.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::dns::testing {

/// Calls work(run) on each rank, with the RunningFlow that it has.
template <class Work>
void on_ranks(const FlowParameters& parameters, std::size_t ranks, std::size_t workers, const Work& work) {
  comm::testing::on_ranks(ranks, [&](comm::Communicator& world) {
    RunningFlow run(parameters, workers, world);
    work(run);
    world.synchronise();
  });
}

inline bool is_first(const Flow& flow) {
  return flow.pencils().place_in_row() == 0 && flow.pencils().place_in_column() == 0;
}

/// Room for the modes of all ranks, shape (3 + scalars, kx, kz, ky). What no rank writes shows.
inline std::vector<Complex> room_for(const FlowParameters& parameters) {
  const fft::Modes modes(parameters.points, parameters.truncation);
  const std::size_t fields = 3 + parameters.physics.all_scalars().size();
  return std::vector<Complex>(fields * modes.count(0) * modes.count(1) * modes.count(2), 77.0);
}

/// Writes this rank's modes to their places among all.
inline void collect(const Flow& flow, std::vector<Complex>& all) {
  const fft::Pencils& pencils = flow.pencils();
  const fft::Modes& modes = pencils.modes();
  for (std::size_t field = 0; field < flow.fields(); ++field) {
    const std::span<const Complex> from = flow.field(field);
    for_each_mode(pencils, [&](std::size_t x, std::size_t y, std::size_t z, std::size_t at) {
      all[((field * modes.count(0) + x) * modes.count(2) + z) * modes.count(1) + y] = from[at];
    });
  }
}

/// What has become of a flow.
struct Outcome {
  std::vector<Complex> modes;   // of all ranks
  std::vector<double> numbers;  // that the first rank says
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

/// Of a flow that `advance` takes on each rank, and says numbers of.
template <class Advance>
Outcome outcome_of(const FlowParameters& parameters, std::size_t ranks, std::size_t workers, const Advance& advance) {
  Outcome outcome{room_for(parameters), {}};
  on_ranks(parameters, ranks, workers, [&](RunningFlow& run) {
    const std::vector<double> numbers = advance(run.flow);
    collect(run.flow, outcome.modes);
    if (is_first(run.flow)) outcome.numbers = numbers;
  });
  return outcome;
}

}  // namespace tacit::dns::testing
