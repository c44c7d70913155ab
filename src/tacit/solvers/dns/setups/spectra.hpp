// Energy spectra of random fields: the usual forms, and tables from files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <variant>
#include <vector>

namespace tacit::dns {

/// E(k) ~ k^4 exp(-2 (k / peak)^2), which is largest at `peak` and has no inertial range.
struct ExponentialSpectrum {
  double peak = 4.0;  ///< [waves per box]
};

/// E(k) ~ (k/k_e)^4 / (1 + (k/k_e)^2)^(17/6) exp(-2 (k/k_eta)^2), k_e = sqrt(5/12) peak: k^4 below the peak, k^(-5/3)
/// above, and an end at the scales of dissipation.
/// @see Bailly & Juve (1999), AIAA paper 99-1872
struct VonKarmanPaoSpectrum {
  double peak = 4.0;   ///< where it is largest if k_eta is far [waves per box]
  double k_eta = 1.0;  ///< where dissipation ends it [waves per box]
};

/// E(k) as a list: linear between its points, zero beyond them.
struct TabulatedSpectrum {
  std::vector<double> k;       ///< rising [waves per box]
  std::vector<double> energy;  ///< >= 0 [velocity^2 per wave], shape of k
  /// The integral of E over k: the kinetic energy per mass.
  [[nodiscard]] double total() const;
};

using EnergySpectrum = std::variant<ExponentialSpectrum, VonKarmanPaoSpectrum, TabulatedSpectrum>;

/// E at a wave number k > 0 [waves per box]; the forms up to a factor.
[[nodiscard]] double energy_at(const EnergySpectrum& spectrum, double k);

/// Reads a table: two columns, k and E(k), separated by blanks or a comma; # begins a comment.
/// @throws base::SystemError if it cannot be read; base::FormatError, with the line, if a line has no two numbers, k
///         does not rise, E is negative, or there are fewer than two lines or no energy at all
[[nodiscard]] TabulatedSpectrum read_spectrum(const std::filesystem::path& path);

}  // namespace tacit::dns
