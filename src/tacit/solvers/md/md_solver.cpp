// What the engine asks of the solver md, but for files.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/md_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "tacit/engine/across_ranks.hpp"
#include "tacit/exchange/over_ranks.hpp"
#include "tacit/solvers/md/update_cost.hpp"

namespace tacit::md {

MdSolver::MdSolver(Start start, const engine::Resources& resources)
    : parameters_(std::move(start.parameters)),
      resources_(resources),
      order_(std::move(start.order)),
      interaction_(std::move(start.interaction)),
      atoms_(std::exchange(start.own, {})),
      group_counts_(count_groups(parameters_.groups, atoms_, resources.ranks)),
      step_(parameters_, atoms_, *interaction_, resources, start.division, start.list_box),
      statistics_(parameters_, *interaction_, resources, group_counts_[parameters_.groups.named.size()]) {
  for (const Groups::Held& held : parameters_.groups.held) {
    for (const char* axis : {"x", "y", "z"}) {
      force_columns_.push_back(fmt::format("force_on_{}_{}", parameters_.groups.named[held.group].name, axis));
    }
  }
  if (parameters_.thermostat) {
    const bool is_of_all = !parameters_.groups.act() && parameters_.groups.heated == 0;
    thermostat_.emplace(*parameters_.thermostat, parameters_.begin, parameters_.masses, group_counts_.back(), is_of_all,
                        resources, start.ensemble);
  }
  if (parameters_.barostat) {
    const bool keeps_momentum =
        parameters_.thermostat->method != ThermostatMethod::langevin && parameters_.groups.heated == 0;
    const auto atoms = static_cast<double>(order_.atoms());
    barostat_.emplace(*parameters_.barostat, parameters_.begin, parameters_.masses, order_.atoms(),
                      keeps_momentum ? degrees_of_freedom(order_.atoms()) : 3.0 * atoms,
                      parameters_.thermostat->thermal_energy.at(parameters_.begin), resources, start.barostat);
    step_.measure_always();
  }
  if (parameters_.relaxes_box()) step_.measure_always();
  if (parameters_.minimizer) {
    minimizer_.emplace(*parameters_.minimizer, parameters_.masses, resources, start.ensemble);
  }
  if (start.goes_on) {
    step_.go_on(start.box);
    if (start.work.size() == 2) {
      work_ = start.work[0];
      power_ = start.work[1];
    } else if (parameters_.groups.moves()) {
      throw base::FormatError("the checkpoint", "does not say what work moving groups have done; the file is damaged");
    }
  } else {
    step_.begin();
    power_ = power_of_held();
    refuse_coincidence();
    refuse_rest();
  }
  if (barostat_ || parameters_.relaxes_box()) virial_ = virial();
  if (minimizer_ && !start.goes_on) minimizer_->begin(atoms_, virial_, step_.box().volume());
}

/// Takes the first samples, or goes on from those of a checkpoint.
void MdSolver::begin_analysis(const io::FileReader* checkpoint) {
  if (!parameters_.analysis.is_on()) return;
  analysis_.emplace(parameters_, parameters_.initial.atoms.box, order_, resources_);
  if (checkpoint != nullptr) {
    engine::fail_together(resources_.ranks, [&] { analysis_->load(*checkpoint); });
  } else {
    analysis_->look(atoms_, step_.box(), 0, [this]() -> const PerAtom& { return per_atom(); });
  }
}

base::Vec3 MdSolver::virial() const { return statistics_.measure(atoms_, per_atom(), step_.box()).virial; }

/// Before a step.
void MdSolver::change_box(const tasks::StepContext& step) {
  if (parameters_.strain) step_.stretch(half_stretch(*parameters_.strain, step.time - parameters_.begin, step.dt));
  if (barostat_) step_.stretch(barostat_->stretch(atoms_, virial_, step_.box().volume(), step));
  if (parameters_.relaxes_box()) step_.stretch(minimizer_->stretch(virial_, step_.box().volume(), step.dt));
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
  // Of several potentials some may have no tables: there the first step says that forces are no numbers.
  if (const double begin = interaction_->begin(); nearest.distance2 < begin * begin) {
    throw base::Error(fmt::format(
        "{}: the atoms {} and {} are {:.6g} from each other, nearer than any table of table.pairs begins, {:.6g}\n"
        "  hint: move them apart, or give tables that begin nearer",
        parameters_.initial.from, nearest.first, nearest.second, std::sqrt(nearest.distance2), begin));
  }
  if (nearest.distance2 > 1e-12 * interaction_->cutoff() * interaction_->cutoff()) return;
  throw base::Error(fmt::format(
      "{}: the atoms {} and {} are at one place, {:.3g} from each other\n  hint: remove one of them, or move it",
      parameters_.initial.from, nearest.first, nearest.second, std::sqrt(nearest.distance2)));
}

void MdSolver::step(const tasks::StepContext& step) {
  measured_.reset();
  has_per_atom_ = false;
  if (barostat_) barostat_->begin_step(thermostat_->thermal_energy(), step.dt);
  if (thermostat_) thermostat_->begin_step(atoms_, step);
  change_box(step);
  step_.run(step);
  if (barostat_) {
    virial_ = virial();
    barostat_->follow(atoms_, virial_, step_.box().volume(), step);
  }
  if (thermostat_) thermostat_->end_step(atoms_, step);
  if (barostat_) barostat_->end_step(thermostat_->thermal_energy(), step.dt);
  if (parameters_.relaxes_box()) virial_ = virial();
  if (minimizer_) minimizer_->end_step(atoms_, virial_, step_.box().volume(), step.dt);
  if (analysis_) analysis_->look(atoms_, step_.box(), step.step + 1, [this]() -> const PerAtom& { return per_atom(); });
  if (!parameters_.groups.moves()) return;
  const double before = std::exchange(power_, power_of_held());
  work_ += 0.5 * step.dt * (before + power_);
}

/// What holds a velocity does work against the forces on its atoms.
double MdSolver::power_of_held() const {
  const Groups& groups = parameters_.groups;
  if (!groups.moves()) return 0.0;
  const std::uint32_t held = groups.held_mask();
  base::BufferedSum sum;
  for (std::size_t i = 0; i < atoms_.count(); ++i) {
    if (!is_free(atoms_, i, held)) sum.add(-base::dot(atoms_.force(i), atoms_.velocity(i)));
  }
  std::array all{sum.sum()};
  exchange::RankReductions(resources_.ranks).add(all);
  return all[0].value();
}

std::optional<std::string> MdSolver::unfinished() const {
  if (!minimizer_ || minimizer_->has_converged()) return std::nullopt;
  const std::string forces =
      fmt::format("the minimisation is not done: the largest force is {:.4g}, minimize.force_tolerance {:.4g}",
                  minimizer_->largest_force(), minimizer_->force_tolerance());
  const auto& box = minimizer_->box();
  if (!box) return forces;
  const double unit = parameters_.units.pressure;
  return forces + fmt::format("; a pressure is off by {:.4g}, minimize.pressure_tolerance {:.4g}",
                              minimizer_->largest_misfit() * unit, box->tolerance * unit);
}

const PerAtom& MdSolver::per_atom() const {
  if (!has_per_atom_) step_.measure(per_atom_);
  has_per_atom_ = true;
  return per_atom_;
}

const Measured& MdSolver::measured() const {
  if (!measured_) measured_ = statistics_.measure(atoms_, per_atom(), step_.box());
  return *measured_;
}

/// With a thermostat, or where groups are pulled or moved, the energy of the atoms is conserved together with what the
/// thermostat has taken, the energy of pulled atoms in the fields that pull them, and the work of what moves groups.
engine::Conserved MdSolver::conserved() const {
  engine::MechanicalSums sums = measured().sums;
  const bool has_work = parameters_.groups.do_work();
  sums.keeps_energy = !thermostat_ && !minimizer_ && !has_work && !parameters_.strain;
  engine::Conserved result = sums.conserved();
  if (sums.keeps_energy && !parameters_.groups.act()) return result;
  const auto named = [&](const char* name) {
    return std::ranges::find(result.quantities, name, &engine::Quantity::name);
  };
  named("momentum")->is_kept = false;
  if (minimizer_ || parameters_.strain || (!thermostat_ && !has_work)) return result;
  const double scale = named("energy")->scale;
  const double both = sums.energy() + (thermostat_ ? thermostat_->energy() : 0.0) + measured().external_energy - work_ +
                      (barostat_ ? barostat_->energy(step_.box().volume()) : 0.0);
  result.quantities.push_back({"conserved_energy", {both}, scale});
  result.columns.push_back({"conserved_energy", both});
  return result;
}

std::vector<engine::Statistic> MdSolver::statistics() const {
  const Measured& now = measured();
  std::vector<engine::Statistic> result{{"temperature", now.temperature}, {"pressure", now.pressure}};
  constexpr std::array names{"pressure_xx", "pressure_yy", "pressure_zz", "pressure_xy", "pressure_xz", "pressure_yz"};
  for (std::size_t k = 0; k < names.size(); ++k) result.push_back({names[k], now.stress[k]});
  if (parameters_.relaxes_box()) {
    const double wanted = minimizer_->box()->pressure;
    result.push_back({"enthalpy", now.sums.energy() + wanted * step_.box().volume()});
    result.push_back({"target_pressure", wanted * parameters_.units.pressure});
  }
  if (minimizer_) result.push_back({"largest_force", minimizer_->largest_force()});
  if (parameters_.changes_box()) {
    const Box& box = step_.box();
    result.insert(
        result.end(),
        {{"volume", box.volume()}, {"length_x", box.size.x}, {"length_y", box.size.y}, {"length_z", box.size.z}});
  }
  if (barostat_) result.push_back({"target_pressure", barostat_->pressure() * parameters_.units.pressure});
  for (std::size_t k = 0; k < force_columns_.size(); ++k) {
    result.push_back({force_columns_[k], now.forces_on_held[k / 3][k % 3]});
  }
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
  if (analysis_) result.push_back({.name = "analysis", .every = parameters_.analysis.write_every});
  return result;
}

}  // namespace tacit::md
