// Means over a Markov chain, with errors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tacit::qcd {

/// A mean over measurements that follow each other.
struct Mean {
  double value = 0.0;
  double error = 0.0;  ///< by jackknife, of blocks longer than the autocorrelation; NaN where there are too few
  double tau = 0.5;    ///< integrated autocorrelation time [measurements]; 1/2: none
};

/// The integrated autocorrelation time,
///
///     tau = 1/2 + sum_{t = 1}^{W} rho(t),     W: the first that is at least 4 tau
///
/// @see Madras & Sokal (1988), J. Stat. Phys. 50, 109
/// @return at least 1/2; NaN of fewer than two values
[[nodiscard]] double autocorrelation_time(std::span<const double> values);

/// Measurements per block of the jackknife: twice tau, rounded up, but as many as leave eight blocks.
[[nodiscard]] std::size_t block_length(double tau, std::size_t count) noexcept;

[[nodiscard]] Mean mean_of(std::span<const double> values);

/// The value and jackknife error of a function of several means, for example the effective mass of a correlator.
/// @param columns  shape (quantities, measurements)
/// @param of       takes the means of all quantities
[[nodiscard]] Mean mean_of_function(const std::vector<std::vector<double>>& columns,
                                    const std::function<double(std::span<const double>)>& of);

/// A number with all its digits, as in tables; empty if it is not known.
[[nodiscard]] std::string number_text(double value);
/// A row of a table of means: name, mean, error, autocorrelation time, measurements.
[[nodiscard]] std::string mean_row(const std::string& name, const Mean& mean, std::size_t rows);

/// A table of measurements: a column for each quantity, a row for each field.
class Ensemble {
 public:
  explicit Ensemble(std::vector<std::string> names) : names_(std::move(names)), columns_(names_.size()) {}

  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }
  [[nodiscard]] std::size_t rows() const noexcept { return sweeps_.size(); }
  [[nodiscard]] const std::vector<double>& sweeps() const noexcept { return sweeps_; }
  [[nodiscard]] const std::vector<double>& column(std::size_t quantity) const { return columns_[quantity]; }
  /// @param values  one of each quantity
  void add(double sweep, std::span<const double> values);
  /// All rows as text: sweep, then the quantities.
  [[nodiscard]] std::string measurements_csv() const;
  /// A row for each quantity: its mean, error and autocorrelation time.
  [[nodiscard]] std::string means_csv() const;

 private:
  std::vector<std::string> names_;
  std::vector<double> sweeps_;
  std::vector<std::vector<double>> columns_;
};

}  // namespace tacit::qcd
