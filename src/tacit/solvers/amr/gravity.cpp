// The fast multipole method on blocks of cells.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/amr/gravity.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "tacit/base/cpu_features.hpp"
#include "tacit/fmm/operators.hpp"
#include "tacit/solvers/amr/leaf_costs.hpp"
#include "tacit/tasks/parallel_for.hpp"

namespace tacit::amr {
namespace {

using fmm::kernels::pair_table;
using fmm::kernels::term_table;
using fmm::kernels::terms;
using kernels::block_cells;
using kernels::unit_cells;

/// Of the centre of a part from that of the cube, in sides of the cube.
std::array<double, 3> shift_of(std::size_t part) {
  const auto along = [&](std::size_t axis) { return (part >> axis & 1U) != 0 ? 0.25 : -0.25; };
  return {along(0), along(1), along(2)};
}

/// Of all parts; made once.
template <int p>
const std::array<std::array<double, terms(p)>, siblings>& shift_monomials() {
  static const auto all = [] {
    std::array<std::array<double, terms(p)>, siblings> of{};
    for (std::size_t part = 0; part < siblings; ++part) of[part] = monomials_of<p>(shift_of(part));
    return of;
  }();
  return all;
}

/// The place in an order by blocks, of a cell in one that is x fastest in the whole unit.
std::size_t place_by_blocks(std::size_t x, std::size_t y, std::size_t z) {
  const std::size_t block = x / 4 + 2 * (y / 4) + 4 * (z / 4);
  return block * block_cells + (z % 4 * 4 + y % 4) * 4 + x % 4;
}

}  // namespace

Gravity::Gravity(const Domain& domain, const GravityOptions& options, const mesh::Octree& tree,
                 const engine::Resources& resources)
    : domain_(domain),
      options_(options),
      tree_(tree),
      resources_(resources),
      loops_(base::with_instruction_set(base::chosen_instruction_set(),
                                        []<class Isa>(Isa) { return kernels::gravity_loops_of<Isa>(); })),
      cells_(domain.block * domain.block * domain.block),
      tables_(options.order, options.angle),
      torque_(domain, tree, resources) {}

void Gravity::rebuild(const mesh::LeafRange& own, const mesh::LeafDivision& division) {
  own_ = own;
  cubes_.emplace(domain_, tree_, own, options_.angle);
  std::size_t most = 0;
  for (std::size_t rank = 0; rank < division.ranks(); ++rank)
    most = std::max(most, division.of(comm::RankId{static_cast<std::uint32_t>(rank)}).size());
  const std::size_t each = most * cells_;
  places_.resize(cubes_->units().size());
  for (std::size_t unit = 0; unit < places_.size(); ++unit) {
    const std::size_t leaf = unit / cubes_->units_of_leaf();
    const comm::RankId owner = division.owner(leaf);
    places_[unit] = number(owner) * each + (unit - division.of(owner).begin * cubes_->units_of_leaf()) * unit_cells;
  }
  masses_.resize(division.ranks() * each);
  gather_.reset();
  mine_.clear();
  if (division.ranks() > 1) {
    mine_.resize(each);
    gather_.emplace(resources_.ranks, std::span<const double>(mine_), std::span<double>(masses_));
  }
  const std::size_t each_group = siblings * terms(options_.order);
  M_.resize(cubes_->groups().size() * each_group);
  L_.resize(cubes_->groups().size() * each_group);
  fields_.assign(own.size() * gravity_variables * cells_, 0.0);
}

std::size_t Gravity::bytes_held() const noexcept {
  const auto bytes = [](const auto& numbers) { return numbers.capacity() * sizeof(numbers[0]); };
  return tables_.bytes_held() + bytes(mine_) + bytes(masses_) + bytes(places_) + bytes(M_) + bytes(L_) + bytes(fields_);
}

/// Cubes that are no units belong to many leaves, and take little beside these.
void Gravity::solve(const std::function<const double*(std::size_t leaf)>& density, LeafCosts* costs) {
  take_masses(density);
  with_order(options_.order, [&]<int p>(std::integral_constant<int, p>) {
    const auto& depths = cubes_->depths();
    // Parts that are blocks, wherever they are; then those that others are parts of, from the smallest ones on.
    for (std::size_t depth = depths.size() - 1; depth-- > 0;) {
      tasks::parallel_for(resources_.scheduler, depths[depth], depths[depth + 1],
                          [&](std::size_t group) { find_multipoles<p>(group); });
    }
    for (std::size_t depth = 0; depth + 1 < depths.size(); ++depth) {
      tasks::parallel_for(resources_.scheduler, depths[depth], depths[depth + 1], [&](std::size_t group) {
        if (!cubes_->groups()[group].is_wanted) return;
        const std::uint32_t unit = cubes_->groups()[group].unit;
        if (unit == GravityTree::none) return expand<p>(group);
        const auto find = [&] {
          expand<p>(group);
          set_fields(unit);
        };
        if (costs == nullptr) return find();
        costs->count(unit / cubes_->units_of_leaf() - own_.begin, find);
      });
    }
  });
  if (options_.has_torque) return;
  torque_.remove(own_, moments(), density, [this](std::size_t leaf) { return field(leaf); });
}

/// Out of the multipoles of the largest cubes, which all ranks have: in units of their side, odd orders turned.
MassMoments Gravity::moments() const {
  const std::size_t each = terms(options_.order);
  const double side = 0.5 * cubes_->side();
  MassMoments all;
  for (std::size_t part = 0; part < siblings; ++part) {
    const double* const M = M_.data() + part * each;
    const auto shift = shift_of(part);
    std::array<double, 3> from{};  // the middle of the domain to the centre of the part
    std::array<double, 3> first{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      from[axis] = cubes_->side() * (0.5 + shift[axis]) - 0.5 * domain_.box[axis];
      first[axis] = -side * M[1 + axis];
      all.first[axis] += first[axis] + M[0] * from[axis];
    }
    all.mass += M[0];
    std::size_t place = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = i; j < 3; ++j, ++place) {
        const double here = side * side * (i == j ? 2.0 : 1.0) * M[4 + place];  // M_n is over n!
        all.second[place] += here + first[i] * from[j] + first[j] * from[i] + M[0] * from[i] * from[j];
      }
    }
  }
  return all;
}

/// Unit by unit, in the order of blocks.
void Gravity::take_masses(const std::function<const double*(std::size_t leaf)>& density) {
  base::PackVector<double>& to = gather_ ? mine_ : masses_;
  const std::size_t along = domain_.block / 8;
  const std::size_t block = domain_.block;
  tasks::parallel_for(resources_.scheduler, own_.begin, own_.end, [&](std::size_t leaf) {
    const double* const rho = density(leaf);
    const double volume = domain_.volume(tree_.leaf(leaf).level);
    double* unit = to.data() + (leaf - own_.begin) * cells_;
    for (std::size_t part = 0; part < along * along * along; ++part, unit += unit_cells) {
      const std::size_t x0 = part % along * 8;
      const std::size_t y0 = part / along % along * 8;
      const std::size_t z0 = part / (along * along) * 8;
      for (std::size_t z = 0; z < 8; ++z) {
        for (std::size_t y = 0; y < 8; ++y) {
          const double* const row = rho + ((z0 + z) * block + y0 + y) * block + x0;
          for (std::size_t x = 0; x < 8; ++x) unit[place_by_blocks(x, y, z)] = volume * row[x];
        }
      }
    }
  });
  if (gather_) gather_->run();
}

/// P2M, or M2M, of the parts of a cube. With odd orders turned, offsets are so, too.
template <int p>
void Gravity::find_multipoles(std::size_t number) {
  const GravityTree::Group& group = cubes_->groups()[number];
  double* M = M_.data() + number * siblings * terms(p);
  std::fill_n(M, siblings * terms(p), 0.0);
  for (std::size_t part = 0; part < siblings; ++part, M += terms(p)) {
    if (group.unit != GravityTree::none) {
      const double* const m = masses_of(group.unit) + part * block_cells;
      for (std::size_t n = 0; n < terms(p); ++n) {
        const double* const of = tables_.monomials() + n * block_cells;
        double sums[4] = {};
        for (std::size_t cell = 0; cell < block_cells; cell += 4) {
          for (std::size_t k = 0; k < 4; ++k) sums[k] += m[cell + k] * of[cell + k];
        }
        const double sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
        M[n] = term_table<p>.order[n] % 2 == 0 ? sum : -sum;
      }
    } else if (group.children[part] != GravityTree::none) {
      const double* from = M_.data() + std::size_t{group.children[part]} * siblings * terms(p);
      for (std::size_t k = 0; k < siblings; ++k, from += terms(p)) {
        const auto& shift = shift_monomials<p>()[siblings - 1 - k];  // turned
        double scaled[terms(p)];
        for (std::size_t n = 0; n < terms(p); ++n) scaled[n] = std::ldexp(from[n], -term_table<p>.order[n]);
        for (const auto& [n, m, sum] : pair_table<p>.pairs) M[sum] += scaled[n] * shift[m];
      }
    }
  }
}

/// L2L of the cube to its parts, and M2L of all that acts on these by expansions but not on the cube.
template <int p>
void Gravity::expand(std::size_t number) {
  const GravityTree::Group& group = cubes_->groups()[number];
  double* const L = L_.data() + number * siblings * terms(p);
  std::fill_n(L, siblings * terms(p), 0.0);
  if (group.parent != GravityTree::none) {
    const double* const from = L_.data() + std::size_t{group.parent} * siblings * terms(p) + group.lane;
    for (std::size_t part = 0; part < siblings; ++part) {
      const auto& shift = shift_monomials<p>()[part];
      double to[terms(p)] = {};
      for (const auto& [n, m, sum] : pair_table<p>.pairs) to[n] += from[sum * siblings] * shift[m];
      for (std::size_t n = 0; n < terms(p); ++n)
        L[n * siblings + part] = std::ldexp(to[n], -(term_table<p>.order[n] + 1));
    }
  }
  const auto& near = cubes_->near();
  for (const auto* other = near.begin_of(number); other != near.end_of(number); ++other) {
    const double* const M = M_.data() + std::size_t{other->group} * siblings * terms(p);
    for (std::size_t source = 0; source < siblings; ++source) {
      const std::size_t place = other->offset * siblings + source;
      if (!tables_.far_is_any(place) || !cubes_->groups()[other->group].has(source)) continue;
      loops_.add_siblings[p]({M + source * terms(p), tables_.far() + place * terms(p) * siblings, L});
    }
  }
  add_pairs<p>(number);
}

/// M2L between cubes of different sizes.
template <int p>
void Gravity::add_pairs(std::size_t number) {
  const auto& pairs = cubes_->expanded();
  double* const L = L_.data() + number * siblings * terms(p);
  for (const auto* pair = pairs.begin_of(number); pair != pairs.end_of(number); ++pair) {
    const GravityTree::Group& sink = cubes_->groups()[number];
    const GravityTree::Group& source = cubes_->groups()[pair->source];
    const double side = std::ldexp(1.0, -static_cast<int>(sink.depth + 1));
    const int larger = static_cast<int>(sink.depth) - static_cast<int>(source.depth);  // the source, in powers of two
    const auto x = sink.centre(pair->sink_lane);
    const auto y = source.centre(pair->source_lane);
    const double* const from = M_.data() + (std::size_t{pair->source} * siblings + pair->source_lane) * terms(p);
    double M[terms(p)];
    double to[terms(p)] = {};
    for (std::size_t n = 0; n < terms(p); ++n) {
      const int order = term_table<p>.order[n];
      M[n] = std::ldexp(order % 2 == 0 ? from[n] : -from[n], larger * order);
    }
    fmm::Operators<p>::m2l(fmm::ConstTerms<p>(M, terms(p)),
                           {(x[0] - y[0]) / side, (x[1] - y[1]) / side, (x[2] - y[2]) / side}, 0.0,
                           fmm::Terms<p>(to, terms(p)));
    for (std::size_t n = 0; n < terms(p); ++n) L[n * siblings + pair->sink_lane] += to[n];
  }
}

/// Cells of the spacing of a unit within reach of it.
void Gravity::fill_region(std::uint32_t unit, double* region) const {
  const int reach = cubes_->reach();
  const int pad = 4 * reach;
  const int wide = 8 + 2 * pad;
  std::fill_n(region, wide * wide * wide, 0.0);
  const std::size_t number = cubes_->units()[unit];
  const auto& near = cubes_->near();
  for (const auto* other = near.begin_of(number); other != near.end_of(number); ++other) {
    const GravityTree::Group& group = cubes_->groups()[other->group];
    if (group.unit == GravityTree::none) continue;
    const double* const m = masses_of(group.unit);
    const auto& offset = cubes_->offsets()[other->offset];
    for (int block = 0; block < static_cast<int>(siblings); ++block) {
      const int x = 8 * offset[0] + block % 2 * 4 + pad;
      const int y = 8 * offset[1] + block / 2 % 2 * 4 + pad;
      const int z = 8 * offset[2] + block / 4 * 4 + pad;
      const auto is_outside = [&](int at) { return at < 0 || at >= wide; };
      if (is_outside(x) || is_outside(y) || is_outside(z)) continue;
      const double* from = m + static_cast<std::size_t>(block) * block_cells;
      for (int row = 0; row < 16; ++row, from += 4)
        std::copy_n(from, 4, region + ((z + row / 4) * wide + y + row % 4) * wide + x);
    }
  }
}

/// Of blocks of other sizes that are near one, cell by cell.
void Gravity::add_other_sizes(std::size_t number, kernels::UnitSums sums) const {
  const auto& pairs = cubes_->summed();
  const GravityTree::Group& sink = cubes_->groups()[number];
  const double spacing = std::ldexp(0.25, -static_cast<int>(sink.depth + 1));
  for (const auto* pair = pairs.begin_of(number); pair != pairs.end_of(number); ++pair) {
    const GravityTree::Group& source = cubes_->groups()[pair->source];
    const double ratio = std::ldexp(1.0, static_cast<int>(sink.depth) - static_cast<int>(source.depth));
    const auto x = sink.centre(pair->sink_lane);
    const auto y = source.centre(pair->source_lane);
    // From centres to the first cells.
    const auto apart = [&](std::size_t axis) { return (y[axis] - x[axis]) / spacing + 1.5 * (1.0 - ratio); };
    const std::size_t first = pair->sink_lane * block_cells;
    loops_.add_pair({.masses = masses_of(source.unit) + pair->source_lane * block_cells,
                     .x = apart(0),
                     .y = apart(1),
                     .z = apart(2),
                     .spacing = ratio,
                     .sums = {sums.psi + first, sums.ax + first, sums.ay + first, sums.az + first}});
  }
}

void Gravity::set_fields(std::uint32_t unit) {
  constexpr std::size_t widest = 8 + 8 * kernels::most_reach;
  constexpr std::size_t margin = 8;  // that packs read beyond, without effect
  alignas(64) double region[widest * widest * widest + 2 * margin];
  alignas(64) double near[gravity_variables][unit_cells];
  alignas(64) double far[gravity_variables][unit_cells];
  const auto sums_of = [](double(&of)[gravity_variables][unit_cells], std::size_t first) {
    return kernels::UnitSums{of[0] + first, of[1] + first, of[2] + first, of[3] + first};
  };
  std::fill_n(region, margin, 0.0);
  const auto wide = static_cast<std::size_t>(8 + 8 * cubes_->reach());
  std::fill_n(region + margin + wide * wide * wide, margin, 0.0);
  fill_region(unit, region + margin);
  loops_.add_near({.reach = cubes_->reach(),
                   .masses = region + margin,
                   .table = tables_.near(),
                   .along_x = tables_.along_x(),
                   .sums = sums_of(near, 0)});
  const std::size_t number = cubes_->units()[unit];
  const std::size_t count = terms(options_.order);
  for (std::size_t block = 0; block < siblings; ++block) {
    loops_.at_cells[options_.order]({.L = L_.data() + number * siblings * count + block,
                                     .monomials = tables_.monomials(),
                                     .sums = sums_of(far, block * block_cells)});
  }
  // In units of the spacing, a quarter of the side of a block.
  for (std::size_t k = 0; k < gravity_variables; ++k) {
    for (double& value : far[k]) value *= k == 0 ? 0.25 : 0.0625;
  }
  add_other_sizes(number, sums_of(far, 0));
  store(unit, near, far);
}

/// Sums in units of the spacing, x fastest in the unit, and others by blocks.
void Gravity::store(std::uint32_t unit, const UnitArrays& near, const UnitArrays& by_blocks) {
  const std::size_t leaf = unit / cubes_->units_of_leaf();
  const std::size_t part = unit % cubes_->units_of_leaf();
  const std::size_t block = domain_.block;
  const std::size_t along = block / 8;
  const std::size_t first =
      ((part / (along * along) * 8) * block + part / along % along * 8) * block + part % along * 8;
  double* const to = fields_.data() + (leaf - own_.begin) * gravity_variables * cells_ + first;
  const double h = domain_.spacing(0, tree_.leaf(leaf).level);
  for (std::size_t k = 0; k < gravity_variables; ++k) {
    const double unit_of = k == 0 ? -options_.constant / h : options_.constant / (h * h);
    for (std::size_t z = 0; z < 8; ++z) {
      for (std::size_t y = 0; y < 8; ++y) {
        for (std::size_t x = 0; x < 8; ++x) {
          to[k * cells_ + (z * block + y) * block + x] =
              unit_of * (near[k][(z * 8 + y) * 8 + x] + by_blocks[k][place_by_blocks(x, y, z)]);
        }
      }
    }
  }
}

}  // namespace tacit::amr
