// Snapshots and checkpoints of the sph solver.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "tacit/engine/checkpoint.hpp"
#include "tacit/solvers/sph/fields.hpp"
#include "tacit/solvers/sph/formats/carried.hpp"
#include "tacit/solvers/sph/formats/swift_snapshot.hpp"
#include "tacit/solvers/sph/loops.hpp"
#include "tacit/solvers/sph/sph_solver.hpp"

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

std::string_view boundary_name(Boundary boundary) {
  if (boundary == Boundary::periodic) return "periodic";
  return boundary == Boundary::open ? "open" : "reflecting";
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

std::uint64_t SphSolver::write_snapshot(const std::filesystem::path& path, const engine::FileContext& context) const {
  namespace dim = base::dimension;
  const bool periodic = parameters_.boundary == Boundary::periodic;
  const auto positions = each_vector([&](std::size_t axis, std::size_t i) {
    const double x = present(i).x[axis];
    return periodic ? particles::wrap(x, 0.0, box_[axis]) : x;
  });
  const double gamma = parameters_.gamma;
  const auto v = each_vector([&](std::size_t axis, std::size_t i) { return present(i).v[axis]; });
  const auto u = each([&](std::size_t i) { return present(i).u; });
  const auto rho = each([&](std::size_t i) { return present(i).rho; });
  const auto P = each([&](std::size_t i) {
    const Present now = present(i);
    return parameters_.pressure(parameters_.thermal_of(now.u, now.rho), now.rho);
  });
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
  header.compression = context.compression;
  header.equation_of_state = name_of(parameters_.eos);
  header.scheme = scheme_numbers(parameters_);
  return write_swift_snapshot(path, header, gas_.id, positions, snapshot_fields, others_);
}

void SphSolver::save_particles(io::FileWriter& file) const {
  file.group(group);
  const std::array<std::uint64_t, 1> shape{gas_.size()};
  file.array(std::string(group) + "/id", std::span<const std::uint64_t>(gas_.id), shape);
  for_each_field(gas_, [&](std::string_view name, const auto& array) {
    file.array(fmt::format("{}/{}", group, name), std::vector<double>(array.begin(), array.end()), shape,
               io::Number::float64);
  });
}

void SphSolver::save_failed(io::FileWriter& file) const { save_particles(file); }

void SphSolver::save(io::FileWriter& file) const {
  save_particles(file);
  const auto store = [&file](const std::string& name, std::span<const double> values) {
    const std::array<std::uint64_t, 1> shape{values.size()};
    file.array(std::string(group) + "/" + name, values, shape, io::Number::float64);
  };
  store("reach", reach_);
  const auto store_counts = [&file](const std::string& name, std::span<const std::uint64_t> values) {
    const std::array<std::uint64_t, 1> length{values.size()};
    file.array(std::string(group) + "/" + name, values, length);
  };
  const particles::StoredCells stored = grid_->stored();
  store_counts("cell_counts", stored.counts);
  store_counts("cell_levels", stored.levels);
  store_counts("group_sizes", stored.group_sizes);
  const auto of_reports = [this](auto member) {
    std::vector<double> values(reports_.size());
    for (std::size_t c = 0; c < values.size(); ++c) values[c] = static_cast<double>(reports_[c].*member);
    return values;
  };
  store("slack", slack_);
  store("moved", moved_);
  store("cell_times", of_reports(&CellReport::drifted_to));
  store("cell_v_max", of_reports(&CellReport::v_max));
  store("cell_a_max", of_reports(&CellReport::a_max));
  const auto& domain = grid_->domain();
  const auto& n = stored.shape;
  store("grid", std::array{domain.origin.x, domain.origin.y, domain.origin.z, domain.size.x, domain.size.y,
                           domain.size.z, static_cast<double>(n[0]), static_cast<double>(n[1]),
                           static_cast<double>(n[2]), static_cast<double>(stored.per_group)});
  const auto& units = cache_units_;
  store("numbers",
        std::array{box_.x, box_.y, box_.z, start_time_, parameters_.smoothing.h_max, dt_stable_,
                   static_cast<double>(parameters_.dimension), rho_0_, units.scales.mass, units.scales.velocity,
                   units.velocity.x, units.velocity.y, units.velocity.z, clock_.line.begin(), clock_.line.tick(),
                   static_cast<double>(clock_.now), static_cast<double>(next_), after_, static_cast<double>(crowd_)});
  if (!others_.types.empty()) save_others(file, others_group, others_);
  engine::save_settings(file, group, physics());
  if (swept_) swept_->forget_orders();
}

/// What a checkpoint cannot be continued without: the numbers in it mean nothing under other settings.
std::string SphSolver::physics() const {
  std::string text = fmt::format("{}-D, {}, {} steps, kernel {}, gamma {}, ", parameters_.dimension,
                                 parameters_.scheme == Scheme::sphenix ? "sphenix" : "gadget2",
                                 parameters_.has_individual_steps ? "individual" : "common", parameters_.kernel_name,
                                 parameters_.gamma);
  if (const auto& eos = parameters_.eos; eos.kind == kernels::EquationOfState::Kind::barotropic) {
    text += fmt::format("sound speed {}, critical density {}, ", eos.c0, eos.rho_c);
  }
  for (const auto& source : parameters_.sources) text += source->describe() + ", ";
  return text + fmt::format("{} boundaries, units of length {} cm, mass {} g, time {} s",
                            boundary_name(parameters_.boundary), units_.length_in_cgs, units_.mass_in_cgs,
                            units_.time_in_cgs);
}

/// The cells as they were, with bounds on every number: lists for an absurd reach would fill the memory.
void SphSolver::load_grid(const io::FileReader& file, std::size_t particles) {
  const auto grid = read_numbers(file, "grid", 10);
  const particles::Domain domain{{grid[0], grid[1], grid[2]},
                                 {grid[3], grid[4], grid[5]},
                                 parameters_.boundary == Boundary::periodic,
                                 parameters_.dimension,
                                 parameters_.boundary == Boundary::reflecting};
  const auto read_counts = [&file](const std::string& name) {
    std::vector<std::uint64_t> counts(length_of(file, name));
    file.read(std::string(group) + "/" + name, std::span<std::uint64_t>(counts));
    return counts;
  };
  const auto side = [&grid](std::size_t i) { return static_cast<int>(std::clamp(grid[i], 0.0, 1e6)); };
  grid_ = particles::CellTree::restore(domain,
                                       {{side(6), side(7), side(8)},
                                        static_cast<std::uint64_t>(std::clamp(grid[9], 0.0, 1e6)),
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
  const auto numbers = read_numbers(file, "numbers", 19);
  if (!parameters_.is_dimension_given) set_dimension(parameters_, static_cast<int>(std::clamp(numbers[6], 1.0, 3.0)));
  loops_ = pair_loops(parameters_.kernel, parameters_.dimension);
  engine::require_same_settings(file, group, physics(), "start again from a snapshot.");
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
  box_ = {numbers[0], numbers[1], numbers[2]};
  start_time_ = numbers[3];
  parameters_.smoothing.h_max = numbers[4];
  dt_stable_ = numbers[5];
  rho_0_ = numbers[7];
  crowd_ = static_cast<std::size_t>(std::clamp(numbers[18], 0.0, 1e18));
  cache_units_ = {{numbers[8], numbers[9]}, {numbers[10], numbers[11], numbers[12]}};
  if (!(numbers[8] > 0.0 && numbers[9] > 0.0)) {
    throw base::FormatError(file.path().string(), "has units that are not positive; the file is damaged");
  }
  if (numbers[14] > 0.0) {
    clock_.is_common = false;
    clock_.line = TimeLine::restored(numbers[13], numbers[14]);
    if (clock_.line.bin_within(parameters_.dt_max) < 0) {
      throw base::FormatError(file.path().string(),
                              fmt::format("counts time in ticks of {:.3g}, longer than time.dt_max = {:.3g}\n"
                                          "  Raise time.dt_max, or start again from a snapshot.",
                                          clock_.line.tick(), parameters_.dt_max));
    }
    set_clock(ticks(file, numbers[15]));
    next_ = ticks(file, numbers[16]);
    after_ = numbers[17];
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
}

}  // namespace tacit::sph
