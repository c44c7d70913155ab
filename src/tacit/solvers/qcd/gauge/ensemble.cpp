// Autocorrelation and jackknife.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/gauge/ensemble.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "tacit/base/error.hpp"

namespace tacit::qcd {
namespace {

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

double plain_mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Means over all but one block, for each of them.
std::vector<double> left_out(std::span<const double> values, std::size_t length) {
  const std::size_t blocks = values.size() / length;
  const auto used = values.first(blocks * length);
  const double sum = std::accumulate(used.begin(), used.end(), 0.0);
  std::vector<double> means;
  for (std::size_t block = 0; block < blocks; ++block) {
    const auto mine = used.subspan(block * length, length);
    means.push_back((sum - std::accumulate(mine.begin(), mine.end(), 0.0)) / static_cast<double>(used.size() - length));
  }
  return means;
}

/// @see Efron (1982), The Jackknife, the Bootstrap and Other Resampling Plans
double jackknife_error(std::span<const double> samples) {
  if (samples.size() < 2) return not_known;
  const double mean = plain_mean(samples);
  double squares = 0.0;
  for (const double sample : samples) squares += (sample - mean) * (sample - mean);
  const auto n = static_cast<double>(samples.size());
  return std::sqrt(squares * (n - 1.0) / n);
}

}  // namespace

std::string number_text(double value) { return std::isnan(value) ? std::string() : fmt::format("{:.16e}", value); }

std::string mean_row(const std::string& name, const Mean& mean, std::size_t rows) {
  return fmt::format("{},{},{},{},{}\n", name, number_text(mean.value), number_text(mean.error), number_text(mean.tau),
                     rows);
}

double autocorrelation_time(std::span<const double> values) {
  constexpr double window = 4.0;  // of tau: what is beyond is noise
  const std::size_t n = values.size();
  if (n < 2) return not_known;
  const double mean = plain_mean(values);
  const auto correlation = [&](std::size_t t) {
    double sum = 0.0;
    for (std::size_t k = 0; k + t < n; ++k) sum += (values[k] - mean) * (values[k + t] - mean);
    return sum / static_cast<double>(n - t);
  };
  const double variance = correlation(0);
  double tau = 0.5;
  if (!(variance > 0.0)) return tau;
  for (std::size_t t = 1; t < n; ++t) {
    tau += correlation(t) / variance;
    if (static_cast<double>(t) >= window * tau) break;
  }
  return std::max(tau, 0.5);
}

std::size_t block_length(double tau, std::size_t count) noexcept {
  constexpr std::size_t least_blocks = 8;
  const auto wanted = static_cast<std::size_t>(std::ceil(2.0 * tau));
  return std::clamp<std::size_t>(wanted, 1, std::max<std::size_t>(1, count / least_blocks));
}

Mean mean_of(std::span<const double> values) {
  if (values.empty()) return {not_known, not_known, not_known};
  const double tau = autocorrelation_time(values);
  if (std::isnan(tau)) return {plain_mean(values), not_known, tau};
  return {plain_mean(values), jackknife_error(left_out(values, block_length(tau, values.size()))), tau};
}

Mean mean_of_function(const std::vector<std::vector<double>>& columns,
                      const std::function<double(std::span<const double>)>& of) {
  TACIT_EXPECT(!columns.empty());
  const std::size_t count = columns[0].size();
  if (count == 0) return {not_known, not_known, not_known};
  double tau = 0.5;
  std::vector<double> means;
  for (const std::vector<double>& column : columns) {
    means.push_back(plain_mean(column));
    if (count > 1) tau = std::max(tau, autocorrelation_time(column));
  }
  const double value = of(means);
  if (count < 2) return {value, not_known, not_known};
  const std::size_t length = block_length(tau, count);
  std::vector<std::vector<double>> without;
  without.reserve(columns.size());
  for (const std::vector<double>& column : columns) without.push_back(left_out(column, length));
  std::vector<double> samples;
  for (std::size_t block = 0; block < without[0].size(); ++block) {
    for (std::size_t k = 0; k < columns.size(); ++k) means[k] = without[k][block];
    samples.push_back(of(means));
  }
  return {value, jackknife_error(samples), tau};
}

void Ensemble::add(double sweep, std::span<const double> values) {
  TACIT_EXPECT(values.size() == columns_.size());
  sweeps_.push_back(sweep);
  for (std::size_t k = 0; k < values.size(); ++k) columns_[k].push_back(values[k]);
}

std::string Ensemble::measurements_csv() const {
  std::string table = "sweep";
  for (const std::string& name : names_) table.append(",").append(name);
  table += "\n";
  for (std::size_t row = 0; row < rows(); ++row) {
    table += fmt::format("{}", sweeps_[row]);
    for (const std::vector<double>& column : columns_) table.append(",").append(number_text(column[row]));
    table += "\n";
  }
  return table;
}

std::string Ensemble::means_csv() const {
  std::string table = "quantity,mean,error,autocorrelation_time,measurements\n";
  for (std::size_t k = 0; k < names_.size(); ++k) table += mean_row(names_[k], mean_of(columns_[k]), rows());
  return table;
}

}  // namespace tacit::qcd
