// The dns solver: owns the flow, and is what the engine sees of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tacit/engine/solver.hpp"
#include "tacit/solvers/dns/flow.hpp"
#include "tacit/solvers/dns/parameters.hpp"
#include "tacit/solvers/dns/snapshot_fields.hpp"
#include "tacit/solvers/dns/statistics/means.hpp"
#include "tacit/solvers/dns/statistics/warnings.hpp"
#include "tacit/solvers/dns/tracers/tracers.hpp"

namespace tacit::dns {

/// Direct numerical simulation of incompressible turbulence in a periodic box.
class DnsSolver final : public engine::Solver {
 public:
  /// Of dt times fastest(): above it no step is taken, as no scheme is stable there. Their stable part of the imaginary
  /// axis ends at 2.83 (rk4); a wave of the highest kept number turns by up to 2 pi/3 of this number (two_thirds), or
  /// 2 pi sqrt(2)/3, in the fastest place of the flow, and by less elsewhere. Measured: some flows bear 2 to 3.
  static constexpr double unstable = 3.0;
  /// What is good for a scheme, of the same: see docs/guide/turbulence.md.
  [[nodiscard]] static constexpr double good(Scheme scheme) noexcept { return scheme == Scheme::rk4 ? 1.0 : 0.5; }
  /// Why a fixed step is refused; nothing if it is not.
  /// @param rate  fastest()   @param digits  in which it is known
  [[nodiscard]] static std::optional<std::string> refusal(double dt, double rate, Scheme scheme, int digits);

  /// What a step must follow [1/time]: the flow across cells, internal waves, and random forces. Rotation is exact.
  /// @param rate  max(|u|/dx + |v|/dy + |w|/dz) [1/time]
  [[nodiscard]] static double fastest(double rate, const PhysicsParameters& physics) noexcept;

  DnsSolver(const DnsParameters& parameters, const engine::Resources& resources);
  /// Continues from a checkpoint.
  /// @throws base::FormatError if it does not fit these parameters or is damaged
  DnsSolver(const DnsParameters& parameters, const io::FileReader& checkpoint, const engine::Resources& resources);

  /// @throws engine::NumericsError  if the flow is too fast for a fixed step
  [[nodiscard]] double time_step() const override;
  void step(const tasks::StepContext& step) override;
  [[nodiscard]] engine::StepLimit step_limit() const override { return {.element = "the flow"}; }
  [[nodiscard]] engine::MechanicalSums sums() const;
  [[nodiscard]] engine::Conserved conserved() const override { return sums().conserved(); }
  /// Beside the conserved sums, those of scalars, buoyancy and forces.
  [[nodiscard]] std::optional<engine::Flaw> not_finite() const override;
  [[nodiscard]] std::vector<engine::Statistic> statistics() const override;
  /// Once each: that the smallest eddies are not resolved, now or at the dissipation that the forcing will bring; that
  /// energy has come or gone where there is nothing that brings or takes it.
  [[nodiscard]] std::vector<std::string> new_warnings() override;
  /// A record has position and velocity of a tracer at the begin of a step, whose first substage measures them; fields
  /// are not logged, as all of a turbulent flow changes in every step.
  [[nodiscard]] std::optional<io::LogSchema> log_schema() const override;
  [[nodiscard]] std::uint64_t logged_elements() const override { return tracers_ ? tracers_->tracers().size() : 0; }
  [[nodiscard]] std::uint64_t log_records() const override;
  [[nodiscard]] double logged_until(double /*now*/) const override { return logged_until_; }
  void begin_log(double time, std::uint64_t step, const io::LogReader* before) override;
  void end_log(double time) override { tracers_->log(time); }
  /// Grid points.
  [[nodiscard]] std::uint64_t elements() const override;
  [[nodiscard]] std::optional<engine::UpdateCost> update_cost() const override;
  [[nodiscard]] engine::Origin origin() const override { return origin_; }
  [[nodiscard]] std::vector<engine::StepTraffic> traffic() const override;
  /// Velocity at the points, as VTKHDF, which ParaView opens, and the spectrum.
  std::uint64_t write_snapshot(const std::filesystem::path& path, const engine::FileContext& context) const override;
  /// The first substage of the next step has the velocity at the points, unless its grid is shifted.
  bool plan_snapshot(const std::filesystem::path& path, const engine::FileContext& context) override;
  std::uint64_t write_planned_snapshot(const std::filesystem::path& path, const engine::FileContext& context) override;
  [[nodiscard]] std::vector<engine::Series> series() const override;
  /// Spectra, structure functions, probability densities and a slice.
  std::uint64_t write_series(const engine::Series& series, const std::filesystem::path& path,
                             const engine::FileContext& context) const override;
  [[nodiscard]] engine::OutputBytes output_bytes(const engine::FileContext& context) const override;
  void save(io::FileWriter& checkpoint) const override;

  [[nodiscard]] const Flow& flow() const noexcept { return flow_; }
  /// Null where there are none.
  [[nodiscard]] const Tracers* tracers() const noexcept { return tracers_.get(); }

 private:
  void load(const io::FileReader& checkpoint);
  [[nodiscard]] double changes_of(double rate) const;
  [[nodiscard]] double usual_step() const;
  std::uint64_t write_fields(const SnapshotFields& fields, const std::filesystem::path& path,
                             const engine::FileContext& context) const;
  std::uint64_t write_tracers(const std::filesystem::path& snapshot, const engine::FileContext& context) const;
  [[nodiscard]] std::string warning_of_eddies();
  [[nodiscard]] std::string warning_of_energy();

  DnsParameters parameters_;
  engine::Resources resources_;
  mutable Flow flow_;                        // whose buffers hold fields at points while files are written
  std::unique_ptr<SnapshotFields> planned_;  // that the next step takes
  mutable StateMeans means_;                 // of the flow after the last step
  std::unique_ptr<Tracers> tracers_;         // null: none
  PhysicsStatistics physics_statistics_;
  bool has_warned_of_eddies_ = false;
  bool has_warned_of_energy_ = false;
  EnergyWatch energy_watch_;
  engine::Origin origin_;
  std::vector<std::string> warnings_;
  double logged_until_ = 0.0;  // [time]
  double rate_ = 0.0;  // of what changes with the flow: across cells, and forces that the mean flow passes [1/time]
};

/// The solver's entry for the registry.
[[nodiscard]] const engine::SolverEntry& solver_entry();

}  // namespace tacit::dns
