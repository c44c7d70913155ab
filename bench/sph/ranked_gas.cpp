// Makes the gas on ranks and runs it.
// SPDX-License-Identifier: Apache-2.0
#include "sph/ranked_gas.hpp"

#include <utility>

namespace tacit::bench {

RankedGas::RankedGas(comm::Communicator& ranks, std::size_t side, std::size_t workers, Steps steps)
    : RankedGas(ranks, workers, parameters_of({.steps = steps}), shear_layer(side, share_of(ranks))) {}

RankedGas::RankedGas(comm::Communicator& ranks, std::size_t workers, const sph::SphParameters& parameters,
                     sph::InitialConditions share, std::size_t warm_up)
    : ranks_(ranks),
      recorder_(workers, 1024),
      scheduler_(workers, recorder_),
      solver_((scheduler_.attach(ranks.completions()), parameters), base::UnitSystem{}, std::move(share),
              {.scheduler = scheduler_, .ranks = ranks}) {
  run(warm_up);
}

void RankedGas::run(std::size_t steps) {
  for (std::size_t i = 0; i < steps; ++i) {
    step_.dt = solver_.time_step();
    solver_.step(step_);
    step_.time += step_.dt;
    ++step_.step;
  }
}

void RankedGas::synchronise(std::uint8_t slow) {
  while (sph::TimeLine::highest_active(solver_.clock().now) < slow) run(1);
}

void RankedGas::set_bins(const std::vector<std::uint8_t>& is_quick, std::uint8_t quick, std::uint8_t slow) {
  const sph::Gas& gas = solver_.gas();
  bins_.assign(gas.size(), slow);
  for (std::size_t i = 0; i < bins_.size(); ++i) {
    if (is_quick[gas.id[i] - 1] != 0) bins_[i] = quick;
  }
  solver_.set_bins(bins_);
}

double RankedGas::exposed_s() {
  scheduler_.settle();
  return recorder_.exposure().exposed_s;
}

double RankedGas::handling_s() {
  scheduler_.settle();
  double seconds = 0.0;
  for (std::size_t track = 0; track < recorder_.tracks(); ++track) {
    seconds += recorder_.seconds(track, trace::Category::communication);
    seconds += recorder_.seconds(track, trace::Category::poll);
  }
  return seconds / static_cast<double>(recorder_.tracks());
}

}  // namespace tacit::bench
