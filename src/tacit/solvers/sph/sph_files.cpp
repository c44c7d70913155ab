// Snapshots and checkpoints of the sph solver.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tacit/solvers/sph/fields.hpp"
#include "tacit/solvers/sph/formats/carried.hpp"
#include "tacit/solvers/sph/formats/swift_snapshot.hpp"
#include "tacit/solvers/sph/kernels/equation_of_state.hpp"
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

std::size_t length_of(const io::FileReader& file, const std::string& name) {
  const auto shape = file.info(std::string(group) + "/" + name).shape;
  if (shape.size() != 1) throw base::FormatError(file.path().string(), name + " is not a list; the file is damaged");
  return shape[0];
}

}  // namespace

std::uint64_t SphSolver::write_snapshot(const std::filesystem::path& path, const engine::FileContext& context) const {
  namespace dim = base::dimension;
  const bool periodic = parameters_.boundary == Boundary::periodic;
  const std::array<std::span<const double>, 3> x{gas_.x, gas_.y, gas_.z};
  const auto positions = each_vector([&](std::size_t axis, std::size_t i) {
    return periodic ? particles::wrap(x[axis][i], 0.0, box_[axis]) : x[axis][i];
  });
  const double gamma = parameters_.gamma;
  const kernels::EquationOfState& eos = parameters_.eos;
  const auto u = each([&](std::size_t i) { return kernels::internal_energy(eos, gas_.A[i], gas_.rho[i], gamma); });
  const auto P = each([&](std::size_t i) { return kernels::pressure(eos, gas_.A[i], gas_.rho[i], gamma); });
  const auto v = columns({gas_.vx, gas_.vy, gas_.vz});
  const io::Number type = context.double_precision ? io::Number::float64 : io::Number::float32;
  const std::array snapshot_fields{
      SnapshotField{"Velocities", "Velocities of the particles", dim::velocity, type, v},
      SnapshotField{"Masses", "Masses of the particles", dim::mass, type, columns({gas_.m})},
      SnapshotField{"SmoothingLengths", "Smoothing lengths h; the kernels reach to gamma h", dim::length, type,
                    columns({gas_.h})},
      SnapshotField{"InternalEnergies", "Thermal energies per unit mass", dim::specific_energy, type, u},
      SnapshotField{"Densities", "Mass densities", dim::density, type, columns({gas_.rho})},
      SnapshotField{"Pressures", "Thermal pressures", dim::pressure, type, P},
      SnapshotField{
          "VelocityDivergences", "Divergences of the velocity field", {.time = -1}, type, columns({gas_.div_v})},
  };
  SnapshotHeader header;
  header.run_name = context.run_name;
  header.solver = "sph";
  header.time = context.time;
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
  header.scheme = {{"CFL parameter", parameters_.cfl}, {"Alpha viscosity", parameters_.alpha}};
  return write_swift_snapshot(path, header, gas_.id, positions, snapshot_fields, others_);
}

void SphSolver::save(io::FileWriter& file) const {
  file.group(group);
  const auto store = [&file](const std::string& name, std::span<const double> values) {
    const std::array<std::uint64_t, 1> shape{values.size()};
    file.array(std::string(group) + "/" + name, values, shape, io::Number::float64);
  };
  const std::array<std::uint64_t, 1> shape{gas_.size()};
  file.array(std::string(group) + "/id", std::span<const std::uint64_t>(gas_.id), shape);
  for (const Field& field : fields) store(field.name.data(), gas_.*field.array);
  store("reach", reach_);
  std::vector<std::uint64_t> counts(grid_->cells());
  for (std::size_t c = 0; c < counts.size(); ++c) counts[c] = grid_->range(c).count;
  const std::array<std::uint64_t, 1> cells{counts.size()};
  file.array(std::string(group) + "/cell_counts", std::span<const std::uint64_t>(counts), cells);
  const auto& domain = grid_->domain();
  const auto& n = grid_->shape();
  store("grid",
        std::array{domain.origin.x, domain.origin.y, domain.origin.z, domain.size.x, domain.size.y, domain.size.z,
                   static_cast<double>(n[0]), static_cast<double>(n[1]), static_cast<double>(n[2])});
  store("numbers", std::array{box_.x, box_.y, box_.z, start_time_, parameters_.smoothing.h_max, slack_, moved_,
                              dt_stable_, v_max_, a_max_, static_cast<double>(parameters_.dimension), rho_0_});
  if (!others_.types.empty()) save_others(file, others_group, others_);
  file.attribute(group, "physics", std::string_view(physics()));
  file.attribute(group, "source", std::string_view(source_));
  file.attribute(group, "checksum", std::string_view(checksum_));
}

/// What a checkpoint cannot be continued without: the numbers in it mean nothing under other settings.
std::string SphSolver::physics() const {
  std::string text =
      fmt::format("{}-D, kernel {}, gamma {}, ", parameters_.dimension, parameters_.kernel_name, parameters_.gamma);
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
  const auto grid = read_numbers(file, "grid", 9);
  const particles::Domain domain{{grid[0], grid[1], grid[2]},
                                 {grid[3], grid[4], grid[5]},
                                 parameters_.boundary == Boundary::periodic,
                                 parameters_.dimension,
                                 parameters_.boundary == Boundary::reflecting};
  std::vector<std::uint64_t> counts(length_of(file, "cell_counts"));
  file.read(std::string(group) + "/cell_counts", std::span<std::uint64_t>(counts));
  const auto side = [&grid](std::size_t i) { return static_cast<int>(std::clamp(grid[i], 0.0, 1e6)); };
  grid_ = particles::CellGrid::restore(domain, {side(6), side(7), side(8)}, counts, particles);
  if (!grid_) {
    throw base::FormatError(file.path().string(), "the cells do not hold the particles; the file is damaged");
  }
  reach_ = read_numbers(file, "reach", grid_->cells());
  const double most = 2.0 * (domain.size.x + domain.size.y + domain.size.z + box_.x + box_.y + box_.z);
  const bool sane = std::ranges::all_of(reach_, [most](double reach) { return reach >= 0.0 && reach <= most; });
  if (!sane || !(slack_ >= 0.0 && slack_ <= most)) {
    throw base::FormatError(file.path().string(), "cells reach beyond the domain; the file is damaged");
  }
}

void SphSolver::load(const io::FileReader& file) {
  const auto numbers = read_numbers(file, "numbers", 12);
  if (!parameters_.is_dimension_given) set_dimension(parameters_, static_cast<int>(std::clamp(numbers[10], 1.0, 3.0)));
  if (const std::string found = file.text_attribute(group, "physics"); found != physics()) {
    throw base::FormatError(file.path().string(),
                            "was written with other settings than the parameter file has now:\n  " + found + "\n  " +
                                physics() + "\n  Set these back, or start anew from a snapshot.");
  }
  const std::size_t n = length_of(file, "id");
  gas_.id.resize(n);
  file.read(std::string(group) + "/id", std::span<std::uint64_t>(gas_.id));
  for (const Field& field : fields) gas_.*field.array = read_numbers(file, field.name.data(), n);
  box_ = {numbers[0], numbers[1], numbers[2]};
  start_time_ = numbers[3];
  parameters_.smoothing.h_max = numbers[4];
  slack_ = numbers[5];
  moved_ = numbers[6];
  dt_stable_ = numbers[7];
  v_max_ = numbers[8];
  a_max_ = numbers[9];
  rho_0_ = numbers[11];
  place_potential();
  others_ = load_others(file, others_group);
  source_ = file.text_attribute(group, "source");
  checksum_ = file.text_attribute(group, "checksum");

  load_grid(file, n);
  connect_cells();
}

}  // namespace tacit::sph
