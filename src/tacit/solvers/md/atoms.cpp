// Sorts atoms into cells, and copies them to where they are seen: on other ranks, and through periodic faces.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/atoms.hpp"

#include <algorithm>
#include <numeric>

#include "tacit/base/error.hpp"
#include "tacit/tasks/parallel_for.hpp"

namespace tacit::md {
namespace {

/// Far from all atoms, yet its square is a number.
constexpr double far_away = 1e100;

void set_vectors(Vectors& to, std::span<const base::Vec3> from, std::size_t count) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    to[axis].assign(count, 0.0);
    for (std::size_t i = 0; i < from.size(); ++i) to[axis][i] = from[i][axis];
  }
}

}  // namespace

void keep_share(Configuration& atoms, const Share& share) {
  const particles::Rows rows = share.of(atoms.size());
  const auto first = static_cast<std::ptrdiff_t>(rows.first);
  const auto end = static_cast<std::ptrdiff_t>(rows.end);
  const auto cut = [&](auto& values) {
    if (!values.empty()) values = {values.begin() + first, values.begin() + end};
  };
  cut(atoms.id);
  cut(atoms.type);
  cut(atoms.v);
  cut(atoms.f);
  cut(atoms.start);
  cut(atoms.image);
  cut(atoms.group);
  cut(atoms.x);
}

Atoms::Atoms(const Configuration& from)
    : id(from.id), type(from.type), image(from.image), has_groups(from.has_groups), group(from.group) {
  const std::size_t n = from.size();
  TACIT_EXPECT(id.size() == n && type.size() == n);
  image.resize(n);
  records.resize(4 * n);
  for (std::size_t i = 0; i < n; ++i) {
    set_position(i, from.x[i]);
    records[4 * i + 3] = static_cast<double>(type[i]);
  }
  set_vectors(v, from.v, n);
  set_vectors(f, from.f, n);
  set_vectors(start, from.start, n);
}

void Atoms::wrap(const Box& box, tasks::Scheduler& workers) {
  tasks::parallel_for(workers, 0, count(), [&](std::size_t i) {
    base::Vec3 x = position(i);
    box.wrap(x, image[i]);
    set_position(i, x);
  });
}

void Atoms::resize(std::size_t count) {
  records.resize(4 * count);
  for (Vectors* vectors : {&v, &f, &start}) {
    for (auto& component : *vectors) component.resize(count);
  }
  id.resize(count);
  type.resize(count);
  image.resize(count);
  if (has_groups) group.resize(count);
}

void Atoms::migrate(const Box& box, const CellGrid& grid, std::uint32_t rank,
                    exchange::Migration<MovingAtom>& migration) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count(); ++i) {
    const base::Vec3 x = position(i);
    const std::uint32_t owner = grid.owner_at(box.cell_fraction(x));
    if (owner != rank) {
      migration.leave(comm::RankId{owner}, id[i],
                      {.id = id[i],
                       .type = type[i],
                       .group = has_groups ? group[i] : 0,
                       .image = image[i],
                       .x = x,
                       .v = velocity(i)});
      continue;
    }
    for (std::size_t k = 0; k < 4; ++k) records[4 * kept + k] = records[4 * i + k];
    for (std::size_t axis = 0; axis < 3; ++axis) v[axis][kept] = v[axis][i];
    id[kept] = id[i];
    type[kept] = type[i];
    if (has_groups) group[kept] = group[i];
    image[kept++] = image[i];
  }
  resize(kept);
  migration.finish([this](const MovingAtom& atom) {
    for (const double value : {atom.x.x, atom.x.y, atom.x.z, static_cast<double>(atom.type)}) records.push_back(value);
    for (std::size_t axis = 0; axis < 3; ++axis) v[axis].push_back(atom.v[axis]);
    id.push_back(atom.id);
    type.push_back(atom.type);
    if (has_groups) group.push_back(atom.group);
    image.push_back(atom.image);
  });
  resize(count());
}

void Atoms::sort(const Box& box, const CellGrid& grid, tasks::Scheduler& workers) {
  const std::size_t n = count();
  cell_of_.resize(n);
  order_.resize(n);
  first_.assign(grid.all_cells() + 1, 0);
  tasks::parallel_for(workers, 0, n,
                      [&](std::size_t i) { cell_of_[i] = grid.cell_at(box.cell_fraction(position(i))); });
  for (const std::uint32_t cell : cell_of_) ++first_[cell + 1];
  for (std::size_t cell = 0; cell < grid.own_cells(); ++cell) first_[cell + 1] += first_[cell];
  next_.assign(first_.begin(), first_.end());
  for (std::uint32_t i = 0; i < n; ++i) order_[next_[cell_of_[i]]++] = i;
  tasks::parallel_for(workers, 0, grid.own_cells(), [&](std::size_t cell) {
    const Range own = atoms_of(cell);
    std::sort(order_.begin() + own.begin, order_.begin() + own.end,
              [this](std::uint32_t a, std::uint32_t b) { return id[a] < id[b]; });
  });
  reorder(workers);
}

void Atoms::lay_out(const CellGrid& grid, std::span<const std::uint32_t> of_others, tasks::Scheduler& workers) {
  TACIT_EXPECT(of_others.size() == grid.cells() - grid.own_cells());
  for (std::size_t cell = grid.own_cells(); cell < grid.all_cells(); ++cell) {
    const auto copies = [&] {
      const std::size_t source = grid.ghost(cell).source;
      return first_[source + 1] - first_[source];
    };
    first_[cell + 1] = first_[cell] + (cell < grid.cells() ? of_others[cell - grid.own_cells()] : copies());
  }
  others_.resize(first_[grid.cells()] - count());
  origins_.resize(nowhere() - seen());
  tasks::parallel_for(workers, grid.cells(), grid.all_cells(), [&](std::size_t cell) {
    const GhostCell& ghost = grid.ghost(cell);
    const Range copies = atoms_of(cell);
    for (std::uint32_t k = 0; k < copies.size(); ++k) {
      origins_[copies.begin + k - seen()] = {atoms_of(ghost.source).begin + k, ghost.image};
    }
  });
  records.resize(4 * (std::size_t{nowhere()} + 1));
  std::fill_n(records.end() - 4, 3, far_away);
  records.back() = 0.0;
}

std::size_t Atoms::count_of(std::span<const std::uint32_t> cells) const {
  std::size_t result = 0;
  for (const std::uint32_t cell : cells) result += atoms_of(cell).size();
  return result;
}

std::size_t Atoms::pack_labels(std::span<const std::uint32_t> cells, std::span<Label> to) const {
  std::size_t at = 0;
  for (const std::uint32_t cell : cells) {
    const Range own = atoms_of(cell);
    for (std::uint32_t i = own.begin; i < own.end; ++i) to[at++] = {id[i], type[i]};
  }
  return at;
}

std::size_t Atoms::pack_positions(std::span<const std::uint32_t> cells, std::span<base::Vec3> to) const {
  std::size_t at = 0;
  for (const std::uint32_t cell : cells) {
    const Range own = atoms_of(cell);
    for (std::uint32_t i = own.begin; i < own.end; ++i) to[at++] = position(i);
  }
  return at;
}

void Atoms::take_labels(std::span<const std::uint32_t> cells, std::span<const Label> from) {
  TACIT_EXPECT(from.size() == count_of(cells));
  auto label = from.begin();
  for (const std::uint32_t cell : cells) {
    const Range theirs = atoms_of(cell);
    for (std::uint32_t i = theirs.begin; i < theirs.end; ++i, ++label) {
      others_[i - count()] = (*label)[0];
      records[4 * std::size_t{i} + 3] = static_cast<double>((*label)[1]);
    }
  }
}

void Atoms::take_positions(std::span<const std::uint32_t> cells, std::span<const base::Vec3> from) {
  TACIT_EXPECT(from.size() == count_of(cells));
  auto x = from.begin();
  for (const std::uint32_t cell : cells) {
    const Range theirs = atoms_of(cell);
    for (std::uint32_t i = theirs.begin; i < theirs.end; ++i) set_position(i, *x++);
  }
}

void Atoms::reorder(tasks::Scheduler& workers) {
  const std::size_t n = count();
  const auto move = [&](auto& values, auto& scratch, std::size_t width) {
    scratch.resize(width * n);
    tasks::parallel_for(workers, 0, n, [&](std::size_t i) {
      for (std::size_t k = 0; k < width; ++k) scratch[width * i + k] = values[width * std::size_t{order_[i]} + k];
    });
    if (width == 1) {
      std::swap(values, scratch);
    } else {
      std::copy(scratch.begin(), scratch.end(), values.begin());
    }
  };
  move(records, numbers_, 4);
  for (Vectors* vectors : {&v, &f, &start}) {
    for (auto& component : *vectors) move(component, numbers_, 1);
  }
  move(id, ids_, 1);
  move(type, types_, 1);
  if (has_groups) move(group, types_, 1);
  move(image, images_, 1);
}

void Atoms::copy_to_ghosts(const Box& box, const CellGrid& grid, std::size_t brick) {
  const Range ghosts = grid.ghosts_of(brick);
  for (std::size_t cell = ghosts.begin; cell < ghosts.end; ++cell) {
    const GhostCell& ghost = grid.ghost(cell);
    const base::Vec3 shift = box.shift(ghost.image);
    const Range from = atoms_of(ghost.source);
    double* to = records.data() + 4 * std::size_t{atoms_of(cell).begin};
    for (std::size_t i = from.begin; i < from.end; ++i, to += 4) {
      const double* own = records.data() + 4 * i;
      to[0] = own[0] + shift.x;
      to[1] = own[1] + shift.y;
      to[2] = own[2] + shift.z;
      to[3] = own[3];
    }
  }
}

std::vector<std::uint32_t> Atoms::by_id() const {
  std::vector<std::uint32_t> order(count());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [this](std::uint32_t i) { return id[i]; });
  return order;
}

}  // namespace tacit::md
