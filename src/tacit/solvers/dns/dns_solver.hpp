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
#include "tacit/solvers/dns/physics_statistics.hpp"
#include "tacit/solvers/dns/tracers/tracers.hpp"

namespace tacit::dns {

/// Direct numerical simulation of incompressible turbulence in a periodic box.
class DnsSolver final : public engine::Solver {
 public:
  /// Longest stable dt times fastest(): beyond the imaginary axis of both schemes, 2.83 for rk4.
  static constexpr double unstable = 3.0;

  /// What a step must follow [1/time]: the flow across cells, internal waves, and random forces. Rotation is exact.
  /// @param rate  max(|u|/dx + |v|/dy + |w|/dz) [1/time]
  [[nodiscard]] static double fastest(double rate, const PhysicsParameters& physics) noexcept;

  DnsSolver(const DnsParameters& parameters, const base::UnitSystem& units, const engine::Resources& resources);
  /// Continues from a checkpoint.
  /// @throws base::FormatError if it does not fit these parameters or is damaged
  DnsSolver(const DnsParameters& parameters, const base::UnitSystem& units, const io::FileReader& checkpoint,
            const engine::Resources& resources);

  [[nodiscard]] double start_time() const override { return 0.0; }
  /// @throws engine::NumericsError  if the flow is too fast for a fixed step: no scheme is stable beyond dt * rate = 3
  [[nodiscard]] double time_step() const override;
  void step(const tasks::StepContext& step) override;
  [[nodiscard]] engine::Conserved conserved() const override;
  /// Beside the conserved sums, those of scalars, buoyancy and forces.
  [[nodiscard]] std::optional<std::string> not_finite() const override;
  [[nodiscard]] std::vector<engine::Statistic> statistics() const override;
  /// Once, that the smallest eddies are not resolved: now, or at the dissipation that the forcing will bring.
  [[nodiscard]] std::vector<std::string> new_warnings() override;
  /// Grid points.
  [[nodiscard]] std::uint64_t elements() const override;
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> origin() const override;
  /// Velocity at the points, as VTKHDF, which ParaView opens, and the spectrum.
  std::uint64_t write_snapshot(const std::filesystem::path& path, const engine::FileContext& context) const override;
  [[nodiscard]] std::optional<engine::Series> series() const override;
  /// Spectra, structure functions, probability densities and a slice.
  std::uint64_t write_series(const std::filesystem::path& path, const engine::FileContext& context) const override;
  void save(io::FileWriter& checkpoint) const override;

  [[nodiscard]] const Flow& flow() const noexcept { return flow_; }
  /// Null where there are none.
  [[nodiscard]] const Tracers* tracers() const noexcept { return tracers_.get(); }

 private:
  void load(const io::FileReader& checkpoint);
  std::uint64_t write_tracers(const std::filesystem::path& snapshot, const engine::FileContext& context) const;
  [[nodiscard]] std::string physics() const;

  DnsParameters parameters_;
  base::UnitSystem units_;
  engine::Resources resources_;
  mutable Flow flow_;                 // whose buffers hold the velocity at the points while a snapshot is written
  mutable StateMeans means_;          // of the flow after the last step
  std::unique_ptr<Tracers> tracers_;  // null: none
  PhysicsStatistics physics_statistics_;
  bool has_warned_ = false;
  std::string source_;
  std::string checksum_;  // of the input file, if it came from one
  std::vector<std::string> warnings_;
  double rate_ = 0.0;  // largest |u|/dx + |v|/dy + |w|/dz [1/time]
};

/// The solver's entry for the registry.
[[nodiscard]] const engine::SolverEntry& solver_entry();

}  // namespace tacit::dns
