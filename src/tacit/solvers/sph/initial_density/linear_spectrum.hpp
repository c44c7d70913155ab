// The power spectrum of linear theory today, from a transfer function or a table.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "tacit/solvers/sph/cosmology/cosmology.hpp"
#include "tacit/solvers/sph/initial_density/spectrum_table.hpp"
#include "tacit/solvers/sph/initial_density/transfer.hpp"

namespace tacit::sph {

/// How high a spectrum is: one of these; of a table neither, where it is to be taken as it is.
struct Amplitude {
  std::optional<double> sigma_8;  ///< rms of the linear density today in balls of 8 Mpc/h
  std::optional<double> A_s;      ///< power of the primordial curvature at 0.05 / Mpc
};

/// P(k) of all matter at a = 1, as linear theory has it,
///
///     P(k) = 8 pi^2/25 A_s (c / H0)^4 (D(1) / Omega_m)^2 T(k)^2 k (k / 0.05 Mpc^-1)^(n_s - 1)
///
/// or a multiple of it with the given sigma_8. Lengths are those of the run.
/// @see Planck Collaboration (2020), A&A 641, A6 (A_s); Eisenstein & Hu (1998), ApJ 496, 605, eq. (A1)
class LinearSpectrum {
 public:
  enum class Shape : std::uint8_t { eisenstein_hu, no_wiggles };

  /// @param length  of the unit of length [Mpc]
  /// @pre one of the amplitudes is given
  LinearSpectrum(const Cosmology& cosmology, Shape shape, double cmb_temperature, double n_s,
                 const Amplitude& amplitude, double length);
  /// @param table  k in h/Mpc, P in (Mpc/h)^3, of a = 1
  LinearSpectrum(const Cosmology& cosmology, SpectrumTable table, const Amplitude& amplitude, double length);

  /// @param k  [length^-1], within covers()   @return  P(k) [length^3]
  [[nodiscard]] double operator()(double k) const noexcept;
  /// Of waves that it knows [length^-1]; a transfer function knows all.
  struct Range {
    double low, high;
  };
  [[nodiscard]] Range covers() const noexcept;
  /// Integral of k^3 P / (2 pi^2) W(k R)^2 over ln k with R = 8 Mpc/h, over what it covers of 1e-5 to 1e3 h/Mpc.
  [[nodiscard]] double sigma_8() const noexcept;

 private:
  void set(const Cosmology& cosmology, const Amplitude& amplitude);
  [[nodiscard]] double without_units(double k) const noexcept;  // of k [Mpc^-1], in Mpc^3, before the factor

  double length_ = 1.0;  // [Mpc]
  double h_ = 0.7;
  double n_s_ = 1.0;
  double factor_ = 1.0;
  std::shared_ptr<const WigglyTransfer> wiggly_;
  std::shared_ptr<const SmoothTransfer> smooth_;
  std::shared_ptr<const SpectrumTable> table_;
};

}  // namespace tacit::sph
