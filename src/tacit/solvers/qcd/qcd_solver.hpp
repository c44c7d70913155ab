// The qcd solver: owns gauge field, solves and propagators, and is what the engine sees of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/engine/solver.hpp"
#include "tacit/solvers/qcd/at_once/solves_at_once.hpp"
#include "tacit/solvers/qcd/correlators.hpp"
#include "tacit/solvers/qcd/multigrid/multigrid.hpp"
#include "tacit/solvers/qcd/multigrid/setup_file.hpp"
#include "tacit/solvers/qcd/parameters.hpp"
#include "tacit/solvers/qcd/solve.hpp"
#include "tacit/solvers/qcd/update_cost.hpp"

namespace tacit::qcd {

/// Propagators of quarks in a gauge field: D x = b for each source, one iteration a step; or some sources at once, and
/// one iteration of each of them that has not converged.
class QcdSolver final : public engine::Solver {
 public:
  /// @param checkpoint  to continue from; null: from the first source on
  /// @throws base::FormatError if it does not fit the parameters or is damaged; what the files of the input throw
  QcdSolver(const QcdParameters& parameters, const engine::Resources& resources, const io::FileReader* checkpoint);

  /// @throws engine::NumericsError if the solve has failed: the present state is kept
  [[nodiscard]] double time_step() const override;
  [[nodiscard]] bool has_converged() const override { return source_ == parameters_.source.count(); }
  [[nodiscard]] std::optional<std::string> unfinished() const override;
  void step(const tasks::StepContext& step) override;
  [[nodiscard]] std::optional<engine::Flaw> not_finite() const override;
  [[nodiscard]] std::vector<engine::Statistic> statistics() const override;
  [[nodiscard]] std::vector<std::string> new_warnings() override;
  /// Sites.
  [[nodiscard]] std::uint64_t elements() const override { return parameters_.extents.sites(); }
  [[nodiscard]] std::uint64_t updated() const override { return elements() * updated_; }
  [[nodiscard]] std::optional<engine::UpdateCost> update_cost() const override { return qcd::update_cost(parameters_); }
  [[nodiscard]] engine::Origin origin() const override;
  /// Residuals, correlators and, where asked for, solutions.
  std::uint64_t write_snapshot(const std::filesystem::path& path, const engine::FileContext& context) const override;
  [[nodiscard]] std::vector<engine::Series> series() const override;
  std::uint64_t write_series(const engine::Series& series, const std::filesystem::path& path,
                             const engine::FileContext& context) const override;
  [[nodiscard]] engine::OutputBytes output_bytes(const engine::FileContext& context) const override;
  void save(io::FileWriter& checkpoint) const override;

  /// A correlation function by distance from the source.
  struct Correlator {
    std::string_view name;   ///< "pion"
    std::string_view group;  ///< "Pion"
    std::vector<double> values;
  };
  /// None until all columns of the propagator are there. All ranks call it.
  [[nodiscard]] std::vector<Correlator> correlators() const;

 private:
  /// The operators once more, for solves in mixed precision and for multigrid.
  struct SinglePrecision {
    SinglePrecision(const GaugeField& gauge, const Division& division, const QcdParameters& parameters,
                    tasks::Scheduler& scheduler);
    [[nodiscard]] const LinearOperator<float>& matrix() const;
    FieldSpace<float> space;
    DiracOperator<float> dirac;
    std::optional<SchurOperator<float>> schur;
  };
  /// What is kept of a solve that has ended.
  struct Ended {
    std::vector<double> history;
    double true_residual = 0.0;
  };
  void make_multigrid();
  [[nodiscard]] multigrid::SetupOf setup_of() const;
  void begin_source();
  void end_source(Solve& solve, const Field<double>& b);
  /// Solves that are under way: of the source `source_` and those behind it.
  [[nodiscard]] std::size_t under_way() const noexcept { return solves_ ? solves_->size() : solve_ ? 1 : 0; }
  [[nodiscard]] Solve& solve(std::size_t which) const noexcept { return solves_ ? (*solves_)[which] : *solve_; }
  [[nodiscard]] std::size_t converged() const noexcept;
  [[nodiscard]] double largest_residual() const noexcept;
  void save(io::FileWriter& checkpoint, std::size_t which) const;
  void load(const io::FileReader& checkpoint, std::size_t which);
  [[nodiscard]] std::string in_solve(const std::string& name, std::size_t which) const;
  /// What is iterated with.
  [[nodiscard]] const LinearOperator<double>& matrix() const;
  void load(const io::FileReader& checkpoint);
  [[nodiscard]] std::string settings() const;
  [[nodiscard]] std::string checksums() const;

  QcdParameters parameters_;
  engine::Resources resources_;
  std::string gauge_checksum_;
  std::string source_checksum_;
  std::string links_checksum_;  // of multigrid
  Division division_;
  std::optional<GaugeField> gauge_;  // while it is needed: at the begin, and all of it by the first rank to be written
  double plaquette_;
  FieldSpace<double> space_;
  DiracOperator<double> dirac_;
  SourceShape shape_;
  std::optional<SchurOperator<double>> schur_;  // which is solved, where it is there
  std::optional<SinglePrecision> single_;
  std::optional<multigrid::Multigrid> multigrid_;
  std::unique_ptr<Solve> solve_;          // of one source at a time
  std::unique_ptr<SolvesAtOnce> solves_;  // of several
  std::vector<Field<double>> b_;          // of the sources that are under way
  Field<double> odd_;                     // what is left of b for the Schur complement
  Field<double> rest_;                    // b - D x
  Propagator solutions_;
  std::vector<Ended> ended_;  // of the sources before the present one
  std::size_t source_ = 0;    // the first that is under way
  std::size_t updated_ = 1;   // solves that the last step advanced
  bool has_warned_ = false;
};

/// The solver's entry for the registry.
[[nodiscard]] const engine::SolverEntry& solver_entry();

}  // namespace tacit::qcd
