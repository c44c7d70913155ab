// Displacements of first and second order.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/initial_density/displacements.hpp"

#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "tacit/tasks/parallel_for.hpp"

namespace tacit::sph {
namespace {

/// exp(i k.x) of a place that is `offset` cells from the corner along each axis.
std::complex<double> turn(const WaveNumbers& k, double offset, std::size_t n) {
  const double angle =
      2.0 * std::numbers::pi * offset * static_cast<double>(k[0] + k[1] + k[2]) / static_cast<double>(n);
  return {std::cos(angle), std::sin(angle)};
}

double square_of(const WaveNumbers& k) { return static_cast<double>(k[0] * k[0] + k[1] * k[1] + k[2] * k[2]); }

}  // namespace

Displacements::Displacements(const RandomDensity& density, std::size_t n, LptOrder order, tasks::Scheduler& scheduler,
                             comm::Communicator& ranks)
    : n_(n),
      unit_(2.0 * std::numbers::pi / density.box),
      scheduler_(scheduler),
      vector_({n, n, n}, scheduler, {.fields = 3, .rigor = fft::Rigor::estimate, .keeps_modes = false}, ranks) {
  take_density(density);
  if (order == LptOrder::second) find_source();
}

/// Calls visit(place, k) for all modes of this rank, on all workers; k has no waves of n/2, which no lattice can shift.
template <class Visit>
void Displacements::for_each_mode(const Visit& visit) const {
  const fft::Pencils& pencils = vector_.pencils();
  const fft::Modes& modes = pencils.modes();
  tasks::parallel_for(scheduler_, pencils.kx().begin, pencils.kx().end, [&](std::size_t x) {
    for (std::size_t z = 0; z < modes.count(2); ++z) {
      for (std::size_t y = pencils.ky().begin; y < pencils.ky().end; ++y) {
        WaveNumbers k{modes.wave_number(0, x), modes.wave_number(1, y), modes.wave_number(2, z)};
        for (const std::int64_t waves : k) {
          if (2 * std::abs(waves) == static_cast<std::int64_t>(n_)) k = {};
        }
        visit(pencils.spectral_place(x, y, z), k);
      }
    }
  });
}

void Displacements::take_density(const RandomDensity& density) {
  density_.resize(vector_.pencils().spectral_size());
  for_each_mode([&](std::size_t place, const WaveNumbers& k) { density_[place] = density.mode(k); });
}

void Displacements::find_source() {
  source_.resize(density_.size());
  for (const double offset : {0.0, 0.5}) {
    add_products(offset);
    vector_.to_modes();
    add_to_source(offset);
  }
}

/// Leaves in the first field the products of second derivatives: those of a diagonal matrix, less squares of the
/// others.
void Displacements::add_products(double offset) {
  using Pair = std::array<std::size_t, 2>;
  constexpr std::array<std::array<Pair, 3>, 2> kinds{{{{{0, 0}, {1, 1}, {2, 2}}}, {{{0, 1}, {0, 2}, {1, 2}}}}};
  const std::size_t places = vector_.pencils().physical_size();
  std::vector<double> products(places);
  for (const auto& pairs : kinds) {
    for_each_mode([&](std::size_t place, const WaveNumbers& k) {
      const double square = square_of(k);
      const Complex phi_and_k2 = square > 0.0 ? density_[place] * turn(k, offset, n_) / square : Complex{};
      for (std::size_t field = 0; field < 3; ++field) {
        const auto [i, j] = pairs[field];
        vector_.modes(field)[place] = static_cast<double>(k[i] * k[j]) * phi_and_k2;
      }
    });
    vector_.to_points();
    const std::span<const double> a = std::as_const(vector_).points(0);
    const std::span<const double> b = std::as_const(vector_).points(1);
    const std::span<const double> c = std::as_const(vector_).points(2);
    const bool is_diagonal = pairs[0][0] == pairs[0][1];
    tasks::parallel_for(scheduler_, 0, places, [&](std::size_t first, std::size_t end) {
      for (std::size_t p = first; p < end; ++p) {
        products[p] = is_diagonal ? a[p] * b[p] + a[p] * c[p] + b[p] * c[p]
                                  : products[p] - (a[p] * a[p] + b[p] * b[p] + c[p] * c[p]);
      }
    });
  }
  const std::span<double> first = vector_.points(0);
  for (std::size_t p = 0; p < places; ++p) first[p] = products[p];
}

/// Half of the first field, as seen from the corner of the box.
void Displacements::add_to_source(double offset) {
  const std::span<const Complex> found = std::as_const(vector_).modes(0);
  for_each_mode([&](std::size_t place, const WaveNumbers& k) {
    if (square_of(k) > 0.0) source_[place] += 0.5 * found[place] * turn(k, -offset, n_);
  });
}

void Displacements::find(LptOrder order, double offset) {
  // -grad phi_1 = i k / k^2 delta, grad phi_2 = -i k / k^2 source.
  const double sign = order == LptOrder::first ? 1.0 : -1.0;
  const std::vector<Complex>& from = order == LptOrder::first ? density_ : source_;
  for_each_mode([&](std::size_t place, const WaveNumbers& k) {
    const double square = square_of(k);
    const Complex potential =
        square > 0.0 ? from[place] * turn(k, offset, n_) * Complex{0.0, sign / (unit_ * square)} : Complex{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      vector_.modes(axis)[place] = static_cast<double>(k[axis]) * potential;
    }
  });
  vector_.to_points();
}

double displacement_bytes(double places) noexcept {
  constexpr double fields = 3.0 * (8.0 + 8.0 + 8.0);  // points, modes and what is between them
  constexpr double kept = 8.0 + 8.0 + 8.0;            // density, source, products
  return places * (fields + kept);
}

}  // namespace tacit::sph
