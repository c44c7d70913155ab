// An incompressible flow in a periodic box as Fourier modes, and how it advances in time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "tacit/base/exact_sum.hpp"
#include "tacit/base/pack_memory.hpp"
#include "tacit/base/vec3.hpp"
#include "tacit/exchange/reductions.hpp"
#include "tacit/fft/pass.hpp"
#include "tacit/fft/pencils.hpp"
#include "tacit/fft/process_grid.hpp"
#include "tacit/fft/tuning.hpp"
#include "tacit/solvers/dns/kernels/loops.hpp"
#include "tacit/solvers/dns/modes.hpp"
#include "tacit/solvers/dns/physics/forcing.hpp"
#include "tacit/solvers/dns/physics_parameters.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::dns {

/// How the nonlinear term is written.
enum class Form : std::uint8_t {
  divergence,  ///< div (u u): eight transforms, of which the last three need fewer lines (Rogallo 1981)
  rotational,  ///< u x omega: nine transforms; keeps the energy whatever the truncation
};

/// Runge-Kutta schemes; the viscous term is integrated exactly.
enum class Scheme : std::uint8_t { rk2, rk4 };

struct FlowParameters {
  fft::Shape points{};
  base::Vec3 box{};        ///< sides [length]
  double viscosity = 0.0;  ///< kinematic [length^2/time]
  fft::Truncation truncation = fft::Truncation::two_thirds;
  Form form = Form::divergence;
  Scheme scheme = Scheme::rk2;
  fft::Rigor rigor = fft::Rigor::measure;
  PhysicsParameters physics = {};
  /// How ranks divide the work. Zeros are chosen; a column of 0 ranks follows from the row.
  fft::PassAlgorithm algorithm = {};
  fft::Tuning tuning = fft::Tuning::none;  ///< of what is to be chosen
  std::filesystem::path tuning_file =
      {};  ///< where measured algorithms are kept, and beside it (".wisdom") those of FFTW
};

/// The modes of a velocity without divergence: u(x) = sum over k of u(k) exp(i k x), k = 2 pi (kx/Lx, ky/Ly, kz/Lz).
///
///     du/dt = -grad p - div (u u) + nu laplace u - 2 Omega x u + N theta e_z + force,   div u = 0
///
/// and of the scalars that it carries (physics_parameters.hpp), the last of which is theta = b/N where there is
/// stratification. The mean flow is kept: the mean pressure gradient balances its Coriolis force and the mean buoyancy.
///
/// Memory: two (rk2) or three (rk4) sets of three fields of kept modes, 0.3 words per point and field with two_thirds,
/// and the buffers of the pass.
///
/// Several ranks have the pencils of a grid of them each: modes and points are those of this rank, what is said of the
/// flow is that of all ranks and alike on all, bitwise identical on any ranks and threads. All ranks call the same
/// functions in the same order, those that are const too (but for access to modes).
class Flow {
 public:
  /// @param ranks  must outlive the flow
  /// @throws base::Error if the grid does not have as many ranks, or some would have nothing on any
  Flow(const FlowParameters& parameters, tasks::Scheduler& scheduler, comm::Communicator& ranks);
  ~Flow();
  Flow(const Flow&) = delete;
  Flow& operator=(const Flow&) = delete;

  [[nodiscard]] const FlowParameters& parameters() const noexcept { return parameters_; }
  [[nodiscard]] const fft::Pencils& pencils() const noexcept { return pencils_; }
  [[nodiscard]] tasks::Scheduler& scheduler() const noexcept { return scheduler_; }
  /// The modes of a component; their order: fft::Pencils::spectral_place. Changes must keep k . u = 0 and, for
  /// kx = 0, u(-k) = conj u(k); `clean` restores both.
  [[nodiscard]] std::span<Complex> modes(std::size_t component) noexcept { return u_[component]; }
  [[nodiscard]] std::span<const Complex> modes(std::size_t component) const noexcept { return u_[component]; }
  /// Physical wave number of an index along an axis [1/length].
  [[nodiscard]] double wave_number(std::size_t axis, std::size_t index) const noexcept { return k_[axis][index]; }

  /// The wave vector of indices [1/length].
  [[nodiscard]] WaveVector wave_vector(std::size_t x, std::size_t y, std::size_t z) const noexcept {
    return {k_[0][x], k_[1][y], k_[2][z]};
  }

  /// Scalars, with that of stratification, which is the last.
  [[nodiscard]] std::size_t scalars() const noexcept { return scalars_.size(); }
  /// The modes of a scalar; as for those of the velocity, theta(-k) = conj theta(k) for kx = 0.
  [[nodiscard]] std::span<Complex> scalar(std::size_t number) noexcept { return scalars_[number].theta; }
  [[nodiscard]] std::span<const Complex> scalar(std::size_t number) const noexcept { return scalars_[number].theta; }
  /// The modes of all fields: the velocity's components and then the scalars.
  [[nodiscard]] std::size_t fields() const noexcept { return 3 + scalars_.size(); }
  [[nodiscard]] std::span<Complex> field(std::size_t number) noexcept {
    return number < 3 ? modes(number) : scalar(number - 3);
  }
  [[nodiscard]] std::span<const Complex> field(std::size_t number) const noexcept {
    return number < 3 ? modes(number) : scalar(number - 3);
  }

  /// Sets the velocity from its values at points; what is not kept, and the divergence, is removed.
  /// @param velocity  at a position [length], called by several threads
  void set(const std::function<base::Vec3(const base::Vec3&)>& velocity);
  /// The same of a velocity that may have divergence.
  /// @return  what that was: the largest |k . u(k)| over the largest |k| |u(k)|; 1e-16 is rounding
  double set_any(const std::function<base::Vec3(const base::Vec3&)>& velocity);
  /// Sets a scalar from its values at points; what is not kept is removed.
  void set_scalar(std::size_t number, const std::function<double(const base::Vec3&)>& value);
  /// Calls `take(y, z, row)` with a scalar at the points of each row, shape (nx); from several threads.
  void scalar_at_points(std::size_t number,
                        const std::function<void(std::size_t y, std::size_t z, const double* row)>& take);
  /// Calls `take(y, z, rows)` with the velocity at the points of each row, shape (nx) each; from several threads.
  void at_points(const std::function<void(std::size_t y, std::size_t z, const std::array<const double*, 3>&)>& take);
  /// All fields at the points of a row, shape (nx) each.
  struct PointRow {
    std::size_t y = 0;
    std::size_t z = 0;
    std::span<double* const> velocity;  ///< without `mean`
    std::span<double* const> scalars;
    base::Vec3 mean;  ///< to be added to the velocity
  };
  using Look = std::function<void(const PointRow&)>;
  /// Whether steps have the fields at points, at their beginning: not where the grid is shifted.
  [[nodiscard]] bool steps_show_points() const noexcept { return parameters_.physics.phase_shift == PhaseShift::none; }
  /// The next step hands the fields with which it begins to `look`, row by row, from several threads. An empty one
  /// takes that back. @pre steps_show_points()
  void look_in_next_step(Look look) { next_look_ = std::move(look); }
  /// The same fields at once, with the same bits, by transforms. @param dt  about the length of a step [time]
  void look_now(const Look& look, double dt);
  /// Runs another pass over the grid of the flow, as statistics need it.
  void run_pass(const fft::PassFields& fields, const fft::PassWork<double>& work) const;
  /// How many threads may call the work of a pass at once.
  [[nodiscard]] std::size_t workers() const noexcept { return scheduler_.workers(); }
  /// The rows and columns of ranks.
  [[nodiscard]] fft::GridCommunicators& ranks() const noexcept { return ranks_; }
  /// Removes from the modes what is not kept, the divergence, and what no real field has.
  void clean();

  /// Called before a substage, with the field with which it begins, as seen from the frame of the step.
  using BeforeSubstage = std::function<void(kernels::Substage)>;
  /// One step of length dt [time]. It advances in a frame that moves with the mean flow, so that advection by
  /// the mean is exact (physics/moving_frame.hpp).
  void step(double dt, const BeforeSubstage& before = {});
  /// Velocity of the frame of the last step; zero where the mean is rounding.
  [[nodiscard]] const base::Vec3& frame() const noexcept;
  /// Steps since the start of the run: random forces and shifts are keyed by it. A restart sets it.
  [[nodiscard]] std::uint64_t steps() const noexcept { return steps_; }
  void set_steps(std::uint64_t steps) noexcept { steps_ = steps; }
  [[nodiscard]] Forcing& forcing() noexcept { return forcing_; }
  [[nodiscard]] const Forcing& forcing() const noexcept { return forcing_; }
  /// Power of the force [length^2/time^3].
  [[nodiscard]] double power() const;
  /// The largest |u|/dx + |v|/dy + |w|/dz, without the mean, of the field with which the last substage began [1/time];
  /// 0 before any, NaN where the modes are not finite.
  [[nodiscard]] double rate() const noexcept;
  /// The same of the present field, by a transform.
  [[nodiscard]] double measure_rate();

  /// Adds sums of all ranks, exactly, on all of them; all sums over modes go through here.
  void reduce(std::span<base::ExactSum> sums) const;
  /// Whether all modes of all ranks are numbers whose squares, and sums of these, are far from the largest number.
  [[nodiscard]] bool has_moderate_modes() const;
  /// The largest of a number of each rank; NaN if any is.
  [[nodiscard]] double largest(double mine) const;
  /// What one column of modes (indices kx and ky, all kz) adds to some sums, which begin at zero; from several threads.
  using ColumnTerms = std::function<void(std::size_t kx, std::size_t ky, std::span<double> sums)>;
  /// Sums over the columns of all ranks: exact sums of what each column gives, rounded once.
  [[nodiscard]] std::vector<double> sum_over_columns(std::size_t count, const ColumnTerms& terms) const;
  /// The mean velocity.
  [[nodiscard]] base::Vec3 mean() const;

  /// Kinetic energy per mass, and nu times the mean square of the vorticity.
  struct Energetics {
    double energy = 0.0;
    double dissipation = 0.0;
    double enstrophy = 0.0;   ///< half of the mean square of the vorticity
    double helicity = 0.0;    ///< mean of u . omega
    double divergence = 0.0;  ///< largest |k . u(k)|, against the largest |k| |u(k)|
  };
  [[nodiscard]] Energetics energetics() const;
  /// The rate at which forces along the velocity change it [1/time].
  [[nodiscard]] double forcing_rate() const;
  /// @throws base::Error if such a force has nothing to act on
  void expect_what_is_forced() const;
  /// How the ranks divide the work.
  [[nodiscard]] fft::PassAlgorithm algorithm() const noexcept {
    return {.grid = algorithm_.grid, .division = pass_->division()};
  }
  /// Bytes of modes and buffers.
  [[nodiscard]] std::size_t bytes() const noexcept;

 private:
  class Substep;
  void build_step();
  void run_pass(const fft::PassFields& fields, const fft::PassWork<double>& work, fft::Rigor rigor) const;
  [[nodiscard]] bool holds_numbers() const;
  using Field = base::PackVector<Complex>;
  using Fields = std::array<Field, 3>;

  FlowParameters parameters_;
  tasks::Scheduler& scheduler_;
  fft::PassAlgorithm algorithm_;
  fft::Pencils pencils_;
  mutable fft::GridCommunicators ranks_;  // a const flow communicates, too
  ByAxis k_;                              // [1/length]
  std::unique_ptr<exchange::RankReductions> reductions_;
  Fields u_;
  Fields acc_;
  Fields base_;  // rk4 only
  struct Scalar {
    Field theta;
    Field acc;
    Field base;  // rk4 only
  };
  std::vector<Scalar> scalars_;
  Forcing forcing_;
  std::uint64_t steps_ = 0;
  Look next_look_;
  std::unique_ptr<Substep> substep_;
  std::unique_ptr<fft::Pass<double>> pass_;
  double rate_ = 0.0;
};

/// Some sums side by side, to which the workers of all ranks of a flow add at once. A term must not depend on what else
/// a rank has: a mode, a column of modes, a row of points, a count.
class Sums {
 public:
  /// @param flow    must outlive this
  /// @param adders  how many add at once; more than the workers where another thread adds, too
  Sums(std::size_t count, const Flow& flow, std::size_t adders)
      : flow_(flow), of_worker_(adders, std::vector<base::ExactSum>(count)) {}
  Sums(std::size_t count, const Flow& flow) : Sums(count, flow, flow.workers()) {}

  /// Adds a term; no two threads use the same worker at once.
  void add(std::size_t worker, std::size_t sum, double term) noexcept { of_worker_[worker][sum].add(term); }
  /// Each sum over all workers and ranks, rounded once. All ranks call it.
  [[nodiscard]] std::vector<double> values() const;

 private:
  const Flow& flow_;
  std::vector<std::vector<base::ExactSum>> of_worker_;
};

}  // namespace tacit::dns
