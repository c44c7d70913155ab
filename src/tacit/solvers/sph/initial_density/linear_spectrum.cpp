// Linear power spectra and their normalisation.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/initial_density/linear_spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "tacit/base/error.hpp"

namespace tacit::sph {
namespace {

constexpr double pivot = 0.05;                  // [Mpc^-1]
constexpr double hubble_length_h = 2997.92458;  // c / H0 [Mpc/h]

/// The Fourier transform of a ball that holds 1. @param x  k R
double ball(double x) {
  if (x < 1e-2) return 1.0 - x * x / 10.0;
  return 3.0 * (std::sin(x) - x * std::cos(x)) / (x * x * x);
}

}  // namespace

LinearSpectrum::LinearSpectrum(const Cosmology& cosmology, Shape shape, double cmb_temperature, double n_s,
                               const Amplitude& amplitude, double length)
    : length_(length), h_(cosmology.h), n_s_(n_s) {
  TACIT_EXPECT(amplitude.sigma_8.has_value() != amplitude.A_s.has_value());
  const MatterContents contents{
      .omega_m = cosmology.omega_m, .omega_b = cosmology.omega_b, .h = cosmology.h, .cmb_temperature = cmb_temperature};
  if (shape == Shape::eisenstein_hu) {
    wiggly_ = std::make_shared<const WigglyTransfer>(contents);
  } else {
    smooth_ = std::make_shared<const SmoothTransfer>(contents);
  }
  set(cosmology, amplitude);
}

LinearSpectrum::LinearSpectrum(const Cosmology& cosmology, SpectrumTable table, const Amplitude& amplitude,
                               double length)
    : length_(length), h_(cosmology.h), table_(std::make_shared<const SpectrumTable>(std::move(table))) {
  TACIT_EXPECT(!amplitude.A_s);
  set(cosmology, amplitude);
}

void LinearSpectrum::set(const Cosmology& cosmology, const Amplitude& amplitude) {
  if (amplitude.sigma_8) {
    const double found = sigma_8();
    factor_ = *amplitude.sigma_8 * *amplitude.sigma_8 / (found * found);
  } else if (amplitude.A_s) {
    const double D = linear_growth(cosmology, 1.0).D;
    const double hubble_length = hubble_length_h / h_;
    factor_ = 8.0 * std::numbers::pi * std::numbers::pi / 25.0 * *amplitude.A_s * std::pow(hubble_length, 4) *
              std::pow(D / cosmology.omega_m, 2);
  }
}

double LinearSpectrum::without_units(double k) const noexcept {
  if (table_) return (*table_)(k / h_) / (h_ * h_ * h_);
  const double T = wiggly_ ? (*wiggly_)(k) : (*smooth_)(k);
  return T * T * k * std::pow(k / pivot, n_s_ - 1.0);
}

double LinearSpectrum::operator()(double k) const noexcept {
  return factor_ * without_units(k / length_) / (length_ * length_ * length_);
}

LinearSpectrum::Range LinearSpectrum::covers() const noexcept {
  if (!table_) return {0.0, std::numeric_limits<double>::infinity()};
  return {table_->first() * h_ * length_, table_->last() * h_ * length_};
}

double LinearSpectrum::sigma_8() const noexcept {
  // Simpson's rule in ln k: the balls' transforms, and the wiggles of baryons, are many points wide where they count.
  constexpr int intervals = 40000;
  const auto [low, high] = covers();
  const double first = std::log(std::max(1e-5 * h_, low / length_ * (1.0 + 1e-14)));
  const double last = std::log(std::min(1e3 * h_, high / length_ * (1.0 - 1e-14)));
  const double step = (last - first) / intervals;
  double sum = 0.0;
  for (int i = 0; i <= intervals; ++i) {
    const double k = std::exp(first + step * i);
    const double W = ball(k * 8.0 / h_);
    const double weight = i == 0 || i == intervals ? 1.0 : (i % 2 == 1 ? 4.0 : 2.0);
    sum += weight * k * k * k * without_units(k) * W * W;
  }
  return std::sqrt(factor_ * sum * step / 3.0 / (2.0 * std::numbers::pi * std::numbers::pi));
}

}  // namespace tacit::sph
