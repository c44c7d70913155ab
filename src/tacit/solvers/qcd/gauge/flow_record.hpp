// Wilson flows of the fields of a Markov chain, and the scales that they set.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "tacit/solvers/qcd/gauge/ensemble.hpp"
#include "tacit/solvers/qcd/gauge/flow.hpp"

namespace tacit::qcd {

/// The points of each field that has flowed, at the same times.
class FlowRecord {
 public:
  /// Numbers of a point beside its time: energy, energy of plaquettes, charge.
  static constexpr std::size_t numbers = 3;

  /// @param sites  of the lattice
  FlowRecord(const FlowSettings& settings, std::size_t sites);

  [[nodiscard]] std::size_t rows() const noexcept { return sweeps_.size(); }
  [[nodiscard]] const std::vector<double>& sweeps() const noexcept { return sweeps_; }
  [[nodiscard]] const std::vector<double>& times() const noexcept { return times_; }
  /// @param points  at all times
  void add(double sweep, std::span<const FlowPoint> points);

  /// All numbers, shape (rows, times, numbers), as checkpoints have them.
  [[nodiscard]] const std::vector<double>& values() const noexcept { return values_; }
  /// @pre values has the shape of values()
  void restore(std::span<const double> sweeps, std::span<const double> values);

  /// t^2 E over all fields at each time, of the clover or of plaquettes.
  [[nodiscard]] std::vector<Mean> energies(std::size_t number) const;
  /// Of each field at the last time.
  [[nodiscard]] std::vector<double> charges() const;

  /// A mean with its name.
  struct Quantity {
    std::string name;
    Mean mean;
  };
  /// t0 and w0 of <E> of the clover, the charge and its square divided by the sites; errors by jackknife. NaN where a
  /// scale is not reached.
  [[nodiscard]] std::vector<Quantity> scales() const;

  /// All points as text: sweep, t, then the numbers.
  [[nodiscard]] std::string points_csv() const;
  /// A row for each time: t^2 E with errors, of the clover and of plaquettes.
  [[nodiscard]] std::string means_csv() const;

 private:
  [[nodiscard]] double value(std::size_t row, std::size_t time, std::size_t number) const {
    return values_[(row * times_.size() + time) * numbers + number];
  }
  [[nodiscard]] std::vector<double> column(std::size_t time, std::size_t number) const;

  double sites_;
  std::vector<double> times_;
  std::vector<double> sweeps_;
  std::vector<double> values_;
};

}  // namespace tacit::qcd
