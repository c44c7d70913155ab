// Forcing: accelerations of the lowest modes, which maintain a flow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "tacit/base/exact_sum.hpp"
#include "tacit/base/vec3.hpp"
#include "tacit/fft/pass.hpp"
#include "tacit/fft/pencils.hpp"
#include "tacit/solvers/dns/modes.hpp"
#include "tacit/solvers/dns/physics_parameters.hpp"

namespace tacit::dns {

/// Adds the sums of all ranks, on all of them.
using Reduce = std::function<void(std::span<base::ExactSum>)>;

/// The modes of a velocity by component, of the columns that a rank has.
using Velocity = std::array<std::span<Complex>, 3>;
using ConstVelocity = std::array<std::span<const Complex>, 3>;

/// The accelerations of forced modes. All ranks have all of them, since random numbers are keyed by mode and step, so
/// that nothing depends on ranks or restarts; only energies are summed over ranks.
class Forcing {
 public:
  /// @param wave_numbers  by axis and index [1/length]
  Forcing(const PhysicsParameters& physics, const fft::Pencils& pencils, const ByAxis& wave_numbers,
          const base::Vec3& box, Reduce reduce);

  [[nodiscard]] bool is_on() const noexcept { return kind_ != ForcingKind::none; }
  /// How many modes are forced, those of either sign of k counted.
  [[nodiscard]] std::size_t modes() const noexcept;

  /// The largest |k| of them [1/length].
  [[nodiscard]] double largest_wave_number() const noexcept;

  /// Before the first substage of a step.
  void begin_step(const ConstVelocity& u);
  /// Before each substage, whose acceleration may depend on the velocity.
  /// @param moved  by which the frame of `u` has moved since the step began [length]
  void begin_substage(const ConstVelocity& u, const base::Vec3& moved);
  /// After a step of length dt [time].
  /// @param step  its number from the start of the run, with which its random numbers are drawn
  void end_step(const Velocity& u, double dt, std::uint64_t step);

  /// Whether any acceleration acts on a column of the block.
  [[nodiscard]] bool acts_on(const fft::ColumnBlock& block) const noexcept;
  /// Writes the accelerations of the block, zero where there is none.
  /// @param lines  by component, shape (kz, fft::lanes), by index of kz
  void accelerations(const fft::ColumnBlock& block, const std::array<std::span<Complex>, 3>& lines) const;
  /// Power that the present acceleration, or the last change of a frozen shell, brings [length^2/time^3].
  [[nodiscard]] double power(const ConstVelocity& u) const;

  /// The rate at which a constant power changes the velocity of the forced modes, P / (2 E) with their energy E, for
  /// which no step may be long; 0 of other kinds [1/time].
  [[nodiscard]] double rate(const ConstVelocity& u) const;
  /// @param total  kinetic energy of all modes [length^2/time^2]
  /// @throws base::Error if the forced modes hold nothing but rounding, which a constant power would amplify
  void expect_energy(const ConstVelocity& u, double total) const;

  /// What a checkpoint needs to continue bitwise identically; always as many numbers.
  [[nodiscard]] std::vector<double> state() const;
  /// @pre  state.size() == this->state().size()
  void restore(std::span<const double> state);

 private:
  struct Mode {
    Waves waves{};
    std::array<std::size_t, 3> index{};  // of the wave numbers
    WaveVector k{};
    std::size_t shell = 0;            // nearest whole |k|, in units of the smallest of the box
    double weight = 1.0;              // of |u|^2 in the energy: the other half of the modes is not stored
    bool is_here = false;             // on this rank
    std::size_t place = 0;            // in its arrays
    std::array<Complex, 3> random{};  // the process of Ornstein & Uhlenbeck, with a part along k
    std::array<Complex, 3> force{};   // across k [length/time^2]
  };
  void find_modes(const fft::Pencils& pencils, const ByAxis& wave_numbers, const base::Vec3& box);
  void draw(double kept, std::uint64_t draw);
  /// The energies of forced modes by shell.
  [[nodiscard]] std::vector<double> shell_energies(const ConstVelocity& u) const;
  /// Of all forced modes [length^2/time^2].
  [[nodiscard]] double energy(const ConstVelocity& u) const;

  ForcingKind kind_;
  ForcingParameters parameters_;
  std::uint64_t seed_;
  Reduce reduce_;
  std::vector<Mode> modes_;  // kx >= 0, by kx, ky, kz
  std::size_t shells_ = 0;
  std::vector<double> frozen_;  // energies by shell; negative: not known yet
  double last_power_ = 0.0;
};

}  // namespace tacit::dns
