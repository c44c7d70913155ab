// Reads and interpolates tables of power spectra.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/initial_density/spectrum_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <sstream>
#include <string>
#include <utility>

#include "tacit/base/error.hpp"
#include "tacit/base/read_text.hpp"
#include "tacit/base/text.hpp"

namespace tacit::sph {

SpectrumTable::SpectrumTable(std::vector<double> ln_k, std::vector<double> ln_P)
    : ln_k_(std::move(ln_k)), ln_P_(std::move(ln_P)), slope_(ln_k_.size()) {
  TACIT_EXPECT(ln_k_.size() >= 4 && ln_k_.size() == ln_P_.size());
  const std::size_t n = ln_k_.size();
  const auto chord = [this](std::size_t i) { return (ln_P_[i + 1] - ln_P_[i]) / (ln_k_[i + 1] - ln_k_[i]); };
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t middle = std::clamp<std::size_t>(i, 1, n - 2);
    const double left = ln_k_[middle] - ln_k_[middle - 1];
    const double right = ln_k_[middle + 1] - ln_k_[middle];
    const double bend = (chord(middle) - chord(middle - 1)) / (left + right);
    const double centre = (left * chord(middle) + right * chord(middle - 1)) / (left + right);
    slope_[i] = centre + 2.0 * bend * (ln_k_[i] - ln_k_[middle]);
  }
}

double SpectrumTable::first() const noexcept { return std::exp(ln_k_.front()); }
double SpectrumTable::last() const noexcept { return std::exp(ln_k_.back()); }

double SpectrumTable::operator()(double k) const noexcept {
  const double x = std::log(k);
  const auto above = std::ranges::upper_bound(ln_k_, x);
  const auto i = static_cast<std::size_t>(
      std::clamp<std::ptrdiff_t>(above - ln_k_.begin() - 1, 0, static_cast<std::ptrdiff_t>(ln_k_.size()) - 2));
  const double step = ln_k_[i + 1] - ln_k_[i];
  const double t = (x - ln_k_[i]) / step;
  const double s = 1.0 - t;
  return std::exp(s * s * ((1.0 + 2.0 * t) * ln_P_[i] + t * step * slope_[i]) +
                  t * t * ((1.0 + 2.0 * s) * ln_P_[i + 1] - s * step * slope_[i + 1]));
}

SpectrumTable read_spectrum_table(const std::filesystem::path& path) {
  constexpr std::size_t largest = 64U << 20U;
  std::istringstream text(base::read_text(path, largest, "table of a power spectrum"));
  std::vector<double> ln_k;
  std::vector<double> ln_P;
  std::string line;
  for (int number = 1; std::getline(text, line); ++number) {
    line.resize(std::min(line.size(), line.find('#')));
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    std::istringstream words(line);
    double k = 0.0;
    double P = 0.0;
    const auto refuse = [&](const std::string& what) {
      throw base::FormatError(path.string(), fmt::format("line {}: {}", number, what));
    };
    if (!(words >> k >> P) || !std::isfinite(k) || !std::isfinite(P) || k <= 0.0 || P <= 0.0) {
      refuse(fmt::format("'{}' does not begin with k [h/Mpc] and P(k) [(Mpc/h)^3], two numbers above 0",
                         base::printable(line)));
    }
    if (!ln_k.empty() && !(std::log(k) > ln_k.back())) {
      refuse(fmt::format("k = {:.6g} is not above that of the line before; expected k in rising order", k));
    }
    ln_k.push_back(std::log(k));
    ln_P.push_back(std::log(P));
  }
  if (ln_k.size() < 4) {
    throw base::FormatError(
        path.string(),
        fmt::format("{} lines with k and P(k); expected 4 at least, of the whole range of waves in the box",
                    ln_k.size()));
  }
  return {std::move(ln_k), std::move(ln_P)};
}

}  // namespace tacit::sph
