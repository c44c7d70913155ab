// Transfer functions of matter, as fits: how waves of each length have grown until radiation lost its hold.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tacit::sph {

/// What the fits of Eisenstein & Hu depend on.
struct MatterContents {
  double omega_m = 0.3;
  double omega_b = 0.05;  ///< a part of omega_m
  double h = 0.7;
  double cmb_temperature = 2.7255;  ///< [K]
};

/// With the acoustic oscillations of baryons: T = f_b T_b + f_c T_c, which is 1 for long waves.
/// @see Eisenstein & Hu (1998), ApJ 496, 605, eqs. (2) to (24)
class WigglyTransfer {
 public:
  /// @pre 0 < omega_b < omega_m
  explicit WigglyTransfer(const MatterContents& contents);
  /// @param k  [Mpc^-1], > 0
  [[nodiscard]] double operator()(double k) const noexcept;
  /// How far sound has gone when photons let go of baryons [Mpc].
  [[nodiscard]] double sound_horizon() const noexcept { return s_; }

 private:
  [[nodiscard]] double shape(double q, double alpha, double beta) const noexcept;
  double f_b_ = 0.0;
  double k_eq_ = 0.0;    // [Mpc^-1]
  double k_silk_ = 0.0;  // [Mpc^-1]
  double s_ = 0.0;       // [Mpc]
  double alpha_c_ = 0.0, beta_c_ = 0.0;
  double alpha_b_ = 0.0, beta_b_ = 0.0;
  double beta_node_ = 0.0;
};

/// The same without oscillations: baryons only make it fall off sooner.
/// @see Eisenstein & Hu (1998), ApJ 496, 605, eqs. (26), (28) to (31)
class SmoothTransfer {
 public:
  /// @pre 0 <= omega_b < omega_m
  explicit SmoothTransfer(const MatterContents& contents);
  /// @param k  [Mpc^-1], > 0
  [[nodiscard]] double operator()(double k) const noexcept;

 private:
  MatterContents contents_;
  double theta2_ = 0.0;  // of (T / 2.7 K)^2
  double s_ = 0.0;       // [Mpc]
  double alpha_ = 1.0;
};

}  // namespace tacit::sph
