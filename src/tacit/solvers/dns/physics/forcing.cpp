// The accelerations of forced modes.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/dns/physics/forcing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "tacit/base/error.hpp"

namespace tacit::dns {
namespace {

/// Without the part along k.
std::array<Complex, 3> across(const WaveVector& k, const std::array<Complex, 3>& f) {
  const double k2 = square(k);
  const Complex along = (k[0] * f[0] + k[1] * f[1] + k[2] * f[2]) / k2;
  return {f[0] - k[0] * along, f[1] - k[1] * along, f[2] - k[2] * along};
}

}  // namespace

Forcing::Forcing(const PhysicsParameters& physics, const fft::Pencils& pencils, const ByAxis& wave_numbers,
                 const base::Vec3& box, Reduce reduce)
    : kind_(physics.forcing.kind), parameters_(physics.forcing), seed_(physics.seed), reduce_(std::move(reduce)) {
  if (!is_on()) return;
  find_modes(pencils, wave_numbers, box);
  TACIT_EXPECT(!modes_.empty());
  frozen_.assign(shells_, -1.0);
  if (kind_ == ForcingKind::eswaran_pope) draw(0.0, 0);  // from its stationary distribution
}

void Forcing::find_modes(const fft::Pencils& pencils, const ByAxis& wave_numbers, const base::Vec3& box) {
  const fft::Modes& all = pencils.modes();
  const double unit = 2.0 * std::numbers::pi / std::max({box.x, box.y, box.z});
  const double limit = parameters_.radius * (1.0 + 1e-12);  // modes on the sphere belong to it, however they round
  // Most modes are out of reach and need not be looked at.
  for (std::size_t x = 0; x < all.count(0) && wave_numbers[0][x] <= limit * unit; ++x) {
    for (std::size_t y = 0; y < all.count(1); ++y) {
      if (std::abs(wave_numbers[1][y]) > limit * unit) continue;
      for (std::size_t z = 0; z < all.count(2); ++z) {
        const WaveVector k{wave_numbers[0][x], wave_numbers[1][y], wave_numbers[2][z]};
        const double size = std::sqrt(square(k)) / unit;
        const Waves waves = waves_of(all, x, y, z);
        if (size == 0.0 || size > limit || !all.holds(waves[0], waves[1], waves[2])) continue;
        Mode mode{.waves = waves, .index = {x, y, z}, .k = k, .weight = x == 0 ? 0.5 : 1.0};
        mode.shell = static_cast<std::size_t>(std::lround(size));
        mode.is_here =
            x >= pencils.kx().begin && x < pencils.kx().end && y >= pencils.ky().begin && y < pencils.ky().end;
        if (mode.is_here) mode.place = pencils.spectral_place(x, y, z);
        shells_ = std::max(shells_, mode.shell + 1);
        modes_.push_back(mode);
      }
    }
  }
}

std::size_t Forcing::modes() const noexcept {
  std::size_t count = 0;
  for (const Mode& mode : modes_) count += mode.index[0] == 0 ? 1 : 2;
  return count;
}

double Forcing::largest_wave_number() const noexcept {
  double largest = 0.0;
  for (const Mode& mode : modes_) largest = std::max(largest, std::hypot(mode.k[0], mode.k[1], mode.k[2]));
  return largest;
}

/// One step of the process, exact however long:
///
///     b <- kept b + sigma sqrt(1 - kept^2) (a complex normal number of variance 2)
///
/// so that <b_i conj b_j> = 2 sigma^2 delta_ij, with sigma^2 = power / memory.
/// @see Eswaran & Pope (1988), Computers & Fluids 16, 257
void Forcing::draw(double kept, std::uint64_t draw) {
  const double sigma = std::sqrt(parameters_.power / parameters_.memory);
  const double fresh = sigma * std::sqrt(1.0 - kept * kept);
  for (Mode& mode : modes_) {
    for (std::size_t c = 0; c < 3; ++c) {
      mode.random[c] = kept * mode.random[c] + fresh * normal(mode.waves, seed_, 3 * draw + c);
    }
    mode.force = across(mode.k, mode.random);
  }
}

std::vector<double> Forcing::shell_energies(const ConstVelocity& u) const {
  std::vector<base::ExactSum> sums(shells_);
  for (const Mode& mode : modes_) {
    if (!mode.is_here) continue;
    const double u2 = std::norm(u[0][mode.place]) + std::norm(u[1][mode.place]) + std::norm(u[2][mode.place]);
    sums[mode.shell].add(mode.weight * u2);
  }
  if (reduce_) reduce_(sums);
  std::vector<double> energies;
  for (const base::ExactSum& sum : sums) energies.push_back(sum.value());
  return energies;
}

double Forcing::energy(const ConstVelocity& u) const {
  double energy = 0.0;
  for (const double shell : shell_energies(u)) energy += shell;
  return energy;
}

double Forcing::rate(const ConstVelocity& u) const {
  return kind_ == ForcingKind::constant ? parameters_.power / (2.0 * energy(u)) : 0.0;
}

void Forcing::expect_energy(const ConstVelocity& u, double total) const {
  // Transforms leave some 1e-16 of the largest velocity in modes that have none, and 1e-32 of its energy.
  constexpr double rounding = 1e-26;
  const double forced = energy(u);
  if (forced > rounding * total) return;
  throw base::Error(
      fmt::format("dns.forcing = \"constant\" amplifies what is there, but the forced modes hold {:.3g} of the energy "
                  "{:.3g}, which is nothing or rounding: start with a flow that has some at wave numbers up to "
                  "forcing.radius = {:g}, raise the radius, or take \"eswaran_pope\"",
                  forced, total, parameters_.radius));
}

void Forcing::begin_step(const ConstVelocity& u) {
  if (kind_ == ForcingKind::frozen && frozen_[shells_ - 1] < 0.0) frozen_ = shell_energies(u);
}

void Forcing::begin_substage(const ConstVelocity& u, const base::Vec3& moved) {
  if (kind_ == ForcingKind::eswaran_pope && base::norm(moved) > 0.0) {
    // Random accelerations stand still while the frame moves on.
    for (Mode& mode : modes_) {
      const Complex phase = std::polar(1.0, mode.k[0] * moved.x + mode.k[1] * moved.y + mode.k[2] * moved.z);
      mode.force = across(mode.k, mode.random);
      for (Complex& component : mode.force) component *= phase;
    }
  }
  if (kind_ != ForcingKind::constant) return;
  const double rate = this->rate(u);
  if (!std::isfinite(rate)) throw base::Error("forcing along the velocity finds no energy in the forced modes");
  for (Mode& mode : modes_) {
    if (!mode.is_here) continue;
    for (std::size_t c = 0; c < 3; ++c) mode.force[c] = rate * u[c][mode.place];
  }
}

void Forcing::end_step(const Velocity& u, double dt, std::uint64_t step) {
  if (kind_ == ForcingKind::eswaran_pope) return draw(std::exp(-dt / parameters_.memory), step + 1);
  if (kind_ != ForcingKind::frozen) return;
  const std::vector<double> now = shell_energies({u[0], u[1], u[2]});
  std::vector<double> factors(shells_, 1.0);
  last_power_ = 0.0;
  for (std::size_t shell = 0; shell < shells_; ++shell) {
    if (!(now[shell] > 0.0)) continue;
    factors[shell] = std::sqrt(frozen_[shell] / now[shell]);
    last_power_ += (frozen_[shell] - now[shell]) / dt;
  }
  for (const Mode& mode : modes_) {
    if (!mode.is_here) continue;
    for (std::size_t c = 0; c < 3; ++c) u[c][mode.place] *= factors[mode.shell];
  }
}

bool Forcing::acts_on(const fft::ColumnBlock& block) const noexcept {
  if (kind_ == ForcingKind::none || kind_ == ForcingKind::frozen) return false;
  if (block.kx > modes_.back().index[0]) return false;
  return std::ranges::any_of(modes_, [&](const Mode& mode) {
    return mode.index[0] == block.kx && mode.index[1] >= block.ky && mode.index[1] < block.ky + block.count;
  });
}

void Forcing::accelerations(const fft::ColumnBlock& block, const std::array<std::span<Complex>, 3>& lines) const {
  for (const std::span<Complex> line : lines) std::ranges::fill(line, Complex{});
  for (const Mode& mode : modes_) {
    if (mode.index[0] != block.kx || mode.index[1] < block.ky || mode.index[1] >= block.ky + block.count) continue;
    const std::size_t at = mode.index[2] * fft::lanes + (mode.index[1] - block.ky);
    for (std::size_t c = 0; c < 3; ++c) lines[c][at] = mode.force[c];
  }
}

double Forcing::power(const ConstVelocity& u) const {
  if (kind_ == ForcingKind::constant) return parameters_.power;
  if (kind_ != ForcingKind::eswaran_pope) return last_power_;
  std::array<base::ExactSum, 1> sum;
  for (const Mode& mode : modes_) {
    if (!mode.is_here) continue;
    double along = 0.0;
    for (std::size_t c = 0; c < 3; ++c) along += (std::conj(u[c][mode.place]) * mode.force[c]).real();
    sum[0].add(2.0 * mode.weight * along);
  }
  if (reduce_) reduce_(sum);
  return sum[0].value();
}

std::vector<double> Forcing::state() const {
  std::vector<double> numbers;
  if (kind_ == ForcingKind::frozen) {
    numbers = frozen_;
    numbers.push_back(last_power_);
  }
  if (kind_ != ForcingKind::eswaran_pope) return numbers;
  for (const Mode& mode : modes_) {
    for (const Complex& b : mode.random) {
      numbers.push_back(b.real());
      numbers.push_back(b.imag());
    }
  }
  return numbers;
}

void Forcing::restore(std::span<const double> state) {
  TACIT_EXPECT(state.size() == this->state().size());
  if (kind_ == ForcingKind::frozen) {
    frozen_.assign(state.begin(), state.end() - 1);
    last_power_ = state.back();
  }
  if (kind_ != ForcingKind::eswaran_pope) return;
  for (std::size_t i = 0; i < modes_.size(); ++i) {
    const double* const from = state.data() + 6 * i;
    for (std::size_t c = 0; c < 3; ++c) modes_[i].random[c] = {from[2 * c], from[2 * c + 1]};
    modes_[i].force = across(modes_[i].k, modes_[i].random);
  }
}

}  // namespace tacit::dns
