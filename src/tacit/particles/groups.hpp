// The particles of each cell cut into small groups that lie close together.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tacit::particles {

/// For each cell, where its groups begin; all groups of all cells are numbered through.
///
/// Filled in order: open_cell() begins a cell, add_run() adds consecutive particles to it. Or by several threads: the
/// numbers of groups first, then where they end. Refilling allocates nothing once it has room.
class Groups {
 public:
  static constexpr std::uint32_t most_per_group = 32;

  /// `cells` cells without particles.
  explicit Groups(std::size_t cells);

  /// Groups as their sizes were saved.
  /// @param sizes   1 to most_per_group particles each, in order
  /// @param counts  shape (cells): particles per cell
  /// @return nothing if the sizes of a cell's groups do not add up to its count
  [[nodiscard]] static std::optional<Groups> restore(std::span<const std::uint64_t> sizes,
                                                     std::span<const std::uint64_t> counts);

  /// `cells` cells without particles, in the memory that is there.
  void empty_cells(std::size_t cells);
  /// Keeps the first cells alone.
  void keep(std::size_t cells);
  /// Adds cells behind the others, with groups as restore() takes them. @return false where these do not fit; some of
  /// the cells may be there then
  [[nodiscard]] bool append(std::span<const std::uint64_t> sizes, std::span<const std::uint64_t> counts);
  /// Forgets all cells and makes room.
  void restart(std::size_t cells, std::size_t particles);
  /// Forgets all cells; those that there are now have so many groups each, whose ends set_cell() then tells.
  /// @param counts     shape (cells)
  /// @param particles  in all: what to make room for, so that no later call needs more
  void restart(std::span<const std::uint32_t> counts, std::size_t particles);
  /// Where the groups of a cell end, relative to its first particle. Threads may set different cells at once.
  void set_cell(std::size_t cell, std::span<const std::uint32_t> ends);
  void open_cell();
  /// Adds `count` particles of one place to the open cell, as cut_run() cuts them.
  void add_run(std::uint32_t count);
  /// Calls visit(end) for each group of `count` particles of one place that begin at `begin`: one, or even ones if they
  /// are too many for one.
  template <class Visit>
  static void cut_run(std::uint32_t begin, std::uint32_t count, const Visit& visit) {
    const std::uint64_t runs = (std::uint64_t{count} + most_per_group - 1) / most_per_group;
    for (std::uint64_t r = 1; r <= runs; ++r) visit(begin + static_cast<std::uint32_t>(count * r / runs));
  }

  [[nodiscard]] std::size_t size() const noexcept { return begins_.size() - first_.size(); }
  [[nodiscard]] std::size_t first(std::size_t cell) const { return first_[cell]; }
  /// Begin offsets of a cell's groups relative to its first particle, and its number of particles as the last entry.
  [[nodiscard]] std::span<const std::uint32_t> of(std::size_t cell) const;
  /// Particles in each group, all cells.
  [[nodiscard]] std::vector<std::uint64_t> sizes() const;

 private:
  std::vector<std::size_t> first_;     // shape (cells): number of the cell's first group
  std::vector<std::uint32_t> begins_;  // the lists of all cells, one after another
};

}  // namespace tacit::particles
