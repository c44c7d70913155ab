// The gas that `tacit bench sph` steps through: a shear layer on a lattice, and the solver with its workers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "tacit/comm/bootstrap/threads.hpp"
#include "tacit/solvers/sph/sph_solver.hpp"
#include "tacit/tasks/host_thread.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/topology/cpus.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::bench {

enum class Steps { common, individual };

struct ShearRun {
  sph::Scheme scheme = sph::Scheme::gadget2;
  Steps steps = Steps::common;
  std::size_t side = 64;  ///< particles along x and y, at least 16
  std::size_t workers = 1;
  sph::Pairs pairs = sph::Pairs::gather;
};

/// Particles along z: the slab is a quarter as deep at 64 along x, and as deep as kernels need at least.
inline constexpr std::size_t slab_particles = 16;

/// Density 1 and pressure 2.5 in a periodic box of 1 x 1 x 16/side on a cubic lattice; the middle half moves along x
/// against the rest with smooth borders, seeded with two waves: kh_64, where the side is 64.
[[nodiscard]] sph::InitialConditions shear_layer(std::size_t side, const sph::Share& share = {});

/// Eta, Courant number, kernel and tolerance are the solver's defaults, which are those of the runs compared with.
[[nodiscard]] sph::SphParameters parameters_of(const ShearRun& run);

/// A solver with that gas. All calls come from the thread that made it.
class ShearGas {
 public:
  explicit ShearGas(const ShearRun& run);

  [[nodiscard]] sph::SphSolver& solver() noexcept { return solver_; }
  /// A step of the length that the solver asks for.
  void step();
  void steps(std::size_t count);

 private:
  trace::Recorder recorder_;
  tasks::Scheduler scheduler_;
  comm::Communicator ranks_{comm::bootstrap_alone()};
  sph::SphSolver solver_;
  double time_ = 0.0;
  std::uint64_t count_ = 0;
};

/// A ShearGas on a thread of its own, which is bound to the first processor where it has no other workers, and warm:
/// some steps lie behind it.
class HostedGas {
 public:
  explicit HostedGas(const ShearRun& run);
  ~HostedGas();
  HostedGas(const HostedGas&) = delete;
  HostedGas& operator=(const HostedGas&) = delete;

  [[nodiscard]] tasks::HostThread& host() noexcept { return host_; }
  /// For functions that run on the host thread.
  [[nodiscard]] ShearGas& gas() noexcept { return *gas_; }

 private:
  std::optional<topology::Binding> binding_;  // made and ended on the host thread
  std::unique_ptr<ShearGas> gas_;             // likewise
  tasks::HostThread host_;
};

/// Steps before anything is timed: caches, workers and the iteration for h have settled.
inline constexpr std::size_t warm_up_steps = 8;

}  // namespace tacit::bench
