// The gauge solver: a Markov chain of gauge fields, and what is measured of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tacit/engine/solver.hpp"
#include "tacit/solvers/qcd/gauge/ensemble.hpp"
#include "tacit/solvers/qcd/gauge/flow_record.hpp"
#include "tacit/solvers/qcd/gauge/gauge_parameters.hpp"
#include "tacit/solvers/qcd/gauge/link_tasks.hpp"
#include "tacit/solvers/qcd/gauge/observables.hpp"
#include "tacit/solvers/qcd/gauge/updates.hpp"

namespace tacit::qcd {

/// Gauge fields of SU(3) with Wilson's action: a sweep of the heat bath, and some of overrelaxation, a step.
class GaugeSolver final : public engine::Solver {
 public:
  /// @param checkpoint  to continue from; null: from the start
  /// @throws base::FormatError if it does not fit the parameters or is damaged; what the files of the input throw
  GaugeSolver(const GaugeParameters& parameters, const engine::Resources& resources, const io::FileReader* checkpoint);

  void step(const tasks::StepContext& step) override;
  [[nodiscard]] std::optional<engine::Flaw> not_finite() const override;
  [[nodiscard]] std::vector<engine::Statistic> statistics() const override;
  /// Sites.
  [[nodiscard]] std::uint64_t elements() const override { return parameters_.extents.sites(); }
  [[nodiscard]] std::optional<engine::UpdateCost> update_cost() const override;
  [[nodiscard]] engine::Origin origin() const override;
  /// All measurements, and their means with errors.
  std::uint64_t write_snapshot(const std::filesystem::path& path, const engine::FileContext& context) const override;
  [[nodiscard]] std::vector<engine::Series> series() const override;
  std::uint64_t write_series(const engine::Series& series, const std::filesystem::path& path,
                             const engine::FileContext& context) const override;
  [[nodiscard]] engine::OutputBytes output_bytes(const engine::FileContext& context) const override;
  void save(io::FileWriter& checkpoint) const override;

 private:
  void load(const io::FileReader& checkpoint);
  void load_flow(const io::FileReader& checkpoint);
  void measure();
  /// The present field flows, a copy of it.
  void measure_flow_of_field();
  void write_flow(io::FileWriter& file) const;
  [[nodiscard]] std::string table_of(const std::string& series) const;
  [[nodiscard]] GaugeField whole_field() const;
  [[nodiscard]] std::string settings() const;

  GaugeParameters parameters_;
  engine::Resources resources_;
  std::string file_checksum_;
  Division division_;
  GaugeField field_;
  mutable LinkTasks tasks_;  // computes nothing that lasts
  Sweeps sweeps_;
  std::uint64_t sweep_ = 0;
  Plaquettes plaquettes_;
  Complex polyakov_;
  Ensemble ensemble_;
  FlowRecord flows_;
};

/// Stages of the Wilson flow that a sweep takes in the mean, where fields are measured; 0 without it.
[[nodiscard]] double flow_stages_per_sweep(const GaugeParameters& parameters);

/// What a site takes in a step.
[[nodiscard]] engine::UpdateCost update_cost(const GaugeParameters& parameters);

}  // namespace tacit::qcd

namespace tacit::gauge {

/// The solver's entry for the registry, which has solvers by the names of their namespaces.
[[nodiscard]] const engine::SolverEntry& solver_entry();

}  // namespace tacit::gauge
