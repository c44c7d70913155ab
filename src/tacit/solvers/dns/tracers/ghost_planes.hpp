// Ghost planes: those beside the planes of a rank, which splines need, along one axis of a periodic grid.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "tacit/comm/communicator.hpp"
#include "tacit/exchange/exchange.hpp"
#include "tacit/fft/pencils.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::dns {

/// How the planes of an axis are divided among ranks.
struct PlaneDivision {
  std::vector<fft::Range> ranges;  ///< planes of each rank, in the order of places; they cover the axis
  std::size_t place = 0;           ///< of this rank among them
  std::size_t size = 0;            ///< numbers of a plane, alike on all ranks
};

/// Planes of an axis by local number: `below` ghost planes, those of the rank, `above` ghost planes. Ghost planes come
/// from the ranks that own them, neighbours or not, so that a rank may have few planes or none.
class GhostPlanes {
 public:
  static constexpr std::size_t below = 1;
  static constexpr std::size_t above = 2;
  static constexpr std::size_t both = below + above;

  using Give = std::function<void(std::size_t plane, double* to)>;
  using Take = std::function<void(std::size_t plane, const double* from)>;
  /// All ranks make it, and wait for each other.
  /// @param ranks      places have their order   @param scheduler  polls their completions if there are several
  /// @param give       writes a plane of this rank to a buffer; several planes at once
  /// @param take       writes a buffer to a ghost plane; likewise
  GhostPlanes(const PlaneDivision& division, comm::Communicator& ranks, tasks::Scheduler& scheduler, Give give,
              Take take);

  /// Fills the ghost planes, one task for each to give and to take. All ranks call it.
  void fill() { scheduler_.run(graph_, activation_, {}); }
  [[nodiscard]] std::size_t bytes() const noexcept {
    return exchange_.memory_bytes() + buffer_.size() * sizeof(double);
  }

 private:
  /// A ghost plane of some rank, and the one that it is a copy of.
  struct Copy {
    std::size_t from = 0;  ///< local number at the rank that gives it
    std::size_t to = 0;    ///< local number at the rank that takes it
    std::uint32_t key = 0;
  };
  [[nodiscard]] static std::vector<Copy> copies(const fft::Range& givers, const fft::Range& takers, std::size_t points);
  void add_messages(const PlaneDivision& division, std::size_t points);
  void add_own(const PlaneDivision& division, std::size_t points);

  tasks::Scheduler& scheduler_;
  Give give_;
  Take take_;
  std::vector<double> buffer_;  // of planes that this rank gives itself
  exchange::Exchange exchange_;
  tasks::Graph graph_;
  tasks::Activation activation_;
};

}  // namespace tacit::dns
