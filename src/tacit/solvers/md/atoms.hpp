// The atoms of a rank, sorted by cell, with copies of those of other ranks and beyond periodic faces behind them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacit/base/pack_memory.hpp"
#include "tacit/base/record.hpp"
#include "tacit/base/vec3.hpp"
#include "tacit/exchange/migration.hpp"
#include "tacit/particles/share.hpp"
#include "tacit/solvers/md/box.hpp"
#include "tacit/solvers/md/cells.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::md {

/// One array per component.
using Vectors = std::array<base::PackVector<double>, 3>;

/// What a run begins with, or goes on from: atoms in any order.
struct Configuration {
  Box box;
  std::vector<std::uint64_t> id = {};
  std::vector<std::uint32_t> type = {};
  std::vector<base::Vec3> x = {};
  std::vector<base::Vec3> v = {};      ///< empty: none are given
  std::vector<base::Vec3> f = {};      ///< of a checkpoint
  std::vector<base::Vec3> start = {};  ///< of a checkpoint: positions for which the neighbour lists were made
  std::vector<ImageCount> image = {};  ///< empty: all 0
  bool has_groups = false;
  std::vector<std::uint32_t> group = {};  ///< masks of groups; empty where there are none
  [[nodiscard]] std::size_t size() const noexcept { return x.size(); }
};

using particles::Share;

/// Forgets all atoms but those of the share.
void keep_share(Configuration& atoms, const Share& share);

/// An atom on its way to another rank.
struct MovingAtom {
  std::uint64_t id = 0;
  std::uint32_t type = 0;
  std::uint32_t group = 0;
  ImageCount image{};
  base::Vec3 x;
  base::Vec3 v;
  static constexpr auto record() noexcept {
    return base::record("atom", base::member("id", &MovingAtom::id), base::member("type", &MovingAtom::type),
                        base::member("group", &MovingAtom::group), base::member("image", &MovingAtom::image),
                        base::member("x", &MovingAtom::x), base::member("v", &MovingAtom::v));
  }
};

/// What another rank is told of an atom whenever lists are made: its ID and its type.
using Label = std::array<std::uint64_t, 2>;

/// Atoms, ordered by (cell, ID): so sums over neighbours run in an order that follows from the atoms alone.
///
/// Behind those of the rank come the atoms of other ranks that it sees, in the cells of these, and then the copies of
/// both in ghost cells.
class Atoms {
 public:
  explicit Atoms(const Configuration& from);

  /// Atoms of the rank.
  [[nodiscard]] std::size_t count() const noexcept { return id.size(); }
  /// With those of other ranks that it sees.
  [[nodiscard]] std::size_t seen() const noexcept { return count() + others_.size(); }
  [[nodiscard]] base::Vec3 position(std::size_t i) const {
    return {records[4 * i], records[4 * i + 1], records[4 * i + 2]};
  }
  [[nodiscard]] base::Vec3 velocity(std::size_t i) const { return {v[0][i], v[1][i], v[2][i]}; }
  [[nodiscard]] base::Vec3 force(std::size_t i) const { return {f[0][i], f[1][i], f[2][i]}; }
  void set_position(std::size_t i, const base::Vec3& x) {
    for (std::size_t axis = 0; axis < 3; ++axis) records[4 * i + axis] = x[axis];
  }
  /// Atoms of some cells or ghost cells.
  [[nodiscard]] Range atoms_of(const Range& cells) const { return {first_[cells.begin], first_[cells.end]}; }
  [[nodiscard]] Range atoms_of(std::size_t cell) const { return {first_[cell], first_[cell + 1]}; }
  /// Of the record that is no atom's, but far from all: lists of neighbours are filled up with it.
  [[nodiscard]] std::uint32_t nowhere() const noexcept { return first_.back(); }

  /// Of an atom of this or another rank.
  [[nodiscard]] std::uint64_t id_of(std::size_t atom) const {
    return atom < count() ? id[atom] : others_[atom - count()];
  }
  /// The atom that a record is, or is a copy of, and where that is seen.
  struct Origin {
    std::uint32_t atom = 0;
    ImageCount image{};
    friend bool operator==(const Origin&, const Origin&) = default;
  };
  [[nodiscard]] Origin origin_of(std::uint32_t record) const {
    return record < seen() ? Origin{record, {}} : origins_[record - seen()];
  }

  /// Moves atoms that have left the box to their images inside.
  void wrap(const Box& box, tasks::Scheduler& workers);
  /// Sends the atoms whose cells are other ranks' to these. All ranks call it.
  void migrate(const Box& box, const CellGrid& grid, std::uint32_t rank, exchange::Migration<MovingAtom>& migration);
  /// Sorts by (cell, ID). Allocates nothing where there is room from before.
  void sort(const Box& box, const CellGrid& grid, tasks::Scheduler& workers);
  /// Makes room for the atoms of others and for the copies.
  /// @param of_others  shape (cells of other ranks): how many atoms each has
  void lay_out(const CellGrid& grid, std::span<const std::uint32_t> of_others, tasks::Scheduler& workers);

  // Of some cells, one after the other: what other ranks are told, and what they tell. @return atoms that it is
  std::size_t pack_labels(std::span<const std::uint32_t> cells, std::span<Label> to) const;
  std::size_t pack_positions(std::span<const std::uint32_t> cells, std::span<base::Vec3> to) const;
  void take_labels(std::span<const std::uint32_t> cells, std::span<const Label> from);
  void take_positions(std::span<const std::uint32_t> cells, std::span<const base::Vec3> from);
  [[nodiscard]] std::size_t count_of(std::span<const std::uint32_t> cells) const;

  /// Copies positions into the ghost cells of a brick.
  void copy_to_ghosts(const Box& box, const CellGrid& grid, std::size_t brick);
  /// The numbers of the atoms by rising ID, for files.
  [[nodiscard]] std::vector<std::uint32_t> by_id() const;

  /// Shape (all + 1, 4): x, y, z and type; those of others and the copies behind the atoms, and a place far from all of
  /// them. Records, so that a neighbour is one load.
  base::PackVector<double> records;
  Vectors v;
  Vectors f;
  Vectors start;  ///< positions for which the neighbour lists were made
  std::vector<std::uint64_t> id;
  std::vector<std::uint32_t> type;
  std::vector<ImageCount> image;
  bool has_groups = false;
  std::vector<std::uint32_t> group;  ///< masks of groups; empty where there are none

 private:
  void reorder(tasks::Scheduler& workers);
  void resize(std::size_t count);
  std::vector<std::uint32_t> first_;   // shape (all cells + 1): atoms of each
  std::vector<std::uint64_t> others_;  // IDs of the atoms of other ranks
  std::vector<Origin> origins_;        // of the copies
  // Scratch of `sort`.
  std::vector<std::uint32_t> cell_of_, order_, next_;
  base::PackVector<double> numbers_;
  std::vector<std::uint64_t> ids_;
  std::vector<std::uint32_t> types_;
  std::vector<ImageCount> images_;
};

}  // namespace tacit::md
