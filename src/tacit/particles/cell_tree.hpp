// Particles sorted into the cells of a grid that is finer where they crowd, and the cells that each of them may see.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tacit/base/vec3.hpp"
#include "tacit/comm/communicator.hpp"
#include "tacit/particles/chunks.hpp"
#include "tacit/particles/domain.hpp"
#include "tacit/particles/forest.hpp"
#include "tacit/particles/groups.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::particles {

/// Consecutive particles in cell order.
struct Range {
  std::size_t begin = 0;
  std::size_t count = 0;
};

/// A cell that lies within reach of another, seen through one image: a periodic one, or one in the mirrors.
struct Neighbour {
  std::uint32_t cell = 0;
  Image image{};                  ///< how many domains away along each axis; see CellTree::view
  bool within_own_reach = false;  ///< false: only the other cell's reach bridges the gap
};

/// How a neighbour's particles are seen: x' = sign x + shift along each axis; velocities turn with the sign.
struct View {
  base::Vec3 sign{1.0, 1.0, 1.0};
  base::Vec3 shift;
};

/// The corners of a cell [length]; along unused axes those of the domain.
struct CellBox {
  base::Vec3 lower, upper;
};

/// What has to be saved of the cells besides their domain, to come back to the same order of particles.
struct StoredCells {
  std::array<int, 3> shape{};              ///< top-level cells along each axis
  std::uint64_t per_group = 0;             ///< as given to the constructor
  std::vector<std::uint64_t> levels;       ///< shape (leaves): how often the top-level cell was halved
  std::vector<std::uint64_t> counts;       ///< shape (cells): particles in each; of one rank alone all leaves
  std::vector<std::uint64_t> group_sizes;  ///< shape (groups): particles in each
};

/// A uniform grid of top-level cells over a domain, one cell thick along axes that the domain does not use. Where many
/// particles crowd, a top-level cell can be split into 2^dimension halves, and these again: the cells are the leaves of
/// these trees, ordered by (top-level cell, Morton order). The cells, their order and their lists depend on the data
/// alone, never on threads or ranks.
///
/// Where several ranks share the leaves, all of them know the trees, but cells are those leaves alone that the rank
/// owns
/// (`own`), and behind them those of others that lie within reach of these (`link`), whose particles it gets copies of.
/// Both are ordered by leaf, and so are the lists of neighbours, in which no number of a cell shows.
///
/// Cells may be small compared with the longest reach: a cell lists every cell (and image) that is nearer than the
/// larger of the two reaches, so a few particles with a long reach do not make the others search far. Within a cell,
/// particles that lie close together form groups: each cell is divided into as many equal sub-cells as it shall have
/// groups, as nearly cubic as possible, and the particles of one sub-cell are one group, or several if they are more
/// than Groups::most_per_group.
class CellTree {
 public:
  /// Top-level cells alone.
  /// @param domain       periodic: the box; open: a box that holds all particles
  /// @param width        wanted cell width [length], > 0; cells are at least this wide
  /// @param most_cells   upper bound of the number of these; the width grows to keep it
  /// @param per_group    wanted particles per group, > 0
  CellTree(const Domain& domain, double width, std::size_t most_cells, std::size_t per_group = 12);

  /// The cells that `stored` came from, and their particles in the order of then, wherever they have drifted since.
  /// @return nothing if the numbers do not fit each other or do not add up to `particles`
  [[nodiscard]] static std::optional<CellTree> restore(const Domain& domain, const StoredCells& stored,
                                                       std::size_t particles);
  [[nodiscard]] StoredCells stored() const;

  /// Splits top-level cells until no cell holds more than `most_per_cell` of the particles, unless halves would be
  /// narrower than half the median support of the particles in the cell, and none is much wider than the shortest of
  /// these supports (see split_levels); none is halved for the 21st time. Earlier splits are undone. The cells are
  /// without particles and lists then, to be sorted and linked.
  ///
  /// @param x, y, z  shape (N): positions [length] inside the grid
  /// @param support  shape (N): how far each particle's kernel reaches [length]; 0: it has none
  /// @param ranks    that have the particles together, and all call this; null: this one has all
  /// Cost: O(N), and O(particles in cells that are split) for each level; up to 50 ns per particle in all.
  void refine(std::span<const double> x, std::span<const double> y, std::span<const double> z,
              std::span<const double> support, std::size_t most_per_cell, comm::Communicator* ranks = nullptr,
              tasks::Scheduler* workers = nullptr);

  /// Makes these leaves the cells, in place of all. Of leaves that were cells before, particles and groups stay what
  /// they were; there are no lists then.
  /// @param leaves  ascending
  void own(std::span<const std::uint32_t> leaves);

  /// Takes the memory that `former`, which is not needed any more, keeps from one `sort` to the next: arrays of all
  /// particles that are freed and allocated again with every new grid leave gaps that nothing else fits. The groups are
  /// to be found by `sort` then.
  void take_memory(CellTree&& former) noexcept;

  [[nodiscard]] const Domain& domain() const noexcept { return forest_.domain(); }
  /// Those of this rank.
  [[nodiscard]] std::size_t cells() const noexcept { return own_; }
  /// These, and behind them those of other ranks.
  [[nodiscard]] std::size_t all_cells() const noexcept { return leaves_.size(); }
  /// Of all ranks together.
  [[nodiscard]] std::size_t leaves() const noexcept { return forest_.leaves(); }
  [[nodiscard]] std::size_t leaf(std::size_t cell) const { return leaves_[cell]; }
  /// The cell that a leaf is. @pre it is one of this rank
  [[nodiscard]] std::size_t cell_of_leaf(std::size_t leaf) const { return cell_of_leaf_[leaf]; }
  [[nodiscard]] const Forest& forest() const noexcept { return forest_; }
  /// Finds the leaf that a position lies in; not to be used once the cells have been made again.
  [[nodiscard]] Forest::Finder finder() const noexcept { return Forest::Finder(forest_); }
  /// Top-level cells along each axis, and their size [length].
  [[nodiscard]] const std::array<int, 3>& shape() const noexcept { return forest_.shape(); }
  [[nodiscard]] const base::Vec3& cell_size() const noexcept { return forest_.root_size(); }
  [[nodiscard]] CellBox box(std::size_t cell) const;
  /// The particles of a cell, as of the last `sort`; of another rank's cell, among the copies.
  [[nodiscard]] Range range(std::size_t cell) const { return ranges_[cell]; }

  /// Where the groups of a cell begin, relative to its first particle, as of the last `sort`; the last entry is the
  /// number of its particles, so a cell of n groups has n + 1 entries.
  [[nodiscard]] std::span<const std::uint32_t> groups(std::size_t cell) const { return groups_.of(cell); }
  /// Groups of all cells; they are numbered through in the order of cells.
  [[nodiscard]] std::size_t total_groups() const noexcept { return groups_.size(); }
  [[nodiscard]] std::size_t first_group(std::size_t cell) const { return groups_.first(cell); }

  /// Whether every position lies in the grid; a periodic grid holds all of [origin, origin + size).
  [[nodiscard]] bool holds(std::span<const double> x, std::span<const double> y, std::span<const double> z) const;

  /// Assigns particles to cells and groups and orders them by (cell, sub-cell, ID).
  ///
  /// Cells of other ranks have none then.
  ///
  /// @param x, y, z  shape (N): positions [length] inside cells of this rank
  /// @param id       shape (N): unique IDs
  /// @param type     shape (N): within a cell, those of type 0 come first, in groups of their own; empty: all are of it
  /// @return         shape (N): the particle that comes first, second, ... in the new order; valid until the next call
  /// Cost: O(N); 12 to 18 ns per particle if they are nearly in order, up to 90 if not. Allocates nothing when called
  /// again for no more particles.
  [[nodiscard]] std::span<const std::uint32_t> sort(std::span<const double> x, std::span<const double> y,
                                                    std::span<const double> z, std::span<const std::uint64_t> id,
                                                    tasks::Scheduler* workers = nullptr,
                                                    std::span<const std::uint8_t> type = {});

  /// Lists for each cell a the cells b, itself included, that come nearer than the larger of both reaches plus the
  /// slack of both, ordered by (cell, image):
  ///
  ///     gap(a, b) <= max(reach_a, reach_b) + slack_a + slack_b
  ///
  /// Cells are listed with those of other ranks; these have no lists themselves.
  ///
  /// @param reach  shape (leaves): how far particles of a cell may see [length]
  /// @param slack  shape (leaves): how far particles of a cell may move before the lists no longer hold [length]
  /// @return       false, and no lists, if they would be absurd: a search through more than Forest::most_images
  ///               of the domain to each side, or more than most_neighbours(cells()) entries
  /// Cost: O(entries); 30 to 40 ns for each.
  [[nodiscard]] bool link(std::span<const double> reach, std::span<const double> slack,
                          tasks::Scheduler* workers = nullptr);
  /// The same slack for all cells.
  [[nodiscard]] bool link(std::span<const double> reach, double slack, tasks::Scheduler* workers = nullptr);

  /// Tells what the cells of other ranks hold: copies that stand one cell after the other.
  /// @param counts       shape (all_cells() - cells()): particles in each
  /// @param group_sizes  of their groups, in order, 1 to Groups::most_per_group each
  /// @return             false if they do not fit each other; there are none then
  [[nodiscard]] bool set_copies(std::span<const std::uint64_t> counts, std::span<const std::uint64_t> group_sizes);

  /// Lists of more entries are refused. Kernels about as wide as their cells need 3^dimension or 5^dimension per cell.
  [[nodiscard]] static constexpr std::size_t most_neighbours(std::size_t cells) noexcept {
    return (std::size_t{1} << 24) + 256 * cells;
  }

  [[nodiscard]] std::span<const Neighbour> neighbours(std::size_t cell) const {
    return std::span(neighbours_).subspan(first_neighbour_[cell], first_neighbour_[cell + 1] - first_neighbour_[cell]);
  }
  /// Where a neighbour's particles are seen: a periodic image is moved by whole domains; an image that took an odd
  /// number of reflections is turned round besides.
  [[nodiscard]] View view(const Neighbour& neighbour) const noexcept;
  /// The narrowest side of a cell along the axes in use [length].
  [[nodiscard]] double narrowest(std::size_t cell) const { return narrowest_of_leaf(leaves_[cell]); }
  [[nodiscard]] double narrowest_of_leaf(std::size_t leaf) const;
  /// Whether the cell could be split further.
  [[nodiscard]] bool is_divisible(std::size_t cell) const;

  /// For each cell the largest of `values`, shape (leaves), over itself and all leaves that touch it, at least in a
  /// corner.
  [[nodiscard]] std::vector<double> spread_maximum(std::span<const double> values,
                                                   tasks::Scheduler* workers = nullptr) const;

  /// For each leaf the largest of `values` over particles that lie in it, or so near that they may soon be in it. Where
  /// narrow cells lie beside wide ones this is much less than spread_maximum. Only particles of this rank are looked
  /// at.
  ///
  /// @param positions  shape (N): coordinates [length] in the order of the last `sort`, as they were then
  /// @param values     shape (N), none below 0; in the same order
  /// @param travel     how far particles may go, in widths of their own cell, 0 to 1
  /// Cost: O(N * cells around each cell that have no larger value yet); up to 100 ns per particle.
  [[nodiscard]] std::vector<double> largest_nearby(const Positions& positions, std::span<const double> values,
                                                   double travel, tasks::Scheduler* workers = nullptr) const;

 private:
  /// A particle while its cell is sorted.
  struct Record {
    std::uint64_t id;
    std::uint32_t particle;
    std::uint32_t sub_cell;
  };
  /// An entry of the list of a cell: a leaf.
  struct Link {
    std::uint32_t owner;
    Neighbour neighbour;
  };
  /// What a worker needs to sort a cell; room for the fullest one.
  struct SortScratch {
    std::vector<std::uint32_t> next;      // shape (sub-cells + 1)
    std::vector<Record> records, sorted;  // shape (particles)
  };
  static constexpr std::uint32_t no_cell = ~0U;
  CellTree(Forest forest, std::size_t per_group);
  void clear();
  [[nodiscard]] const Cube& cube(std::size_t cell) const { return forest_.cube(leaves_[cell]); }
  void take_foreign(std::vector<std::uint32_t> leaves);
  [[nodiscard]] Image opposite(const Image& image) const noexcept;
  [[nodiscard]] bool find_links(std::span<const double> reach, std::span<const double> slack, const Chunks& chunks,
                                std::span<std::vector<Link>> links) const;
  void make_lists(const Chunks& chunks, std::span<const std::vector<Link>> links, tasks::Scheduler* workers);
  void number_foreign(tasks::Scheduler* workers);
  void find_cells(const Positions& positions, const Chunks& chunks);
  void order_by_cell(const Chunks& chunks);
  /// What orders the particles of a cell.
  struct SortKeys {
    std::span<const std::uint64_t> id;
    std::span<const std::uint8_t> type;
  };
  void give_room(std::size_t workers);
  void order_within_cells(const SortKeys& keys, tasks::Scheduler* workers);
  [[nodiscard]] std::uint32_t order_within(std::size_t cell, const SortKeys& keys, SortScratch& scratch);
  [[nodiscard]] std::array<std::uint32_t, 3> sub_cells(std::size_t cell) const;
  [[nodiscard]] Bounds point(double x, double y, double z) const;

  Forest forest_;
  std::size_t per_group_;
  std::vector<std::uint32_t> leaves_;        // shape (all cells): their numbers in the forest
  std::size_t own_ = 0;                      // so many of them are of this rank
  std::vector<std::uint32_t> cell_of_leaf_;  // shape (leaves): own cell, or no_cell
  std::vector<Range> ranges_;
  Groups groups_;
  std::vector<Neighbour> neighbours_;         // the lists of all cells, one after another
  std::vector<std::size_t> first_neighbour_;  // shape (cells + 1)

  // Kept from one `sort` to the next.
  std::vector<std::uint32_t> cell_of_;       // shape (N)
  std::vector<std::uint32_t> place_in_;      // shape (N): where in the cell, as three numbers of 10 bits
  std::vector<std::uint32_t> order_;         // shape (N)
  ChunkCounts<std::uint32_t> next_;          // of cells
  std::vector<std::uint32_t> group_counts_;  // shape (cells)
  std::vector<SortScratch> scratch_;         // one for each worker
};

}  // namespace tacit::particles
