// The keys of amr.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/amr/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tacit/base/memory.hpp"
#include "tacit/mesh/octree.hpp"
#include "tacit/solvers/amr/sub_grids.hpp"

namespace tacit::amr {
namespace {

using config::Choice;
using config::Key;
namespace dim = base::dimension;

constexpr std::array wall_choices{
    Choice{"periodic", Wall::periodic, "what leaves at one side enters at the other; both sides are so, or none"},
    Choice{"outflow", Wall::outflow, "the state beyond the side is that before it"},
    Choice{"reflecting", Wall::reflecting, "nothing passes: the state beyond the side is the mirrored one"},
};
constexpr std::array limiter_choices{
    Choice{"mc", kernels::Limiter::monotonised_central, "monotonised central: the sharpest of these"},
    Choice{"van_leer", kernels::Limiter::van_leer, "harmonic mean of the differences to both sides"},
    Choice{"minmod", kernels::Limiter::minmod, "the smaller of them: the smoothest of these"},
};
constexpr std::array riemann_choices{
    Choice{"hll", kernels::Riemann::hll, "two waves"},
    Choice{"hllc", kernels::Riemann::hllc, "three waves: contacts stay sharp"},
};
constexpr std::array rebalance_choices{
    Choice{"count", Rebalance::count, "each rank has as many"},
    Choice{"cost", Rebalance::cost,
           "each has what takes it as long, as measured; no rank more than twice the mean of their number. Looked at "
           "when sub-grids are adapted, of fixed ones every 16 steps; the division changes where the rank with most to "
           "do gains a twentieth"},
};
constexpr std::array setup_choices{
    Choice{"sod", &make_sod, "a shock tube between two uniform states (table [sod])"},
    Choice{"sedov", &make_sedov, "a point explosion in a uniform gas (table [sedov])"},
    Choice{"polytrope", &make_polytrope, "a star that its own gravity holds together (table [polytrope])"},
    Choice{"wave", &make_wave, "a weak sound wave in any direction (table [wave])"},
};
constexpr std::array amr_keys{
    Key::numbers("amr.root", "Root blocks along each axis: one to three numbers.", {1.0, 1 << 20})
        .required("[1, 1, 1]"),
    Key::integer("amr.block", {8, 16}, "Cells of a sub-grid along each axis: 8 or 16.", "8"),
    Key::integer(
        "amr.level", {0, 20},
        "How often the root blocks are divided in two along each axis, everywhere: cells along an axis are root "
        "block 2^level.",
        "0"),
    Key::numbers("amr.regions",
                 "Boxes with a finer level: for each the level, then for each axis where it begins and ends, in code "
                 "units: [2, 0.25, 0.75] in one dimension."),
    Key::integer("amr.finest", {1, 20},
                 "Sub-grids follow the gas, and are refined down to this level at most; without it they stay as they "
                 "are."),
    Key::integer("amr.jumps_finest", {0, 20},
                 "The deepest level to which jumps refine; amr.level: they refine nothing. Without it: amr.finest.")
        .needs("amr.finest"),
    Key::real(
        "amr.refine_above", config::above(0.0, 1.0),
        "Sub-grids are refined, and those that touch them, where |q(i+1) - q(i-1)| / (q(i+1) + q(i-1)) of density "
        "or pressure is more than this.",
        "0.05")
        .needs("amr.finest"),
    Key::real("amr.coarsen_below", config::above(0.0, 1.0),
              "Sub-grids become coarser where all of these are less than this.", "0.02")
        .needs("amr.finest"),
    Key::integer("amr.density_finest", {1, 20}, "The deepest level to which density refines. Without it: amr.finest.")
        .needs("amr.density_above"),
    Key::positive("amr.density_above", dim::density,
                  "Sub-grids are refined, and those that touch them, where a cell has more density than this. That is "
                  "of the last division, to amr.density_finest; for each one before, a quarter of it is enough in two "
                  "dimensions (an eighth in three, half in one): so no cell above that level has much more mass than "
                  "others.")
        .needs("amr.finest"),
    Key::positive("amr.density_below", dim::density,
                  "Sub-grids of amr.density_finest become coarser where all cells have less density than this, and "
                  "others likewise. Without it: half of amr.density_above.")
        .needs("amr.density_above"),
    Key::integer("amr.most_sub_grids", {1, std::numeric_limits<std::uint32_t>::max()},
                 "A run that needs more sub-grids than this ends with a checkpoint, from which it can go on with a "
                 "larger number; `tacit check` says how much memory so many take. Without it: as many as the memory of "
                 "the machine holds.")
        .needs("amr.finest")
        .changeable(),
    Key::integer("amr.regrid_every", {1, 1000}, "Steps from one adaption to the next.", "5").needs("amr.finest"),
    Key::vector("amr.box", dim::length, "Sides of the domain; those of axes beyond amr.root are not used.", "[1, 1, 1]",
                config::positive),
    Key::choice_list("amr.low", wall_choices,
                     "What is beyond the low side of each axis; one for all axes. Without it: periodic."),
    Key::choice_list("amr.high", wall_choices, "The same of the high sides. Without it: as at the low side."),
    Key::real("amr.gamma", config::above(1.0, 10.0), "Adiabatic index of the ideal gas.", "1.4"),
    Key::choice("amr.limiter", limiter_choices, kernels::Limiter::monotonised_central,
                "Of the slopes of density, velocity and pressure in a cell."),
    Key::choice("amr.riemann", riemann_choices, kernels::Riemann::hllc, "How fluxes follow from both sides of a face."),
    Key::fraction("amr.cfl", "Time step over the one in which waves pass a cell: dt sum_i (|v_i| + c) / dx_i.", "0.8")
        .changeable(),
    Key::integer("amr.halvings", {0, 20},
                 "How often a step that would leave a negative density or pressure is halved and made again before the "
                 "run ends. 0: never, and memory holds one state less.",
                 "5")
        .changeable(),
    Key::choice("amr.rebalance", rebalance_choices, Rebalance::count,
                "How sub-grids are divided among ranks. No bit of a result depends on it.")
        .changeable(),
    Key::positive("amr.plotfile_every", dim::time,
                  "Interval of plotfiles in the format of AMReX (folders plt_STEP), which yt, VisIt and ParaView open, "
                  "with one at the begin and one at the end. Without it: none.")
        .changeable(),
};
constexpr std::array gravity_keys{
    Key::flag("gravity.self", false,
              "The gas attracts itself. Space is empty beyond the domain: in three dimensions, cells are cubes, and no "
              "side is periodic."),
    Key::positive("gravity.constant", "Newton's constant, in code units [length^3 mass^-1 time^-2].", "1")
        .needs("gravity.self", "true"),
    Key::integer("gravity.order", {kernels::lowest_gravity_order, kernels::highest_gravity_order},
                 "Of the expansions by which blocks of cells act on those far from them: errors of accelerations are "
                 "about 1e-2 at 3, 5e-3 at 4, 2e-3 at 5, with the angle 0.5.",
                 "3")
        .needs("gravity.self", "true"),
    Key::real(
        "gravity.angle", {.lower = 0.34, .upper = 0.5},
        "Opening angle: cubes of cells act by expansions where they are 1 / angle of their sides apart; 0.4 has a "
        "fifth of the errors of 0.5.",
        "0.5")
        .needs("gravity.self", "true"),
};
constexpr std::array initial_keys{
    Key::choice("initial.setup", setup_choices, "Built-in initial conditions.").required(),
};

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
  result.finest = std::max(result.jumps.finest, result.density ? result.density->finest : 0U);
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
          .angle = p.real("gravity.angle")};
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

std::span<const config::KeyTable> key_tables() {
  static const std::array<config::KeyTable, 7> tables{{{"Gas on an octree", amr_keys},
                                                       {"Gravity", gravity_keys},
                                                       {"Initial conditions", initial_keys},
                                                       {"Set-up: shock tube", sod_keys()},
                                                       {"Set-up: point explosion", sedov_keys()},
                                                       {"Set-up: star", polytrope_keys()},
                                                       {"Set-up: sound wave", wave_keys()}}};
  return tables;
}

AmrParameters read_parameters(const config::Parameters& p) {
  AmrParameters result{.domain = read_domain(p),
                       .begin = p.real_or("time.begin", 0.0),
                       .gamma = p.real("amr.gamma"),
                       .limiter = p.choice("amr.limiter", limiter_choices),
                       .riemann = p.choice("amr.riemann", riemann_choices),
                       .cfl = p.real("amr.cfl"),
                       .halvings = static_cast<std::uint32_t>(p.count("amr.halvings")),
                       .rebalance = p.choice("amr.rebalance", rebalance_choices),
                       .jumps = {},
                       .density = {},
                       .initial = {}};
  if (p.has("amr.finest")) read_criteria(p, result);
  if (p.has("amr.plotfile_every")) result.plotfile_every = p.real("amr.plotfile_every");
  if (p.flag("gravity.self")) result.gravity = read_gravity(p, result.domain);
  result.initial = p.choice("initial.setup", setup_choices)(p, result.domain, result.gamma);
  return result;
}

/// Two states of the cells; the graph of a step and what it keeps of each sub-grid, measured. Adaptive runs have an
/// eighth of room, and make trees, whose nodes are in sets. Gravity has fields, mass fluxes, masses, potentials and
/// work, and cubes with their expansions and lists.
double memory_of(const AmrParameters& parameters, double leaves) {
  double cells = 1.0;
  for (std::size_t axis = 0; axis < 3; ++axis) cells *= static_cast<double>(parameters.domain.cells_of_block(axis));
  const double states = parameters.halvings > 0 ? 3.0 : 2.0;
  const double state = states * kernels::variables * sizeof(double) * cells;
  const double gravity =
      parameters.gravity ? (gravity_variables + 3.0 * 1.125 + 3.0) * sizeof(double) * cells + 12000.0 : 0.0;
  return leaves * (gravity + (parameters.is_adaptive ? 1.125 * state + 4000.0 : state + 1200.0));
}

double memory_of_copies(const AmrParameters& parameters, double leaves, std::size_t ranks) {
  if (ranks == 1) return 0.0;
  const Domain& domain = parameters.domain;
  const double mine = leaves / static_cast<double>(ranks);
  const auto dimensions = static_cast<double>(domain.dimensions);
  const double side = std::pow(mine, 1.0 / dimensions);
  // Leaves of one level see others through faces, those at borders of levels all that touch them.
  const bool has_levels = parameters.is_adaptive || domain.finest() > domain.level;
  const double around = has_levels ? std::pow(side + 2.0, dimensions) - mine : 2.0 * dimensions * mine / side;
  double cells = 1.0;
  for (std::size_t axis = 0; axis < 3; ++axis) cells *= static_cast<double>(domain.cells_of_block(axis));
  const double copies = std::min(around, leaves - mine);
  const double masses = parameters.gravity ? leaves * (sizeof(double) * cells + 12000.0) : 0.0;  // of all, on each
  return static_cast<double>(ranks) * (masses + copies * kernels::variables * sizeof(double) * cells);
}

double leaves_limit(const AmrParameters& parameters, double machines) {
  constexpr double numbers = std::numeric_limits<std::uint32_t>::max();
  if (parameters.most_leaves > 0) return static_cast<double>(parameters.most_leaves);
  const auto usable = base::usable_memory();
  if (!usable) return numbers;
  return std::min(numbers, machines * static_cast<double>(*usable) / memory_of(parameters, 1.0));
}

}  // namespace tacit::amr
