// Snapshots and checkpoints of the sph solver.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>

#include "tacit/engine/checkpoint.hpp"
#include "tacit/solvers/sph/estimate.hpp"
#include "tacit/solvers/sph/fields.hpp"
#include "tacit/solvers/sph/formats/carried.hpp"
#include "tacit/solvers/sph/formats/swift_snapshot.hpp"
#include "tacit/solvers/sph/loops.hpp"
#include "tacit/solvers/sph/sph_solver.hpp"
#include "tacit/tasks/parallel_for.hpp"

namespace tacit::sph {
namespace {

constexpr const char* group = "Sph";
constexpr const char* others_group = "Others";

/// An array of a checkpoint with exactly `count` finite numbers.
std::vector<double> read_numbers(const io::FileReader& file, const std::string& name, std::size_t count) {
  std::vector<double> values(count);
  const std::string path = std::string(group) + "/" + name;
  file.read(path, std::span<double>(values));
  if (!std::ranges::all_of(values, [](double v) { return std::isfinite(v); })) {
    throw base::FormatError(file.path().string(), path + " holds a number that is not finite; the file is damaged");
  }
  return values;
}

/// An attribute of a checkpoint with exactly `count` finite numbers.
std::vector<double> read_scalars(const io::FileReader& file, const std::string& name, std::size_t count) {
  std::vector<double> values = file.attribute(group, name);
  if (values.size() != count || !std::ranges::all_of(values, [](double v) { return std::isfinite(v); })) {
    throw base::FormatError(
        file.path().string(),
        fmt::format("{}: attribute '{}' does not hold {} finite numbers; the file is damaged", group, name, count));
  }
  return values;
}

base::Vec3 read_vector(const io::FileReader& file, const std::string& name) {
  const std::vector<double> values = read_scalars(file, name, 3);
  return {values[0], values[1], values[2]};
}

/// A time in ticks as it was saved.
std::int64_t ticks(const io::FileReader& file, double value) {
  if (value >= 0.0 && value < 0x1p62) return static_cast<std::int64_t>(value);
  throw base::FormatError(file.path().string(), "has a time that lies outside the time line; the file is damaged");
}

std::size_t length_of(const io::FileReader& file, const std::string& name) {
  const auto shape = file.info(std::string(group) + "/" + name).shape;
  if (shape.size() != 1) throw base::FormatError(file.path().string(), name + " is not a list; the file is damaged");
  return shape[0];
}

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
std::unique_ptr<SphSolver::StoredParticle[]> SphSolver::all_stored() const {
  auto all = std::make_unique_for_overwrite<StoredParticle[]>(gas_.size());
  const bool periodic = parameters_.boundary == Boundary::periodic;
  tasks::parallel_for(resources_.scheduler, 0, grid_->cells(), [&](std::size_t c) {
    const auto [begin, count] = grid_->range(c);
    for (std::size_t i = begin; i < begin + count; ++i) {
      const Present now = present(i, c);
      all[i] = {{now.x.x, now.x.y, now.x.z}, {now.v.x, now.v.y, now.v.z}, now.rho, now.u};
      if (!periodic) continue;
      for (std::size_t axis = 0; axis < 3; ++axis) all[i].x[axis] = particles::wrap(all[i].x[axis], 0.0, box_[axis]);
    }
  });
  return all;
}

std::uint64_t SphSolver::write_snapshot(const std::filesystem::path& path, const engine::FileContext& context) const {
  namespace dim = base::dimension;
  const bool periodic = parameters_.boundary == Boundary::periodic;
  const auto now = all_stored();
  const auto positions = each_vector([&](std::size_t axis, std::size_t i) { return now[i].x[axis]; });
  const double gamma = parameters_.gamma;
  const auto v = each_vector([&](std::size_t axis, std::size_t i) { return now[i].v[axis]; });
  const auto u = each([&](std::size_t i) { return now[i].u; });
  const auto rho = each([&](std::size_t i) { return now[i].rho; });
  const auto P = each(
      [&](std::size_t i) { return parameters_.pressure(parameters_.thermal_of(now[i].u, now[i].rho), now[i].rho); });
  const auto div_v = each([&](std::size_t i) { return static_cast<double>(gas_.div_v[i]); });
  const io::Number type = context.double_precision ? io::Number::float64 : io::Number::float32;
  std::vector<SnapshotField> snapshot_fields{
      SnapshotField{"Velocities", "Velocities of the particles", dim::velocity, type, v},
      SnapshotField{"Masses", "Masses of the particles", dim::mass, type, columns({gas_.m})},
      SnapshotField{"SmoothingLengths", "Smoothing lengths h; the kernels reach to gamma h", dim::length, type,
                    columns({gas_.h})},
      SnapshotField{"InternalEnergies", "Thermal energies per unit mass", dim::specific_energy, type, u},
      SnapshotField{"Densities", "Mass densities", dim::density, type, rho},
      SnapshotField{"Pressures", "Thermal pressures", dim::pressure, type, P},
      SnapshotField{"VelocityDivergences", "Divergences of the velocity field", {.time = -1}, type, div_v},
  };
  if (parameters_.scheme == Scheme::sphenix) {
    // SWIFT's meaning of the first: with the limiter. Neither is read from initial conditions, by SWIFT or here: a run
    // that begins has no step before it, to which the coefficients belong, and starts from those of its scheme.
    const auto viscosity = each([&](std::size_t i) { return double{gas_.alpha_v[i]} * double{gas_.balsara[i]}; });
    const auto diffusion = each([&](std::size_t i) { return double{gas_.alpha_d[i]}; });
    snapshot_fields.push_back({"ViscosityParameters", "Viscosity coefficients alpha_v, times the Balsara limiters",
                               dim::none, type, viscosity});
    snapshot_fields.push_back({"DiffusionParameters", "Conduction coefficients alpha_d", dim::none, type, diffusion});
  }
  SnapshotHeader header;
  header.run_name = context.run_name;
  header.solver = "sph";
  header.time = context.coordinate;
  header.step = context.step;
  header.box = box_;
  header.periodic = periodic;
  header.dimension = parameters_.dimension;
  header.units = units_;
  header.gamma = gamma;
  header.kernel_gamma = parameters_.kernel_gamma;
  header.kernel_name = parameters_.kernel_name;
  header.eta = parameters_.smoothing.eta;
  header.parameters = context.parameters;
  header.provenance = context.provenance;
  header.equation_of_state = name_of(parameters_.eos);
  header.scheme = scheme_numbers(parameters_);
  const Loop by_all = [this](std::size_t count, const std::function<void(std::size_t)>& body) {
    tasks::parallel_for(resources_.scheduler, 0, count, body);
  };
  return write_swift_snapshot(context.file(path, resources_.ranks), header, gas_.id, positions, snapshot_fields,
                              others_, by_all);
}

void SphSolver::save_particles(io::FileWriter& file) const {
  file.group(group);
  const std::array<std::uint64_t, 1> shape{gas_.size()};
  file.array(std::string(group) + "/id", gas_.id, shape);
  for_each_field(gas_, [&](std::string_view name, const auto& array) {
    file.array(fmt::format("{}/{}", group, name), array, shape);
  });
}

void SphSolver::save_failed(io::FileWriter& file) const { save_particles(file); }

void SphSolver::save(io::FileWriter& file) const {
  save_particles(file);
  const auto store = [&file](const char* name, const io::Values& values) {
    file.array(fmt::format("{}/{}", group, name), values, std::array<std::uint64_t, 1>{values.size()});
  };
  const particles::StoredCells stored = grid_->stored();
  store("cell_counts", stored.counts);
  store("cell_levels", stored.levels);
  store("group_sizes", stored.group_sizes);
  const auto of_reports = [this](auto member) {
    std::vector<double> values(reports_.size());
    for (std::size_t c = 0; c < values.size(); ++c) values[c] = static_cast<double>(reports_[c].*member);
    return values;
  };
  if (!last_records_.steps.empty()) store("log_steps", last_records_.steps);
  store("reach", reach_);
  store("slack", slack_);
  store("moved", moved_);
  store("cell_times", of_reports(&CellReport::drifted_to));
  store("cell_v_max", of_reports(&CellReport::v_max));
  store("cell_a_max", of_reports(&CellReport::a_max));
  const auto scalars = [&file](const char* name, std::initializer_list<double> values) {
    file.attribute(group, name, std::span(values.begin(), values.size()));
  };
  const auto vector = [&](const char* name, const base::Vec3& v) { scalars(name, {v.x, v.y, v.z}); };
  const auto& domain = grid_->domain();
  const auto& n = stored.shape;
  vector("origin of the grid", domain.origin);
  vector("size of the grid", domain.size);
  scalars("top-level cells", {static_cast<double>(n[0]), static_cast<double>(n[1]), static_cast<double>(n[2])});
  scalars("particles per group", {static_cast<double>(stored.per_group)});
  vector("box", box_);
  scalars("dimension", {static_cast<double>(parameters_.dimension)});
  scalars("start time", {start_time_});
  scalars("largest h", {parameters_.smoothing.h_max});
  scalars("stable step", {dt_stable_});
  scalars("reference density", {rho_0_});
  scalars("scale of masses", {cache_units_.scales.mass});
  scalars("scale of velocities", {cache_units_.scales.velocity});
  vector("mean velocity", cache_units_.velocity);
  scalars("begin of the time line", {clock_.line.begin()});
  scalars("tick", {clock_.line.tick()});
  scalars("ticks passed", {static_cast<double>(clock_.now)});
  scalars("next tick", {static_cast<double>(next_)});
  scalars("time since the last tick", {after_});
  scalars("fullest cell", {static_cast<double>(largest_cell_)});
  if (!others_.types.empty()) save_others(file, others_group, others_);
  engine::save_settings(file, group, settings());
  if (swept_) swept_->forget_orders();
}

/// What a checkpoint cannot be continued without, beside what keys say: what a file of initial conditions may have
/// said, and physics of the user's own.
std::string SphSolver::settings() const {
  std::string text = fmt::format("{}-D", parameters_.dimension);
  for (const auto& source : parameters_.sources) text += ", " + source->describe();
  return text;
}

engine::OutputBytes SphSolver::output_bytes(const engine::FileContext& context) const {
  const std::uint64_t stored = context.double_precision ? 8 : 4;
  const std::uint64_t in_snapshot = 3 * sizeof(double) + sizeof(std::uint64_t) + 9 * stored;
  return {.snapshot = gas_.size() * in_snapshot,
          .checkpoint = gas_.size() * static_cast<std::uint64_t>(saved_bytes_per_particle())};
}

/// The cells as they were, with bounds on every number: lists for an absurd reach would fill the memory.
void SphSolver::load_grid(const io::FileReader& file, std::size_t particles) {
  const particles::Domain domain{read_vector(file, "origin of the grid"), read_vector(file, "size of the grid"),
                                 parameters_.boundary == Boundary::periodic, parameters_.dimension,
                                 parameters_.boundary == Boundary::reflecting};
  const std::vector<double> shape = read_scalars(file, "top-level cells", 3);
  const double group_size = read_scalars(file, "particles per group", 1)[0];
  const auto read_counts = [&file](const std::string& name) {
    std::vector<std::uint64_t> counts(length_of(file, name));
    file.read(std::string(group) + "/" + name, std::span<std::uint64_t>(counts));
    return counts;
  };
  const auto side = [&shape](std::size_t i) { return static_cast<int>(std::clamp(shape[i], 0.0, 1e6)); };
  grid_ = particles::CellTree::restore(domain,
                                       {{side(0), side(1), side(2)},
                                        static_cast<std::uint64_t>(std::clamp(group_size, 0.0, 1e6)),
                                        read_counts("cell_levels"),
                                        read_counts("cell_counts"),
                                        read_counts("group_sizes")},
                                       particles);
  if (!grid_) {
    throw base::FormatError(file.path().string(), "the cells do not hold the particles; the file is damaged");
  }
  reach_ = read_numbers(file, "reach", grid_->cells());
  const double most = 2.0 * (domain.size.x + domain.size.y + domain.size.z + box_.x + box_.y + box_.z);
  const bool sane = std::ranges::all_of(reach_, [most](double reach) { return reach >= 0.0 && reach <= most; });
  slack_ = read_numbers(file, "slack", grid_->cells());
  moved_ = read_numbers(file, "moved", grid_->cells());
  if (!sane || !std::ranges::all_of(slack_, [most](double slack) { return slack >= 0.0 && slack <= most; })) {
    throw base::FormatError(file.path().string(), "cells reach beyond the domain; the file is damaged");
  }
}

/// Where the cells' particles stand.
void SphSolver::load_reports(const io::FileReader& file) {
  const std::vector<double> times = read_numbers(file, "cell_times", reports_.size());
  const std::vector<double> v_max = read_numbers(file, "cell_v_max", reports_.size());
  const std::vector<double> a_max = read_numbers(file, "cell_a_max", reports_.size());
  for (std::size_t c = 0; c < reports_.size(); ++c) {
    reports_[c].drifted_to = ticks(file, times[c]);
    reports_[c].v_max = v_max[c];
    reports_[c].a_max = a_max[c];
  }
}

void SphSolver::load(const io::FileReader& file) {
  const auto scalar = [&file](const char* name) { return read_scalars(file, name, 1)[0]; };
  if (!parameters_.is_dimension_given) {
    set_dimension(parameters_, static_cast<int>(std::clamp(scalar("dimension"), 1.0, 3.0)));
  }
  loops_ = pair_loops(parameters_.kernel, parameters_.dimension);
  engine::require_same_settings(file, group, settings(), "start again from a snapshot.");
  const std::size_t n = length_of(file, "id");
  gas_.id.resize(n);
  file.read(std::string(group) + "/id", std::span<std::uint64_t>(gas_.id));
  for_each_field(gas_, [&]<class T>(std::string_view name, std::vector<T>& array) {
    const std::vector<double> values = read_numbers(file, std::string(name), n);
    array.resize(n);
    const auto most = static_cast<double>(std::numeric_limits<T>::max());
    const auto least = static_cast<double>(std::numeric_limits<T>::lowest());
    std::ranges::transform(values, array.begin(),
                           [=](double value) { return static_cast<T>(std::clamp(value, least, most)); });
  });
  box_ = read_vector(file, "box");
  start_time_ = scalar("start time");
  parameters_.smoothing.h_max = scalar("largest h");
  dt_stable_ = scalar("stable step");
  rho_0_ = scalar("reference density");
  largest_cell_ = static_cast<std::size_t>(std::clamp(scalar("fullest cell"), 0.0, 1e18));
  cache_units_ = {{scalar("scale of masses"), scalar("scale of velocities")}, read_vector(file, "mean velocity")};
  if (!(cache_units_.scales.mass > 0.0 && cache_units_.scales.velocity > 0.0)) {
    throw base::FormatError(file.path().string(), "has units that are not positive; the file is damaged");
  }
  if (const double tick = scalar("tick"); tick > 0.0) {
    clock_.is_common = false;
    clock_.line = TimeLine::restored(scalar("begin of the time line"), tick);
    if (clock_.line.bin_within(parameters_.dt_max) < 0) {
      throw base::FormatError(file.path().string(),
                              fmt::format("counts time in ticks of {:.3g}, longer than time.dt_max = {:.3g}\n"
                                          "  Raise time.dt_max, or start again from a snapshot.",
                                          clock_.line.tick(), parameters_.dt_max));
    }
    set_clock(ticks(file, scalar("ticks passed")));
    next_ = ticks(file, scalar("next tick"));
    after_ = scalar("time since the last tick");
    if (next_ <= clock_.now) throw base::FormatError(file.path().string(), "has no next step; the file is damaged");
  }
  if (std::ranges::any_of(gas_.bin, [](std::uint8_t bin) { return bin > TimeLine::last_bin; })) {
    throw base::FormatError(file.path().string(), "has time bins that do not exist; the file is damaged");
  }
  if (!gas_.dt.empty()) dt_shortest_ = static_cast<double>(std::ranges::min(gas_.dt));
  place_potential();
  others_ = load_others(file, others_group);

  load_grid(file, n);
  if (!connect_cells()) {
    throw base::FormatError(file.path().string(), "cells reach beyond the domain; the file is damaged");
  }
  load_reports(file);
  if (resources_.log != nullptr && file.has(std::string(group) + "/log_steps")) {
    const std::vector<double> steps = read_numbers(file, "log_steps", n);
    last_records_.resize(n);
    std::ranges::transform(steps, last_records_.steps.begin(),
                           [](double count) { return static_cast<std::uint32_t>(std::clamp(count, 0.0, 4e9)); });
  }
}

}  // namespace tacit::sph
