// Copies of other ranks' cells beside those of this one: their particles, and the messages that keep them up to date.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "tacit/comm/communicator.hpp"
#include "tacit/exchange/exchange.hpp"
#include "tacit/particles/cell_tree.hpp"
#include "tacit/solvers/sph/gas.hpp"
#include "tacit/solvers/sph/pair_tasks.hpp"
#include "tacit/solvers/sph/parameters.hpp"

namespace tacit::sph {

/// Which cells travel between this rank and others, and how. A cell that others list travels to them whole; lists are
/// symmetric, so that both ends know which, without a word.
class CellCopies {
 public:
  CellCopies(const Physics& physics, comm::Communicator& ranks);

  /// Forgets the messages. @pre the graph that has them is gone, and no run of it failed
  void clear();
  /// Finds which cells travel.
  /// @param tree   linked; so that it has cells of other ranks
  /// @param owner  shape (leaves): ranks
  void find(const particles::CellTree& tree, std::span<const std::uint32_t> owner);
  /// Gets all that tasks see of others' cells, after particles were sorted. All ranks call it.
  /// @param tree  is told what the cells of other ranks hold
  /// @throws base::Error if what has come makes no sense
  void fetch(particles::CellTree& tree, const Gas& own);
  /// The particles of these cells: only the fields that neighbours look at are there.
  [[nodiscard]] Gas& gas() noexcept { return gas_; }
  /// Fixes how long messages may become from here on, by what the cells hold now: on both ends alike.
  /// @param own  of this rank's cells, of which gas alone travels
  void give_room(const particles::CellTree& tree, const Gas& own);
  /// Whether a cell that travels, as it is now, fits into its messages.
  [[nodiscard]] bool have_room(const particles::CellTree& tree, const Gas& own) const;

  // Phases of a step, each added to the graph behind the tasks that write what travels and before those that read it.
  enum class Phase : std::uint8_t {
    motion,     ///< places and predicted state
    hydro,      ///< results of densities
    gradients,  ///< results of gradients
    bins,       ///< reports on the steps of cells, behind kicks or where particles were woken
    quick,      ///< places, h and bins of cells whose particles have new steps that are too short for others
  };
  void add_motion(tasks::Graph& graph, const StepData& data);
  void add_hydro(tasks::Graph& graph, const StepData& data);
  void add_gradients(tasks::Graph& graph, const StepData& data);
  void add_bins(tasks::Graph& graph, const StepData& data);
  void add_quick(tasks::Graph& graph, const StepData& data);
  /// A phase of others, with the same ranks.
  exchange::PhaseTasks add(tasks::Graph& graph, const char* name, exchange::Messages messages, double transfer) {
    return exchange_.add(graph, name, std::move(messages), transfer);
  }
  /// After the last of them. All ranks call it. @see exchange::Exchange::connect
  void connect() { exchange_.connect(); }
  /// All tasks of a phase.
  [[nodiscard]] std::vector<tasks::TaskId> all(Phase phase) const { return tasks_of(phase).all(); }

  // Which cells travel in runs from here on. Both ends find it from what they have been told of each other's steps, so
  // that no message says that there is nothing to say.

  /// All of them.
  void choose_all();
  /// Those that other ranks' active particles may see.
  void choose_seen(const StepData& data);
  /// Those with new steps that are too short for neighbours. @return whether any comes or goes
  bool choose_quick(const StepData& data);
  [[nodiscard]] bool is_chosen(std::size_t cell) const { return is_chosen_[cell] != 0; }
  /// Appends the tasks of a phase that run where these cells travel.
  void append_chosen(Phase phase, std::vector<tasks::TaskId>& to) const;
  /// Whether a cell has a copy on another rank.
  [[nodiscard]] bool has_copy(std::size_t cell) const { return has_copy_[cell] != 0; }

  /// Particles that the messages of a cell have room for, which holds so many when they are made.
  [[nodiscard]] static constexpr std::size_t room_for(std::size_t particles) noexcept {
    return particles + particles / 2 + 32;
  }
  /// What is sent of a particle in a step that all end, by phase [byte].
  [[nodiscard]] static std::vector<std::size_t> phase_bytes(Scheme scheme);
  /// Of a cell's report on its steps [byte].
  static constexpr std::size_t report_bytes = 4;
  /// What is sent of a particle in a step that all end [byte].
  [[nodiscard]] std::size_t bytes_of_particle() const;
  /// Of which this rank has copies.
  [[nodiscard]] std::size_t particles() const noexcept { return gas_.size(); }
  /// That has the messages of all phases.
  [[nodiscard]] const exchange::Exchange& exchange() const noexcept { return exchange_; }

 private:
  /// A cell of this rank that another has a copy of, or a copy that it has of another's.
  struct Travelling {
    std::uint32_t peer = 0;
    std::uint32_t cell = 0;
    std::uint32_t leaf = 0;
    std::uint64_t room = 0;  ///< particles, at most
    friend bool operator==(const Travelling&, const Travelling&) = default;
  };
  template <class Access, class ViewOf>
  exchange::PhaseTasks add_phase(tasks::Graph& graph, const StepData& data, const char* name, const Access& access_of,
                                 std::size_t bytes_of_particle, const ViewOf& view_of,
                                 const std::function<void(tasks::StepContext&, std::size_t)>& after);
  [[nodiscard]] const exchange::PhaseTasks& tasks_of(Phase phase) const {
    return tasks_[static_cast<std::size_t>(phase)];
  }
  [[nodiscard]] exchange::PhaseTasks& tasks_of(Phase phase) { return tasks_[static_cast<std::size_t>(phase)]; }
  void fetch_shapes(particles::CellTree& tree, const Gas& own);
  void choose_none();
  void choose_to_send(std::size_t cell, std::uint32_t peer);

  const Physics& physics_;
  comm::Communicator& ranks_;
  exchange::Exchange exchange_;
  std::vector<Travelling> sent_, received_;  // by (peer, leaf)
  std::vector<std::uint32_t> peer_of_;       // shape (all cells): owner of a copy
  std::vector<std::uint8_t> has_copy_;       // shape (cells)
  std::array<exchange::PhaseTasks, 5> tasks_;
  // What is chosen: of `sent_`, of cells to any rank, and which ranks anything goes to or comes from.
  std::vector<std::uint8_t> is_sent_, is_chosen_, goes_to_, comes_from_;
  std::vector<std::uint32_t> first_sent_;  // shape (cells + 1): into by_cell_
  std::vector<std::uint32_t> by_cell_;     // places in sent_, by cell
  Gas gas_;
};

}  // namespace tacit::sph
