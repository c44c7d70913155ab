// A power spectrum in a text file: pairs of k and P(k), and what lies between them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

namespace tacit::sph {

/// Pairs in rising order of k; between them ln P is a cubic of ln k with the slopes of parabolas through three pairs.
class SpectrumTable {
 public:
  /// @param ln_k, ln_P  shape (N), N >= 4; ln_k rises
  SpectrumTable(std::vector<double> ln_k, std::vector<double> ln_P);

  [[nodiscard]] double first() const noexcept;  ///< the lowest k
  [[nodiscard]] double last() const noexcept;   ///< the highest k
  /// @pre first() <= k <= last()
  [[nodiscard]] double operator()(double k) const noexcept;

 private:
  std::vector<double> ln_k_, ln_P_, slope_;
};

/// Lines of two or more numbers, of which the first two are k [h/Mpc] and P(k) [(Mpc/h)^3], as CAMB and CLASS write
/// them; empty lines and what is behind # are left out.
/// @throws base::FormatError naming the line; base::SystemError if it cannot be read
[[nodiscard]] SpectrumTable read_spectrum_table(const std::filesystem::path& path);

}  // namespace tacit::sph
