// Files of power spectra and of groups, which are measured while the run goes on.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "tacit/engine/field_file.hpp"
#include "tacit/engine/schedule.hpp"
#include "tacit/exchange/over_ranks.hpp"
#include "tacit/solvers/sph/analysis/groups.hpp"
#include "tacit/solvers/sph/analysis/matter_power.hpp"
#include "tacit/solvers/sph/sph_solver.hpp"

namespace tacit::sph {
namespace {

constexpr const char* power_name = "power";
constexpr const char* groups_name = "groups";

/// The same on all ranks.
template <class T>
void write_values(io::FileWriter& file, const std::string& name, const std::vector<T>& values) {
  file.array(name, values, std::array<std::uint64_t, 1>{values.size()});
}

template <class F>
void write_vectors(io::FileWriter& file, const std::string& name, const std::vector<Group>& groups, const F& of) {
  std::vector<double> values;
  for (const Group& group : groups) {
    const base::Vec3 value = of(group);
    values.insert(values.end(), {value.x, value.y, value.z});
  }
  file.array(name, values, std::array<std::uint64_t, 2>{groups.size(), 3});
}

template <class T, class F>
std::vector<T> each_of(const std::vector<Group>& groups, const F& of) {
  std::vector<T> values;
  values.reserve(groups.size());
  for (const Group& group : groups) values.push_back(of(group));
  return values;
}

}  // namespace

std::vector<engine::Series> SphSolver::series() const {
  std::vector<engine::Series> files;
  if (physics_.analysis.has_power) files.push_back({.name = power_name, .every = engine::with_snapshots});
  if (physics_.analysis.has_groups) files.push_back({.name = groups_name, .every = engine::with_snapshots});
  return files;
}

/// Of all ranks: bodies, or where there are none particles of gas.
SphSolver::Linkers SphSolver::linkers() const {
  std::array<std::uint64_t, 2> counts{0, 0};  // gas, bodies
  for (std::size_t i = 0; i < gas_.size(); ++i) ++counts[gas_.is_gas(i) ? 0 : 1];
  exchange::add_over(resources_.ranks, counts);
  return counts[1] > 0 ? Linkers{counts[1], false} : Linkers{counts[0], true};
}

void SphSolver::write_power(io::FileWriter& file) const {
  const auto now = all_stored();
  std::vector<PointMass> masses(gas_.size());
  for (std::size_t i = 0; i < masses.size(); ++i) masses[i] = {{now[i].x[0], now[i].x[1], now[i].x[2]}, gas_.m[i]};
  const auto along = static_cast<std::uint64_t>(std::lround(std::cbrt(static_cast<double>(linkers().count))));
  const std::uint64_t mesh = physics_.analysis.mesh.value_or(std::clamp<std::uint64_t>(2 * along, 8, 8192));
  std::function<double(double)> expected;
  if (const Cosmological* universe = physics_.setup ? std::get_if<Cosmological>(&*physics_.setup) : nullptr) {
    const double growth =
        linear_growth(universe->cosmology, scale_factor()).D / linear_growth(universe->cosmology, 1.0).D;
    expected = [universe, growth](double k) {
      const auto [low, high] = universe->density.spectrum.covers();
      return growth * growth * universe->density.spectrum(std::clamp(k, low, high));
    };
  }
  const MatterPower found = matter_power(masses, box_, mesh, expected, resources_.scheduler, resources_.ranks);
  const std::string group = "MatterPower";
  file.group(group);
  file.attribute(group, "Mesh", std::array{static_cast<std::int64_t>(mesh)});
  file.attribute(group, "ShotNoise", std::array{found.shot_noise});
  write_values(file, group + "/wave_number", found.k);
  write_values(file, group + "/power", found.power);
  write_values(file, group + "/modes", found.modes);
  if (!found.expected.empty()) write_values(file, group + "/linear_theory", found.expected);
}

void SphSolver::write_groups(io::FileWriter& file) const {
  const auto now = all_stored();
  const auto [count, is_gas_alone] = linkers();
  std::vector<GroupParticle> particles(gas_.size());
  for (std::size_t i = 0; i < particles.size(); ++i) {
    particles[i] = {.id = gas_.id[i],
                    .x = {now[i].x[0], now[i].x[1], now[i].x[2]},
                    .v = {now[i].v[0], now[i].v[1], now[i].v[2]},
                    .m = gas_.m[i],
                    .links = gas_.is_gas(i) == is_gas_alone ? 1U : 0U};
  }
  const double shortest = std::min({box_.x, box_.y, box_.z});
  const double mean = std::cbrt(box_.x * box_.y * box_.z / static_cast<double>(count));
  const double linking = std::min(physics_.analysis.linking * mean, 0.5 * shortest);
  const std::vector<Group> groups = find_groups(particles, box_, linking, physics_.analysis.least, resources_.ranks);
  const std::string group = "Groups";
  file.group(group);
  file.attribute(group, "LinkingLength", std::array{linking});
  file.attribute(group, "LeastParticles", std::array{static_cast<std::int64_t>(physics_.analysis.least)});
  using Ids = std::uint64_t;
  write_values(file, group + "/GroupIDs", each_of<Ids>(groups, [](const Group& one) { return one.id; }));
  write_values(file, group + "/Sizes",
               each_of<Ids>(groups, [](const Group& one) { return one.particles + one.joined; }));
  write_values(file, group + "/Masses", each_of<double>(groups, [](const Group& one) { return one.mass; }));
  write_values(file, group + "/GasMasses", each_of<double>(groups, [is_gas_alone](const Group& one) {
                 return is_gas_alone ? one.mass : one.joined_mass;
               }));
  write_vectors(file, group + "/Centres", groups, [](const Group& one) { return one.centre; });
  write_vectors(file, group + "/Velocities", groups, [](const Group& one) { return one.velocity; });
}

std::uint64_t SphSolver::write_series(const engine::Series& series, const std::filesystem::path& path,
                                      const engine::FileContext& context) const {
  io::FileWriter file = context.file(path, resources_.ranks);
  engine::write_header(file, context, {box_.x, box_.y, box_.z});
  file.attribute("Header", "ScaleFactor", std::array{scale_factor()});
  if (physics_.cosmology) file.attribute("Header", "HubbleParam", std::array{physics_.cosmology->h});
  file.group("Units");
  file.attribute("Units", "Unit length in cgs (U_L)", std::array{units_.length_in_cgs});
  file.attribute("Units", "Unit mass in cgs (U_M)", std::array{units_.mass_in_cgs});
  file.attribute("Units", "Unit time in cgs (U_t)", std::array{units_.time_in_cgs});
  if (series.name == power_name) {
    write_power(file);
  } else {
    write_groups(file);
  }
  return file.commit();
}

}  // namespace tacit::sph
