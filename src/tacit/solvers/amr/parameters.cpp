// Makes parameters of the keys of amr.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/amr/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "tacit/mesh/octree.hpp"
#include "tacit/solvers/amr/kernels/parabolic.hpp"
#include "tacit/solvers/amr/parameter_choices.hpp"
#include "tacit/solvers/amr/sub_grids.hpp"

namespace tacit::amr {
namespace {

[[noreturn]] void refuse(const config::Parameters& p, const char* key, const std::string& what,
                         const std::string& hint = {}) {
  throw config::Error(p.where(key), key, what, hint);
}

std::vector<Wall> read_side(const config::Parameters& p, const char* key, const Domain& domain) {
  std::vector<Wall> walls = p.choices(key, wall_choices);
  if (walls.size() == 1) walls.resize(domain.dimensions, walls[0]);
  if (walls.size() != domain.dimensions) {
    refuse(p, key, fmt::format("has {} sides for {} axes", walls.size(), domain.dimensions),
           "one for each axis of amr.root, or one for all");
  }
  return walls;
}

void read_sides(const config::Parameters& p, Domain& domain) {
  std::vector<Wall> low(domain.dimensions, Wall::periodic);
  if (p.has("amr.low")) low = read_side(p, "amr.low", domain);
  const std::vector<Wall> high = p.has("amr.high") ? read_side(p, "amr.high", domain) : low;
  for (std::size_t axis = 0; axis < domain.dimensions; ++axis) {
    domain.sides[axis] = {low[axis], high[axis]};
    if ((low[axis] == Wall::periodic) != (high[axis] == Wall::periodic)) {
      refuse(p, "amr.high", fmt::format("only one side of the axis {} is periodic", "xyz"[axis]),
             "'periodic' in both amr.low and amr.high, or in none");
    }
  }
}

void read_regions(const config::Parameters& p, Domain& domain) {
  if (!p.has("amr.regions")) return;
  const std::vector<double> numbers = p.vector("amr.regions");
  const std::size_t each = 1 + 2 * domain.dimensions;
  if (numbers.empty() || numbers.size() % each != 0) {
    refuse(p, "amr.regions", fmt::format("has {} numbers; each region has {}", numbers.size(), each),
           "the level, then for each axis of amr.root where the region begins and ends");
  }
  for (std::size_t first = 0; first < numbers.size(); first += each) {
    const double level = numbers[first];
    if (!(level > domain.level && level <= 20.0 && level == std::floor(level))) {
      refuse(p, "amr.regions", fmt::format("{} is no level above amr.level = {}", level, domain.level),
             "a whole number, at most 20, first in each region");
    }
    Region region{.level = static_cast<std::uint32_t>(level)};
    for (std::size_t axis = 0; axis < domain.dimensions; ++axis) {
      region.low[axis] = numbers[first + 1 + 2 * axis];
      region.high[axis] = numbers[first + 2 + 2 * axis];
      if (!(region.low[axis] >= 0.0 && region.low[axis] < region.high[axis] && region.high[axis] <= domain.box[axis])) {
        refuse(p, "amr.regions",
               fmt::format("[{}, {}] is no part of the domain along {}, which reaches from 0 to {}", region.low[axis],
                           region.high[axis], "xyz"[axis], domain.box[axis]),
               "where the region begins and ends along each axis");
      }
    }
    domain.regions.push_back(region);
  }
}

Domain read_domain(const config::Parameters& p) {
  const std::vector<double> roots = p.vector("amr.root");
  const std::vector<double> box = p.vector("amr.box");
  if (roots.empty() || roots.size() > 3) {
    refuse(p, "amr.root", fmt::format("has {} numbers", roots.size()), "one to three: [4], [4, 4], [4, 4, 4]");
  }
  Domain domain{.dimensions = roots.size(),
                .block = static_cast<std::size_t>(p.count("amr.block")),
                .level = static_cast<std::uint32_t>(p.count("amr.level")),
                .regions = {}};
  if (domain.block != 8 && domain.block != 16) {
    refuse(p, "amr.block", fmt::format("{} is neither 8 nor 16", domain.block), "amr.block = 8");
  }
  for (std::size_t axis = 0; axis < roots.size(); ++axis) {
    if (roots[axis] != std::floor(roots[axis]))
      refuse(p, "amr.root", "expected whole numbers", "for example [2, 1, 1]");
    domain.roots[axis] = static_cast<std::int64_t>(roots[axis]);
    domain.box[axis] = box[axis];
  }
  read_sides(p, domain);
  const mesh::OctreeSpec spec = spec_of(domain);
  read_regions(p, domain);
  const double count = most_leaves(domain);
  if (domain.finest() > mesh::Octree::deepest_level(spec) || count > std::numeric_limits<std::uint32_t>::max()) {
    const char* const key = domain.finest() > domain.level ? "amr.regions" : "amr.level";
    refuse(p, key, fmt::format("makes {:.3g} sub-grids of the root blocks, more than can be numbered", count),
           "fewer root blocks, or a lower level");
  }
  return domain;
}

/// A criterion's deepest level. @param least  the least that is allowed
std::uint32_t read_depth(const config::Parameters& p, const char* key, std::uint32_t least, std::uint32_t finest) {
  if (!p.has(key)) return finest;
  const auto depth = static_cast<std::uint32_t>(p.count(key));
  if (depth > finest) {
    refuse(p, key, fmt::format("{} is deeper than amr.finest = {}", depth, finest),
           "a larger amr.finest, which no criterion goes beyond");
  }
  if (depth < least) {
    refuse(p, key, fmt::format("{} is a level that there is everywhere, or coarser", depth),
           fmt::format("between {} and amr.finest = {}", least, finest));
  }
  return depth;
}

Criterion read_density(const config::Parameters& p, const Domain& domain, std::uint32_t finest) {
  Criterion density{.finest = read_depth(p, "amr.density_finest", domain.level + 1, finest),
                    .refine_above = p.real("amr.density_above"),
                    .ratio = std::ldexp(1.0, static_cast<int>(domain.dimensions))};
  density.coarsen_below = p.real_or("amr.density_below", 0.5 * density.refine_above);
  if (density.coarsen_below >= density.refine_above) {
    refuse(p, "amr.density_below", "is not less than amr.density_above: sub-grids would come and go at every turn",
           "half of amr.density_above or less");
  }
  return density;
}

/// Whether there are so many species is not known yet.
void read_species_levels(const config::Parameters& p, std::uint32_t finest, AmrParameters& result) {
  constexpr const char* key = "amr.species_finest";
  const std::uint32_t least = result.domain.level;
  for (const double level : p.vector(key)) {
    if (!(level >= least && level <= finest && level == std::floor(level))) {
      refuse(p, key, fmt::format("{} is no level from amr.level to amr.finest", level),
             fmt::format("whole numbers between {} and {}, one for each species", least, finest));
    }
    result.of_species.push_back(result.density.value());
    result.of_species.back().finest = static_cast<std::uint32_t>(level);
  }
}

void read_criteria(const config::Parameters& p, AmrParameters& result) {
  Domain& domain = result.domain;
  const auto finest = static_cast<std::uint32_t>(p.count("amr.finest"));
  const std::uint32_t deepest = mesh::Octree::deepest_level(spec_of(domain));
  if (finest < domain.finest() || finest > deepest) {
    refuse(p, "amr.finest", fmt::format("{} is below a level that is asked for, or too deep to number", finest),
           fmt::format("between {} and {}", domain.finest(), deepest));
  }
  result.is_adaptive = true;
  result.regrid_every = p.count("amr.regrid_every");
  result.jumps = {.finest = read_depth(p, "amr.jumps_finest", domain.level, finest),
                  .refine_above = p.real("amr.refine_above"),
                  .coarsen_below = p.real("amr.coarsen_below")};
  if (result.jumps.coarsen_below >= result.jumps.refine_above) {
    refuse(p, "amr.coarsen_below", "is not less than amr.refine_above: sub-grids would come and go at every turn",
           "half of amr.refine_above or less");
  }
  if (p.has("amr.density_above")) result.density = read_density(p, domain, finest);
  if (p.has("amr.species_finest")) read_species_levels(p, finest, result);
  result.finest = std::max(result.jumps.finest, result.density ? result.density->finest : 0U);
  for (const Criterion& one : result.of_species) result.finest = std::max(result.finest, one.finest);
  if (result.finest == domain.level) {
    refuse(p, "amr.jumps_finest", "is amr.level, so jumps refine nothing, and there is nothing else that does",
           "a deeper level, or amr.density_above");
  }
  result.finest = std::max(result.finest, domain.finest());
  domain.deepest = result.finest;
  if (!p.has("amr.most_sub_grids")) return;
  result.most_leaves = p.count("amr.most_sub_grids");
  double least = most_leaves(domain);
  constexpr double countable = 1 << 22;
  if (least < countable) least = static_cast<double>(make_tree(domain).size());
  if (least > static_cast<double>(result.most_leaves)) {
    refuse(p, "amr.most_sub_grids",
           fmt::format("{} is less than the {:.10g} that amr.root, amr.level and amr.regions make", result.most_leaves,
                       least),
           "a larger number, or fewer sub-grids to begin with");
  }
}

/// @throws config::Error where the gas cannot attract itself
GravityOptions read_gravity(const config::Parameters& p, const Domain& domain) {
  const char* const key = "gravity.self";
  if (domain.dimensions != 3) {
    refuse(p, key, fmt::format("is for three dimensions, and amr.root has {}", domain.dimensions),
           "for example amr.root = [1, 1, 1]");
  }
  if (domain.has(Wall::periodic)) {
    refuse(p, key, "is that of gas in empty space, and a side is periodic",
           "amr.low = \"outflow\", and amr.high as well");
  }
  for (std::size_t axis = 1; axis < 3; ++axis) {
    const double ratio = domain.spacing(axis, 0) / domain.spacing(0, 0);
    if (!(std::abs(ratio - 1.0) < 1e-12)) {
      refuse(p, key,
             fmt::format("takes cells that are cubes, and along {} they are {:.6g} times as long as along x",
                         "xyz"[axis], ratio),
             "an amr.box with sides as amr.root");
    }
  }
  return {.constant = p.real("gravity.constant"),
          .order = static_cast<int>(p.count("gravity.order")),
          .angle = p.real("gravity.angle"),
          .has_torque = !p.flag("gravity.exact_torque")};
}

/// The gas as it is seen in the frame.
GasAt seen_from(const GasAt& gas, double rotation, const Domain& domain) {
  return [=, x0 = 0.5 * domain.box[0], y0 = 0.5 * domain.box[1]](const Point& x) {
    GasState seen = gas(x);
    seen.v[0] += rotation * (x[1] - y0);
    seen.v[1] -= rotation * (x[0] - x0);
    return seen;
  };
}

void set_frame(const config::Parameters& p, AmrParameters& result) {
  if (!result.gravity) {
    refuse(p, "amr.frame", "turns, and centrifugal forces are among those of gravity", "gravity.self = true");
  }
  if (result.initial.means) {
    refuse(p, "amr.frame", "turns, and arrays have velocities in a frame at rest", "amr.frame = \"inertial\"");
  }
  result.frame_rotation = p.real_or("amr.frame_rotation", result.initial.rotation);
  if (result.frame_rotation == 0.0) {
    refuse(p, p.has("amr.frame_rotation") ? "amr.frame_rotation" : "amr.frame",
           "turns, and the set-up has nothing that says how fast", "amr.frame_rotation = 1.0, or the set-up 'binary'");
  }
  result.initial.state = seen_from(result.initial.state, result.frame_rotation, result.domain);
  result.initial.exact = {};
}

void follow_stars(const config::Parameters& p, AmrParameters& result) {
  if (result.initial.stars < 2 || result.fields.species < 2) {
    refuse(p, "amr.frame", "follows two stars, which the set-up or amr.species does not tell apart",
           "the set-up 'binary' with at least two species, or amr.frame = \"rotating\"");
  }
  result.follows_stars = true;
}

Driving read_driving(const config::Parameters& p, const AmrParameters& parameters) {
  constexpr const char* key = "driving.rate";
  if (!parameters.gravity || parameters.initial.rotation == 0.0) {
    refuse(p, key, "is a part per orbit, and the set-up has none",
           "the set-up 'binary' or 'rotating_star', with gravity.self = true");
  }
  const double orbit = 2.0 * std::numbers::pi / std::abs(parameters.initial.rotation);
  return {.rate = p.real(key) / orbit, .until = p.real_or("driving.until", std::numeric_limits<double>::infinity())};
}

/// Launches compute what all gas has.
mesh::LaunchSetting read_launches(const config::Parameters& p, const AmrParameters& parameters) {
  mesh::LaunchSetting result = mesh::read_launches(p);
  if (result.slots == 0) return result;
  constexpr const char* key = "gpu.slots";
  const std::string workers = "gpu.slots = 0: workers compute everything";
  if (parameters.domain.has(Wall::diode)) {
    refuse(p, key, "launches stages of gas without sides that let gas out alone",
           workers + "; or \"outflow\" in place of \"diode\"");
  }
  if (parameters.gravity) refuse(p, key, "launches stages without gravity only", workers);
  if (parameters.fields.count() > kernels::variables) {
    refuse(p, key, "launches stages of density, momentum and energy, and of nothing that the gas carries beside them",
           workers + "; or amr.species = 0 and amr.dual_energy = \"never\"");
  }
  if (parameters.reconstruction != Reconstruction::plm || parameters.integrator != Integrator::rk2) {
    refuse(p, key, "launches the stages of plm with rk2, and of no other scheme",
           workers + "; or without amr.reconstruction and amr.integrator");
  }
  if (parameters.rebalance == Rebalance::cost) {
    refuse(p, key, "leaves no time that a sub-grid takes a worker, by which amr.rebalance divides",
           "amr.rebalance = \"count\"");
  }
  result.device.pinned_bytes = result.device.memory_bytes / 2;  // for the layers around sub-grids: less than the rest
  return result;
}

}  // namespace

bool Criterion::refines(std::uint32_t level, double value) const {
  if (level > finest) return false;
  const std::uint32_t divisions = finest - std::min(level + 1, finest);  // that follow this one
  return value > refine_above * std::pow(ratio, -static_cast<double>(divisions));
}

bool Criterion::keeps(std::uint32_t level, double value) const {
  if (level > finest) return false;
  return !(value < coarsen_below * std::pow(ratio, -static_cast<double>(finest - level)));
}

bool AmrParameters::is_open() const noexcept {
  return floors.are_set() || domain.has(Wall::outflow) || domain.has(Wall::diode) || domain.has(Wall::reflecting) ||
         driving.has_value() || follows_stars;
}

AmrParameters read_parameters(const config::Parameters& p) {
  AmrParameters result{.domain = read_domain(p),
                       .begin = p.real_or("time.begin", 0.0),
                       .gamma = p.real("amr.gamma"),
                       .reconstruction = p.choice("amr.reconstruction", reconstruction_choices),
                       .integrator = p.choice("amr.integrator", integrator_choices),
                       .limiter = p.choice("amr.limiter", limiter_choices),
                       .riemann = p.choice("amr.riemann", riemann_choices),
                       .cfl = p.real("amr.cfl"),
                       .halvings = static_cast<std::uint32_t>(p.count("amr.halvings")),
                       .rebalance = p.choice("amr.rebalance", rebalance_choices),
                       .order = p.choice("amr.step", step_choices),
                       .jumps = {},
                       .density = {},
                       .of_species = {},
                       .initial = {}};
  if (result.reconstruction == Reconstruction::ppm) result.domain.ghosts = kernels::parabolic_ghosts;
  if (p.has("amr.finest")) read_criteria(p, result);
  if (p.has("amr.plotfile_every")) result.plotfile_every = p.real("amr.plotfile_every");
  if (p.flag("gravity.self")) result.gravity = read_gravity(p, result.domain);
  result.floors = {.density = p.real("amr.density_floor"), .pressure = p.real("amr.pressure_floor")};
  const DualEnergy dual = p.choice("amr.dual_energy", dual_energy_choices);
  result.fields.has_internal_energy =
      dual == DualEnergy::always || (dual == DualEnergy::with_gravity && result.gravity);
  result.initial = p.choice("initial.setup", setup_choices)(p, result.domain, result.gamma);
  result.fields.species =
      p.has("amr.species") ? static_cast<std::size_t>(p.count("amr.species")) : result.initial.species;
  if (result.of_species.size() > result.fields.species) {
    refuse(p, "amr.species_finest",
           fmt::format("has {} levels, and the run tells {} species apart", result.of_species.size(),
                       result.fields.species),
           "one level for each species at most, or a larger amr.species");
  }
  const Frame frame = p.choice("amr.frame", frame_choices);
  if (frame != Frame::inertial) set_frame(p, result);
  if (frame == Frame::following) follow_stars(p, result);
  if (p.has("driving.rate")) result.driving = read_driving(p, result);
  result.launches = read_launches(p, result);
  return result;
}

}  // namespace tacit::amr
