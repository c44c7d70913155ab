// Snapshots and checkpoints of the sph solver.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>

#include "tacit/engine/checkpoint.hpp"
#include "tacit/exchange/over_ranks.hpp"
#include "tacit/solvers/sph/checkpoint_values.hpp"
#include "tacit/solvers/sph/cosmology/comoving.hpp"
#include "tacit/solvers/sph/estimate.hpp"
#include "tacit/solvers/sph/fields.hpp"
#include "tacit/solvers/sph/formats/carried.hpp"
#include "tacit/solvers/sph/formats/swift_snapshot.hpp"
#include "tacit/solvers/sph/integrate.hpp"
#include "tacit/solvers/sph/loops.hpp"
#include "tacit/solvers/sph/sph_solver.hpp"
#include "tacit/tasks/parallel_for.hpp"

namespace tacit::sph {
namespace {

constexpr const char* others_group = "Others";

/// In SWIFT's words.
std::string_view name_of(const kernels::EquationOfState& eos) {
  if (eos.kind == kernels::EquationOfState::Kind::ideal) return "Ideal gas";
  return std::isinf(eos.rho_c) ? "Isothermal gas" : "Barotropic gas";
}

/// The numbers of the scheme, under SWIFT's names.
std::vector<std::pair<std::string, double>> scheme_numbers(const SphParameters& parameters) {
  if (parameters.scheme == Scheme::gadget2) {
    return {{"CFL parameter", parameters.cfl}, {"Alpha viscosity", parameters.alpha}};
  }
  const kernels::SphenixParameters& sphenix = parameters.sphenix;
  return {{"CFL parameter", parameters.cfl},
          {"Alpha viscosity", sphenix.alpha_v_start},
          {"Alpha viscosity (max)", sphenix.alpha_v_max},
          {"Alpha viscosity (min)", sphenix.alpha_v_min},
          {"Viscosity decay length [internal units]", sphenix.viscosity_decay},
          {"Beta viscosity", sphenix.beta_v},
          {"Diffusion alpha", sphenix.alpha_d_start},
          {"Diffusion alpha (max)", sphenix.alpha_d_max},
          {"Diffusion alpha (min)", sphenix.alpha_d_min},
          {"Diffusion beta", sphenix.beta_d}};
}

}  // namespace

/// Of all particles, in their order; made by all threads.
std::unique_ptr<StoredParticle[]> SphSolver::all_stored() const {
  auto all = std::make_unique_for_overwrite<StoredParticle[]>(gas_.size());
  const bool periodic = physics_.boundary == Boundary::periodic;
  const StepClock::SinceNext since = since_next();
  const double a = scale_factor();  // velocities in files are a dx/dt, and here a^2 dx/dt
  tasks::parallel_for(resources_.scheduler, 0, cells_.tree().cells(), [&](std::size_t c) {
    const auto [begin, count] = cells_.tree().range(c);
    for (std::size_t i = begin; i < begin + count; ++i) {
      const Present now = present(i, c, since);
      all[i] = {{now.x.x, now.x.y, now.x.z}, {now.v.x / a, now.v.y / a, now.v.z / a}, now.rho, now.u, now.h};
      if (!periodic) continue;
      for (std::size_t axis = 0; axis < 3; ++axis) all[i].x[axis] = particles::wrap(all[i].x[axis], 0.0, box_[axis]);
    }
  });
  return all;
}

namespace {

/// Particles of one type, in the order of the cells.
struct ShownKind {
  std::size_t type = 0;
  std::vector<std::uint32_t> particles;  // empty: all of them
  std::vector<std::uint64_t> ids;        // likewise
  std::vector<ParticleBlock> blocks;     // leaves, so that the order of particles does not depend on who has them
  std::vector<SnapshotField> fields;

  [[nodiscard]] std::size_t operator[](std::size_t k) const { return particles.empty() ? k : particles[k]; }
};

/// The gas, and behind it all others that any rank may have.
std::vector<ShownKind> kinds_of(const Gas& gas, const particles::CellTree& tree) {
  std::vector<ShownKind> kinds(gas.has_types ? attracting_types : 1);
  for (std::size_t type = 0; type < kinds.size(); ++type) kinds[type].type = type;
  for (std::size_t c = 0; c < tree.cells(); ++c) {
    const auto [begin, count] = tree.range(c);
    if (kinds.size() == 1) {
      kinds[0].blocks.push_back({tree.leaf(c), count});
      continue;
    }
    for (ShownKind& kind : kinds) kind.blocks.push_back({tree.leaf(c), 0});
    for (std::size_t i = begin; i < begin + count; ++i) {
      ShownKind& kind = kinds[gas.type[i]];
      kind.particles.push_back(static_cast<std::uint32_t>(i));
      kind.ids.push_back(gas.id[i]);
      ++kind.blocks.back().count;
    }
  }
  return kinds;
}

}  // namespace

SnapshotHeader SphSolver::snapshot_header(const engine::FileContext& context) const {
  SnapshotHeader header;
  header.run_name = context.run_name;
  header.solver = "sph";
  header.time = context.coordinate;
  if (physics_.cosmology) {
    header.cosmology = physics_.cosmology;
    header.a = scale_factor();
    header.time = physics_.cosmology->age(header.a);
  }
  header.step = context.step;
  header.box = shown_box_;
  header.is_box_only_shown = !(box_.x > 0.0);
  header.periodic = physics_.boundary == Boundary::periodic;
  header.dimension = physics_.dimension;
  header.units = units_;
  header.gamma = physics_.gamma;
  header.kernel_gamma = physics_.kernel_gamma;
  header.kernel_name = physics_.kernel_name;
  header.eta = physics_.smoothing.eta;
  header.parameters = context.parameters;
  header.provenance = context.provenance;
  header.equation_of_state = name_of(physics_.eos);
  header.scheme = scheme_numbers(physics_);
  return header;
}

std::uint64_t SphSolver::write_snapshot(const std::filesystem::path& path, const engine::FileContext& context) const {
  namespace dim = base::dimension;
  const auto now = all_stored();
  const io::Number type = context.double_precision ? io::Number::float64 : io::Number::float32;
  std::vector<ShownKind> kinds = kinds_of(gas_, cells_.tree());
  std::vector<SnapshotKind> written;
  for (ShownKind& kind : kinds) {
    const auto of = [&kind](const auto& f) { return each([&kind, f](std::size_t k) { return f(kind[k]); }); };
    const auto v = each_vector([&](std::size_t axis, std::size_t k) { return now[kind[k]].v[axis]; });
    const auto m = of([this](std::size_t i) { return gas_.m[i]; });
    kind.fields = {{"Velocities", "Velocities of the particles", dim::velocity, type, v},
                   {"Masses", "Masses of the particles", dim::mass, type, m}};
    if (kind.type == 0) {
      const auto h = of([&](std::size_t i) { return now[i].h; });
      const auto u = of([&](std::size_t i) { return now[i].u; });
      const auto rho = of([&](std::size_t i) { return now[i].rho; });
      const auto P =
          of([&](std::size_t i) { return physics_.pressure(physics_.thermal_of(now[i].u, now[i].rho), now[i].rho); });
      const auto div_v = of([this](std::size_t i) { return static_cast<double>(gas_.div_v[i]); });
      kind.fields.insert(
          kind.fields.end(),
          {{"SmoothingLengths", "Smoothing lengths h; the kernels reach to gamma h", dim::length, type, h},
           {"InternalEnergies", "Thermal energies per unit mass", dim::specific_energy, type, u},
           {"Densities", "Mass densities", dim::density, type, rho},
           {"Pressures", "Thermal pressures", dim::pressure, type, P},
           {"VelocityDivergences", "Divergences of the velocity field", {.time = -1}, type, div_v}});
    } else {
      const double softening = physics_.gravity.softening_of(kind.type);
      kind.fields.push_back({"Softenings", "Lengths epsilon of the Plummer spheres with the same central potential",
                             dim::length, type, of([softening](std::size_t) { return softening; })});
    }
    if (kind.type == 0 && physics_.scheme == Scheme::sphenix) {
      // SWIFT's meaning of the first: with the limiter. Neither is read from initial conditions, by SWIFT or here: a
      // run that begins has no step before it, to which the coefficients belong, and starts from those of its scheme.
      const auto viscosity = of([this](std::size_t i) { return double{gas_.alpha_v[i]} * double{gas_.balsara[i]}; });
      const auto diffusion = of([this](std::size_t i) { return double{gas_.alpha_d[i]}; });
      kind.fields.push_back({"ViscosityParameters", "Viscosity coefficients alpha_v, times the Balsara limiters",
                             dim::none, type, viscosity});
      kind.fields.push_back({"DiffusionParameters", "Conduction coefficients alpha_d", dim::none, type, diffusion});
    }
    if (gas_.has_gravity) {
      const auto phi = of([this](std::size_t i) { return double{gas_.phi[i]}; });
      kind.fields.push_back({"Potentials", "Gravitational potentials", dim::specific_energy, type, phi});
    }
    for (SnapshotField& field : kind.fields) {
      if (physics_.cosmology) field.a_power = comoving_power(field.name);
    }
    const auto positions = each_vector([&](std::size_t axis, std::size_t k) { return now[kind[k]].x[axis]; });
    const std::span<const std::uint64_t> ids = kinds.size() == 1 ? gas_.id : kind.ids;
    written.push_back({kind.type, ids, positions, kind.fields, kind.blocks});
  }
  const Loop by_all = [this](std::size_t count, const std::function<void(std::size_t)>& body) {
    tasks::parallel_for(resources_.scheduler, 0, count, body);
  };
  return write_swift_snapshot(context.file(path, resources_.ranks), snapshot_header(context), written, others_, by_all,
                              &resources_.ranks);
}

void SphSolver::save_particles(io::FileWriter& file, const checkpoint::Parts& parts, Saved saved) const {
  file.group(checkpoint::group);
  checkpoint::store(file, "id", gas_.id, parts);
  const auto store = [&](std::string_view name, const auto& array) {
    checkpoint::store(file, std::string(name), array, parts);
  };
  if (saved == Saved::needed) {
    for_each_stored_field(gas_, store);
  } else {
    for_each_field(gas_, store);
  }
}

/// Rank after rank: cells may be half made.
void SphSolver::save_failed(io::FileWriter& file) const {
  const std::vector<std::uint64_t> counts = exchange::gather_all(resources_.ranks, gas_.size());
  checkpoint::Parts parts;
  std::uint64_t first = 0;
  for (std::size_t rank = 0; rank < counts.size(); ++rank) {
    if (rank == comm::number(resources_.ranks.rank())) first = parts.all;
    parts.all += counts[rank];
  }
  parts.mine = {{{first}, {gas_.size()}}};
  save_particles(file, parts, Saved::all);
}

void SphSolver::save(io::FileWriter& file) const {
  using checkpoint::store;
  const auto [particles, mine] = cells_.stored_order();
  save_particles(file, {particles, mine}, Saved::needed);
  cells_.save(file);
  steps_.save(file);
  if (last_records_.are_there) save_last_records(file, {particles, mine});
  store(file, "box", box_);
  store(file, "shown box", shown_box_);
  store(file, "dimension", {static_cast<double>(physics_.dimension)});
  store(file, "start time", {start_time_});
  store(file, "largest h", {physics_.smoothing.h_max});  // of a box that is not open it follows from keys and box
  store(file, "reference density", {rho_0_});
  if (!others_.types.empty()) save_others(file, others_group, others_);
  engine::save_settings(file, checkpoint::group, settings());
}

/// What a checkpoint cannot be continued without, beside what keys say: what a file of initial conditions may have
/// said, and physics of the user's own.
std::string SphSolver::settings() const {
  std::string text = fmt::format("{}-D", physics_.dimension);
  for (const auto& source : physics_.sources) text += ", " + source->describe();
  return text;
}

engine::OutputBytes SphSolver::output_bytes(const engine::FileContext& context) const {
  const std::uint64_t stored = context.double_precision ? 8 : 4;
  const std::uint64_t in_snapshot = 3 * sizeof(double) + sizeof(std::uint64_t) + (gas_.has_gravity ? 10 : 9) * stored;
  return {.snapshot = cells_.particles() * in_snapshot,
          .checkpoint = cells_.particles() * static_cast<std::uint64_t>(saved_bytes_per_particle(gas_))};
}

namespace {

/// Older checkpoints made a box of it.
base::Vec3 box_shown_before(const io::FileReader& file, const base::Vec3& box) {
  if (box.x > 0.0) return box;
  const base::Vec3 shown = checkpoint::read_vector(file, "shown box");
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!(shown[axis] > 0.0)) throw base::FormatError(file.path().string(), "has no box; the file is damaged");
  }
  return shown;
}

/// A space of as many dimensions as the key says, or else the checkpoint.
Physics physics_of_checkpoint(const SphParameters& parameters, const io::FileReader& file) {
  const double saved = checkpoint::read_scalar(file, "dimension");
  const int dimension =
      parameters.is_dimension_given ? parameters.dimension : static_cast<int>(std::clamp(saved, 1.0, 3.0));
  Physics physics = physics_of(parameters, dimension, checkpoint::read_vector(file, "box"), 0.0);
  if (physics.boundary != Boundary::open) return physics;
  const double largest = checkpoint::read_scalar(file, "largest h");
  if (!(largest > 0.0)) throw base::FormatError(file.path().string(), "has no largest h; the file is damaged");
  physics.smoothing.h_max = largest;  // as at the begin of the run, wherever particles have gone since
  return physics;
}

}  // namespace

SphSolver::SphSolver(const SphParameters& parameters, const base::UnitSystem& units, const io::FileReader& file,
                     const engine::Resources& resources)
    : box_(checkpoint::read_vector(file, "box")),
      shown_box_(box_shown_before(file, box_)),
      physics_(physics_of_checkpoint(parameters, file)),
      units_(units),
      resources_(resources),
      cells_(physics_, box_, clock_, gas_, last_records_, resources),
      steps_(physics_, gas_, cells_, clock_, resources_.ranks) {
  engine::require_same_settings(file, checkpoint::group, settings(), "start again from a snapshot.");
  const checkpoint::Parts parts{checkpoint::length_of(file, "id"), cells_.begin_load(file)};
  load_particles(file, parts);
  start_time_ = checkpoint::read_scalar(file, "start time");
  rho_0_ = checkpoint::read_scalar(file, "reference density");
  others_ = load_others(file, others_group);
  steps_.load(file);
  if (gas_.has_own_steps) drift_to_present();
  cells_.load(file);
  load_last_records(file, parts);
}

void SphSolver::load_particles(const io::FileReader& file, const checkpoint::Parts& parts) {
  gas_.id = checkpoint::read_counts(file, "id", parts);
  const std::size_t n = gas_.id.size();
  gas_.has_own_steps = checkpoint::read_scalar(file, "tick") > 0.0;
  gas_.has_gravity = physics_.gravity.is_present;
  gas_.has_expansion = physics_.cosmology.has_value();
  gas_.has_types = file.has(std::string(checkpoint::group) + "/type");
  for_each_stored_field(gas_, [&]<class T>(std::string_view name, std::vector<T>& array) {
    const std::vector<double> values = checkpoint::read_numbers(file, std::string(name), parts);
    array.resize(n);
    const auto most = static_cast<double>(std::numeric_limits<T>::max());
    const auto least = static_cast<double>(std::numeric_limits<T>::lowest());
    std::ranges::transform(values, array.begin(),
                           [=](double value) { return static_cast<T>(std::clamp(value, least, most)); });
  });
  check_types(gas_.has_types);
  if (std::ranges::any_of(gas_.type, [](std::uint8_t type) { return type >= attracting_types; })) {
    throw base::FormatError(file.path().string(), "has types of particles that do not exist; the file is damaged");
  }
  if (std::ranges::any_of(gas_.bin, [](std::uint8_t bin) { return bin > TimeLine::last_bin; })) {
    throw base::FormatError(file.path().string(), "has time bins that do not exist; the file is damaged");
  }
}

/// What a drift to the present finds, of all particles, from where their steps began.
void SphSolver::drift_to_present() {
  const std::size_t n = gas_.id.size();
  for_each_field(gas_, [n](std::string_view /*name*/, auto& array) { array.resize(n); });
  CellData all;
  all.bind(gas_, {0, n}, {}, {}, {}, {});
  StepClock clock = clock_;  // in the steps that begin now, or hold the present time
  for (std::uint8_t b = 0; b < TimeLine::bins; ++b) {
    clock.since[b] = clock.since_next_middle(b);
    clock.begun[b] = clock.since_next_begin(b);
  }
  std::vector<double> room;
  const auto loops = pair_loops(physics_.kernel, physics_.dimension);
  drift(all.motion.between_runs(), all.integrated.between_runs(), all.hydro.between_runs(), all.forces.between_runs(),
        physics_, {0.0, clock, true, loops.kernels().drift.drift}, room);
  const particles::Domain domain = bounded_domain(physics_, box_);
  if (domain.mirrored) reflect_predicted(all.motion.between_runs(), domain);
}

/// How long ago they were; the log holds the rest. On several ranks it may be another one's.
void SphSolver::save_last_records(io::FileWriter& file, const checkpoint::Parts& parts) const {
  checkpoint::store(file, "log_steps", last_records_.steps, parts);
  if (resources_.ranks.size() == 1) return;
  LastRecords::for_each_named(
      last_records_, [&](const char* name, const auto& array) { checkpoint::store(file, name, array, parts); });
}

void SphSolver::load_last_records(const io::FileReader& file, const checkpoint::Parts& parts) {
  const auto has = [&file](const std::string& name) { return file.has(std::string(checkpoint::group) + "/" + name); };
  if (resources_.log == nullptr || !has("log_steps")) return;
  const std::vector<double> steps = checkpoint::read_numbers(file, "log_steps", parts);
  last_records_.resize(gas_.size());
  std::ranges::transform(steps, last_records_.steps.begin(),
                         [](double count) { return static_cast<std::uint32_t>(std::clamp(count, 0.0, 4e9)); });
  if (!has("log_time")) return;
  LastRecords::for_each_named(last_records_, [&]<class T>(const char* name, std::vector<T>& array) {
    const std::vector<double> values = checkpoint::read_numbers(file, name, parts);
    std::ranges::transform(values, array.begin(), [](double value) { return static_cast<T>(value); });
  });
}

}  // namespace tacit::sph
