// The cells of the gas: when they are made and only sorted, what their tasks see, and the task graph over them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tacit/base/exact_sum.hpp"
#include "tacit/base/vec3.hpp"
#include "tacit/engine/solver.hpp"
#include "tacit/exchange/reductions.hpp"
#include "tacit/io/file.hpp"
#include "tacit/particles/cell_tree.hpp"
#include "tacit/solvers/sph/cell_copies.hpp"
#include "tacit/solvers/sph/cell_data.hpp"
#include "tacit/solvers/sph/gas.hpp"
#include "tacit/solvers/sph/gravity/copies.hpp"
#include "tacit/solvers/sph/gravity/field.hpp"
#include "tacit/solvers/sph/log_task.hpp"
#include "tacit/solvers/sph/ownership.hpp"
#include "tacit/solvers/sph/parameters.hpp"
#include "tacit/solvers/sph/step.hpp"
#include "tacit/solvers/sph/swept_cells.hpp"
#include "tacit/solvers/sph/time_line.hpp"

namespace tacit::sph {

/// A box that holds all particles, with `margin` to move on each side [length].
/// @param ranks  that have the particles together, and all call this; null: this one has all
[[nodiscard]] particles::Domain surroundings(const Gas& gas, int dimension, double margin, comm::Communicator* ranks);

/// Sorts the gas into cells, keeps the lists of their neighbours, and runs the tasks over them. What it is made with
/// must outlive it and stay where it is.
///
/// Several ranks have the gas together: each has the particles of some leaves of trees that all know, and copies of the
/// cells around these. Particles go to other ranks as they are sorted. What decides for all is found by all together,
/// so that cells, lists, units and all results are bitwise those of one rank. All ranks make the same calls.
class GasCells {
 public:
  /// No cells yet: rebuild() or load() makes them, once the gas is there.
  /// @param clock  of the steps; read only
  /// @param last   what the log remembers of the particles, sorted along with them; empty without a log
  GasCells(const Physics& physics, const base::Vec3& box, const StepClock& clock, Gas& gas, LastRecords& last,
           const engine::Resources& resources);
  GasCells(const GasCells&) = delete;
  GasCells& operator=(const GasCells&) = delete;

  /// Makes cells, lists and graph from nothing but the particles.
  /// @throws engine::NumericsError  where kernels reach too far for lists; base::Error if there are fewer cells than
  ///                                ranks
  void rebuild();
  /// Brings the cells up to date after all particles have drifted; makes new ones where these do not suit any more.
  /// @throws engine::NumericsError  where a position is not finite, or as rebuild()
  void sort_or_rebuild();
  /// How long this rank's particles may go on as they move now until lists do not hold any more; negative if they have
  /// gone too far already [time].
  [[nodiscard]] double time_within_slack() const;
  /// Lets the cells' particles move for a time dt.
  void move(double dt);
  /// Makes room for what particles with steps of their own need; before the first of them begins.
  void give_own_steps();
  /// Chooses units in which the vector caches' numbers are near 1, and a velocity that is near all.
  void measure_units();

  [[nodiscard]] const particles::CellTree& tree() const noexcept { return *tree_; }
  [[nodiscard]] const StepData& data() const noexcept { return *step_data_; }
  [[nodiscard]] StepGraph& graph() noexcept { return *graph_; }
  /// Of the cells of this rank.
  [[nodiscard]] std::span<CellReport> reports() noexcept { return std::span(reports_).first(tree_->cells()); }
  [[nodiscard]] std::span<const CellReport> reports() const noexcept {
    return std::span(reports_).first(tree_->cells());
  }
  [[nodiscard]] std::span<const CellData> cells() const noexcept { return cells_; }
  /// What the densities of the last run have found.
  [[nodiscard]] ReachCheck& check() noexcept { return check_; }
  /// Whether sweeps over pairs can do the present step: they handle no idle particles.
  [[nodiscard]] bool visits_pairs_once() const;
  void run(tasks::Activation& part, const tasks::StepContext& step);
  [[nodiscard]] tasks::Scheduler& workers() const noexcept { return resources_.scheduler; }
  /// Of the run's workers.
  [[nodiscard]] trace::Recorder& recorder() const noexcept { return resources_.scheduler.recorder(); }

  /// How often the cells and their lists were made, and how often particles were sorted.
  [[nodiscard]] std::uint64_t rebuilds() const noexcept { return rebuilds_; }
  [[nodiscard]] std::uint64_t sorts() const noexcept { return sorts_; }
  /// How often leaves went to other ranks though cells stayed.
  [[nodiscard]] std::uint64_t cuts() const noexcept { return cuts_; }
  /// For tests: they do at every sorting. All ranks call it.
  void cut_at_every_sort() noexcept { is_cut_at_every_sort_ = true; }
  /// For measurements: in the next step particles are sorted, and leaves go where this method says. All ranks call it.
  void cut_next(topology::Method method) noexcept { next_cut_ = method; }
  [[nodiscard]] bool is_cut_due() const noexcept { return next_cut_.has_value(); }
  /// What tasks of this rank's cells have taken so far [ticks, or ns where workers share processors]; 0 on one rank.
  [[nodiscard]] std::int64_t ticks_in_tasks() const noexcept;
  /// Particles of all ranks together.
  [[nodiscard]] std::uint64_t particles() const noexcept { return particles_; }
  [[nodiscard]] SweptCells::Sorts axis_sorts() const noexcept { return swept_ ? swept_->sorts() : SweptCells::Sorts{}; }

  /// A run that continues from a checkpoint begins without orders along axes: the run that wrote it must do so too, or
  /// sums would be taken in other orders.
  void save(io::FileWriter& file) const;
  /// Where the particles of this rank stand in arrays of all, by leaf: the same on any number of ranks.
  struct StoredOrder {
    std::uint64_t particles = 0;  ///< of all ranks
    std::vector<io::Part> mine;
  };
  [[nodiscard]] StoredOrder stored_order() const;
  /// The cells as they were. @return the rows of particles that this rank is to have, from arrays of the file
  /// @throws base::FormatError where the numbers do not fit each other
  [[nodiscard]] std::vector<io::Part> begin_load(const io::FileReader& file);
  /// The rest, once the particles are there. @throws likewise
  void load(const io::FileReader& file);

 private:
  [[nodiscard]] particles::Domain domain(double H) const;
  void count_particles();
  [[nodiscard]] double typical_support();
  [[nodiscard]] std::span<const double> support_radii();
  [[nodiscard]] bool connect(std::span<const double> reach_of_leaves, std::span<const double> slack_of_leaves);
  void make_graph();
  void share_out();
  void move_to_owners();
  void move_particles(std::span<const std::uint32_t> to, std::span<const std::uint64_t> leaving);
  struct Census {
    std::uint64_t particles = 0;
    std::uint64_t ids = 0;  ///< their sum, modulo 2^64
  };
  [[nodiscard]] Census census() const;
  [[nodiscard]] LeafCosts costs_of_cells(bool are_known) const;
  [[nodiscard]] std::vector<topology::Edge> find_edges(const Units& units) const;
  void note_costs();
  void begin_costs();
  [[nodiscard]] bool are_costs_known() const;
  void own_leaves(std::vector<std::uint32_t> owner);
  [[nodiscard]] bool recut();
  [[nodiscard]] topology::Method method_of_cut() const;
  void note_migration(std::int64_t begin);
  void migrate(std::vector<std::uint32_t> owner);
  [[nodiscard]] bool do_all(bool mine) const;
  void find_extents();
  template <std::size_t N, class F>
  [[nodiscard]] std::array<base::ExactSum, N> sums_over_particles(const F& f) const;
  void wrap_positions();
  void sort_particles();
  void apply_order(std::span<const std::uint32_t> order);
  void require_finite_positions() const;
  [[nodiscard]] bool do_suit() const;
  [[nodiscard]] std::optional<double> longest_support(std::size_t c) const;
  [[nodiscard]] bool do_suit_sweeps() const;
  void bind();
  void bind_cell(std::size_t c, double* boxes);
  [[nodiscard]] std::size_t gas_in_cell(std::size_t c) const;
  void look_at(std::size_t c);
  [[nodiscard]] std::vector<io::Part> load_tree(const io::FileReader& file);
  [[nodiscard]] std::vector<std::uint64_t> begins_of_leaves(std::span<const std::uint64_t> counts) const;
  [[nodiscard]] std::vector<std::uint32_t> own_leaf_numbers() const;

  const Physics& physics_;
  const base::Vec3 box_;
  const StepClock& clock_;
  Gas& gas_;
  LastRecords& last_records_;
  engine::Resources resources_;
  mutable exchange::RankReductions reductions_{resources_.ranks};
  kernels::vector::PairLoops loops_;

  std::optional<particles::CellTree> tree_;
  std::vector<std::uint32_t> owner_;  // shape (leaves): ranks
  std::uint64_t particles_ = 0;       // of all ranks
  std::uint64_t gas_particles_ = 0;   // likewise; those of gas
  std::vector<double> reach_;         // shape (cells) [length]
  std::vector<double> extent_;        // shape (cells) [length]
  std::vector<double> slack_;     // shape (cells): how far particles may move before they must be sorted again [length]
  std::vector<double> moved_;     // shape (cells): bound of how far they have moved since [length]
  std::size_t largest_cell_ = 0;  // so many particles in one cell that cells must be made again
  CacheUnits cache_units_;
  std::vector<CellData> cells_;
  std::vector<CellReport> reports_;
  std::vector<CellCost> costs_;                         // shape (cells of this rank); empty on one rank
  std::optional<std::vector<float>> cost_of_particle_;  // shape (N): while cells are made again [ticks]
  std::int64_t costs_since_ = 0;                        // ticks of the time line at which counting began
  std::int64_t ticks_before_ = 0;                       // that tasks had taken until then
  CostClock cost_clock_;
  std::uint64_t lost_ = 0;                       // since leaves migrated, by workers of the most loaded rank [ticks]
  std::uint64_t cost_of_migration_ = 0;          // the last one, of all workers of a rank [ticks]
  std::vector<CellBounds> bounds_;               // shape (cells)
  std::vector<double> boxes_;                    // GroupBoxes of the cells, one after the other
  std::vector<double> group_h_;                  // shape (groups) [length]
  std::vector<std::uint8_t> limits_;             // shape (N)
  std::vector<double> spare_;                    // shape (N)
  std::vector<Scratch> scratch_;                 // one per worker
  mutable std::optional<SweptCells> swept_;      // where pairs are visited once; mutable for save()
  std::optional<CellCopies> copies_;             // where there are several ranks
  std::unique_ptr<GravityField> gravity_;        // of the particles' own, where they have it
  std::optional<GravityCopies> gravity_copies_;  // where there are several ranks besides
  ReachCheck check_{resources_.ranks};
  std::unique_ptr<StepData> step_data_;  // the tasks hold references to it
  std::optional<StepGraph> graph_;
  std::uint64_t rebuilds_ = 0;
  std::uint64_t sorts_ = 0;
  std::uint64_t cuts_ = 0;
  bool is_cut_at_every_sort_ = false;
  std::optional<topology::Method> next_cut_;
};

}  // namespace tacit::sph
