// Values of spectra, and their tables.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/dns/setups/spectra.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tacit/base/error.hpp"
#include "tacit/base/text.hpp"

namespace tacit::dns {
namespace {

double value(const ExponentialSpectrum& spectrum, double k) {
  const double q = k / spectrum.peak;
  return k * k * k * k * std::exp(-2.0 * q * q);
}

double value(const VonKarmanPaoSpectrum& spectrum, double k) {
  const double q = k / (std::sqrt(5.0 / 12.0) * spectrum.peak);
  const double end = k / spectrum.k_eta;
  return q * q * q * q * std::pow(1.0 + q * q, -17.0 / 6.0) * std::exp(-2.0 * end * end);
}

double value(const TabulatedSpectrum& spectrum, double k) {
  const auto next = std::ranges::lower_bound(spectrum.k, k);
  if (next == spectrum.k.end()) return 0.0;
  const auto i = static_cast<std::size_t>(next - spectrum.k.begin());
  if (*next == k) return spectrum.energy[i];
  if (i == 0) return 0.0;
  const double t = (k - spectrum.k[i - 1]) / (spectrum.k[i] - spectrum.k[i - 1]);
  return spectrum.energy[i - 1] + t * (spectrum.energy[i] - spectrum.energy[i - 1]);
}

/// Takes a number off the front, and what separates it from the next.
std::optional<double> take_number(std::string_view& text) {
  double number = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || !std::isfinite(number)) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  text.remove_prefix(std::min(text.find_first_not_of(" \t,\r"), text.size()));
  return number;
}

/// The two numbers of a line, or what is wrong with it; nothing for lines without numbers.
std::optional<std::pair<double, double>> numbers_of(std::string_view line, const std::string& where) {
  std::string_view rest = line.substr(0, line.find('#'));
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r"), rest.size()));
  if (rest.empty()) return std::nullopt;
  const auto k = take_number(rest);
  const auto energy = take_number(rest);
  if (!k || !energy || !rest.empty()) {
    throw base::FormatError(where, "'" + base::printable(line) + "' is not two numbers: k [waves per box] and E(k)");
  }
  return std::pair{*k, *energy};
}

}  // namespace

double energy_at(const EnergySpectrum& spectrum, double k) {
  return std::visit([k](const auto& one) { return value(one, k); }, spectrum);
}

double TabulatedSpectrum::total() const {
  double sum = 0.0;
  for (std::size_t i = 1; i < k.size(); ++i) sum += 0.5 * (k[i] - k[i - 1]) * (energy[i] + energy[i - 1]);
  return sum;
}

TabulatedSpectrum read_spectrum(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) throw base::SystemError(path.string(), "the spectrum cannot be read", errno);
  TabulatedSpectrum spectrum;
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    const std::string where = fmt::format("{}:{}", path.string(), number);
    const auto found = numbers_of(line, where);
    if (!found) continue;
    const auto [k, energy] = *found;
    if (k < 0.0 || (!spectrum.k.empty() && k <= spectrum.k.back())) {
      throw base::FormatError(where, fmt::format("k is {}; expected numbers >= 0 that rise from line to line", k));
    }
    if (energy < 0.0) throw base::FormatError(where, fmt::format("E(k) is {}; an energy is not negative", energy));
    spectrum.k.push_back(k);
    spectrum.energy.push_back(energy);
  }
  if (!(spectrum.total() > 0.0)) {
    throw base::FormatError(path.string(), "has no energy; expected two lines or more of k [waves per box] and E(k)");
  }
  return spectrum;
}

}  // namespace tacit::dns
