// The task graph in which sites of one parity are computed while what other ranks need of them travels.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "tacit/exchange/exchange.hpp"
#include "tacit/exchange/reductions.hpp"
#include "tacit/solvers/qcd/division.hpp"
#include "tacit/solvers/qcd/gauge/box_sites.hpp"
#include "tacit/tasks/graph.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::qcd {

/// A matrix of each site of a box: number stride * site + offset.
struct SiteMatrices {
  Matrix3* data = nullptr;
  std::size_t stride = 1;
  std::size_t offset = 0;

  [[nodiscard]] Matrix3& at(std::uint32_t site) const noexcept { return data[site * stride + offset]; }
};

/// Computes on the sites of a rank of one parity, and brings what becomes of them into the boxes of all ranks:
///
///     rim --> halo along x --> y --> z --> t
///     interior
class LinkTasks {
 public:
  /// @param field  a field as all that will be computed with: its box. All ranks make it, one at a time
  LinkTasks(const GaugeField& field, const Division& division, tasks::Scheduler& scheduler);
  LinkTasks(const LinkTasks&) = delete;
  LinkTasks& operator=(const LinkTasks&) = delete;

  [[nodiscard]] const BoxSites& sites() const noexcept { return sites_; }
  [[nodiscard]] tasks::Scheduler& scheduler() const noexcept { return scheduler_; }

  /// Called with sites, each once, from all workers. It writes the matrix of these sites alone, and reads none that
  /// this run writes.
  using Body = std::function<void(std::span<const std::uint32_t> sites)>;
  /// All ranks call it. @param matrices  that the body writes, and that travel
  void run(Parity parity, const SiteMatrices& matrices, const Body& body);
  /// The same for both parities, where the body reads none of what it writes at all.
  void run_both(const SiteMatrices& matrices, const Body& body) {
    for (const Parity parity : {Parity::even, Parity::odd}) run(parity, matrices, body);
  }

  /// value(site), added up exactly over all own sites of all ranks for which it is called. All ranks call it.
  /// @param sums  how many numbers a site adds: value(site, std::span<double>) sets them
  using Values = std::function<void(std::uint32_t site, std::span<double> values)>;
  [[nodiscard]] std::vector<double> sums(std::size_t count, const Values& value) const;

 private:
  using Tasks = std::vector<tasks::TaskId>;
  void add_graph(Parity parity, const Division& division);

  BoxSites sites_;
  tasks::Scheduler& scheduler_;
  SiteMatrices matrices_;  // of the present run
  const Body* body_ = nullptr;
  tasks::Graph graph_;
  std::optional<exchange::Exchange> exchange_;  // of several ranks
  std::array<tasks::Activation, 2> activations_;
  mutable std::optional<exchange::RankReductions> reductions_;
};

}  // namespace tacit::qcd
