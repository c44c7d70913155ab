// What the engine asks of the solver md, but for files.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/md_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "tacit/exchange/over_ranks.hpp"
#include "tacit/solvers/md/update_cost.hpp"

namespace tacit::md {

MdSolver::MdSolver(Start start, const engine::Resources& resources)
    : parameters_(std::move(start.parameters)),
      resources_(resources),
      order_(std::move(start.order)),
      interaction_(std::move(start.interaction)),
      atoms_(std::exchange(start.own, {})),
      step_(parameters_, atoms_, *interaction_, resources, start.division),
      statistics_(parameters_, *interaction_, resources) {
  if (parameters_.thermostat) {
    thermostat_.emplace(*parameters_.thermostat, parameters_.begin, parameters_.masses, order_.atoms(), resources,
                        start.ensemble);
  }
  if (parameters_.minimizer) {
    minimizer_.emplace(*parameters_.minimizer, parameters_.masses, resources, start.ensemble);
  }
  if (start.goes_on) {
    step_.go_on();
  } else {
    step_.begin();
    refuse_coincidence();
    refuse_rest();
    if (minimizer_) minimizer_->begin(atoms_);
  }
}

/// @throws base::Error on all ranks where velocities of 0 are to be scaled
void MdSolver::refuse_rest() const {
  if (!thermostat_ || !thermostat_->scales() || measured().sums.kinetic_energy > 0.0) return;
  throw base::Error(
      fmt::format("{}: the atoms are at rest, and this thermostat multiplies velocities\n  hint: write a temperature "
                  "in [velocities], "
                  "or 'method = \"langevin\"' in [thermostat]",
                  parameters_.initial.from));
}

/// @throws base::Error on all ranks
void MdSolver::refuse_coincidence() const {
  const NearPair mine = step_.nearest();
  const auto of_all = [this](std::uint64_t value) { return exchange::gather_all(resources_.ranks, value); };
  const std::vector<std::uint64_t> distances = of_all(std::bit_cast<std::uint64_t>(mine.distance2));
  const std::vector<std::uint64_t> first = of_all(mine.first);
  const std::vector<std::uint64_t> second = of_all(mine.second);
  NearPair nearest = mine;
  for (std::size_t rank = 0; rank < distances.size(); ++rank) {
    nearest = std::min(nearest, {std::bit_cast<double>(distances[rank]), first[rank], second[rank]});
  }
  if (nearest.distance2 > 1e-12 * interaction_->cutoff() * interaction_->cutoff()) return;
  throw base::Error(fmt::format(
      "{}: the atoms {} and {} are at one place, {:.3g} from each other\n  hint: remove one of them, or move it",
      parameters_.initial.from, nearest.first, nearest.second, std::sqrt(nearest.distance2)));
}

void MdSolver::step(const tasks::StepContext& step) {
  measured_.reset();
  has_per_atom_ = false;
  if (thermostat_) thermostat_->begin_step(atoms_, step);
  step_.run(step);
  if (thermostat_) thermostat_->end_step(atoms_, step);
  if (minimizer_) minimizer_->end_step(atoms_);
}

std::optional<std::string> MdSolver::unfinished() const {
  if (!minimizer_ || minimizer_->has_converged()) return std::nullopt;
  return fmt::format("the minimisation is not done: the largest force is {:.4g}, minimize.force_tolerance {:.4g}",
                     minimizer_->largest_force(), minimizer_->force_tolerance());
}

const PerAtom& MdSolver::per_atom() const {
  if (!has_per_atom_) step_.measure(per_atom_);
  has_per_atom_ = true;
  return per_atom_;
}

const Measured& MdSolver::measured() const {
  if (!measured_) measured_ = statistics_.measure(atoms_, per_atom());
  return *measured_;
}

/// With a thermostat, the energy of the atoms and what the thermostat has taken are conserved together.
engine::Conserved MdSolver::conserved() const {
  engine::MechanicalSums sums = measured().sums;
  sums.keeps_energy = !thermostat_ && !minimizer_;
  engine::Conserved result = sums.conserved();
  if (sums.keeps_energy) return result;
  const auto named = [&](const char* name) {
    return std::ranges::find(result.quantities, name, &engine::Quantity::name);
  };
  named("momentum")->is_kept = false;
  if (!thermostat_) return result;
  const double scale = named("energy")->scale;
  const double both = sums.energy() + thermostat_->energy();
  result.quantities.push_back({"conserved_energy", {both}, scale});
  result.columns.push_back({"conserved_energy", both});
  return result;
}

std::vector<engine::Statistic> MdSolver::statistics() const {
  const Measured& now = measured();
  std::vector<engine::Statistic> result{{"temperature", now.temperature}, {"pressure", now.pressure}};
  constexpr std::array names{"pressure_xx", "pressure_yy", "pressure_zz", "pressure_xy", "pressure_xz", "pressure_yz"};
  for (std::size_t k = 0; k < names.size(); ++k) result.push_back({names[k], now.stress[k]});
  if (minimizer_) result.push_back({"largest_force", minimizer_->largest_force()});
  if (thermostat_) {
    result.push_back({"target_temperature", thermostat_->thermal_energy() / parameters_.units.boltzmann});
  }
  return result;
}

std::optional<engine::UpdateCost> MdSolver::update_cost() const {
  return md::update_cost(parameters_, neighbours_of_atom(parameters_, interaction_->cutoff()));
}

std::vector<std::string> MdSolver::new_warnings() {
  std::vector<std::string> notes = std::exchange(parameters_.initial.notes, {});
  std::string note = step_.balance().take_note();
  if (!note.empty()) notes.push_back(std::move(note));
  return notes;
}

engine::Origin MdSolver::origin() const {
  return {.input = parameters_.initial.from, .checksum = parameters_.initial.checksum};
}

std::vector<engine::Series> MdSolver::series() const {
  std::vector<engine::Series> result;
  if (parameters_.xyz_every) result.push_back({.name = "atoms", .every = parameters_.xyz_every, .suffix = ".xyz"});
  if (parameters_.dump_every)
    result.push_back({.name = "dump", .every = parameters_.dump_every, .suffix = ".lammpstrj"});
  return result;
}

}  // namespace tacit::md
