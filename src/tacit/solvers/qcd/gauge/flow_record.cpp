// Means and scales of Wilson flows, and their tables.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/gauge/flow_record.hpp"

#include <fmt/format.h>

#include "tacit/base/error.hpp"

namespace tacit::qcd {

FlowRecord::FlowRecord(const FlowSettings& settings, std::size_t sites) : sites_(static_cast<double>(sites)) {
  if (settings.end == 0.0) return;
  const double apart = settings.end / static_cast<double>(settings.points);
  for (std::size_t point = 0; point <= settings.points; ++point) times_.push_back(static_cast<double>(point) * apart);
}

void FlowRecord::add(double sweep, std::span<const FlowPoint> points) {
  TACIT_EXPECT(points.size() == times_.size());
  sweeps_.push_back(sweep);
  for (const FlowPoint& point : points) values_.insert(values_.end(), {point.energy, point.plaquette, point.charge});
}

void FlowRecord::restore(std::span<const double> sweeps, std::span<const double> values) {
  TACIT_EXPECT(values.size() == sweeps.size() * times_.size() * numbers);
  sweeps_.assign(sweeps.begin(), sweeps.end());
  values_.assign(values.begin(), values.end());
}

std::vector<double> FlowRecord::column(std::size_t time, std::size_t number) const {
  std::vector<double> result;
  for (std::size_t row = 0; row < rows(); ++row) result.push_back(value(row, time, number));
  return result;
}

std::vector<Mean> FlowRecord::energies(std::size_t number) const {
  std::vector<Mean> means;
  for (std::size_t time = 0; time < times_.size(); ++time) {
    Mean mean = mean_of(column(time, number));
    mean.value *= times_[time] * times_[time];
    mean.error *= times_[time] * times_[time];
    means.push_back(mean);
  }
  return means;
}

std::vector<double> FlowRecord::charges() const {
  return times_.empty() ? std::vector<double>() : column(times_.size() - 1, 2);
}

std::vector<FlowRecord::Quantity> FlowRecord::scales() const {
  if (rows() == 0) return {};
  std::vector<std::vector<double>> energies;
  for (std::size_t time = 0; time < times_.size(); ++time) energies.push_back(column(time, 0));
  const std::vector<double> charge = charges();
  std::vector<double> squares;
  for (const double q : charge) squares.push_back(q * q / sites_);
  return {{"t0", mean_of_function(energies, [&](std::span<const double> means) { return find_t0(times_, means); })},
          {"w0", mean_of_function(energies, [&](std::span<const double> means) { return find_w0(times_, means); })},
          {"charge", mean_of(charge)},
          {"charge_squared_per_site", mean_of(squares)}};
}

std::string FlowRecord::points_csv() const {
  std::string table = "sweep,t,energy,plaquette_energy,charge\n";
  for (std::size_t row = 0; row < rows(); ++row) {
    for (std::size_t time = 0; time < times_.size(); ++time) {
      table += fmt::format("{},{:.10g},{:.16e},{:.16e},{:.16e}\n", sweeps_[row], times_[time], value(row, time, 0),
                           value(row, time, 1), value(row, time, 2));
    }
  }
  return table;
}

std::string FlowRecord::means_csv() const {
  std::string table = "t,t2_energy,t2_energy_error,t2_plaquette_energy,t2_plaquette_energy_error\n";
  if (rows() == 0) return table;
  const std::vector<Mean> clover = energies(0);
  const std::vector<Mean> plaquettes = energies(1);
  for (std::size_t time = 0; time < times_.size(); ++time) {
    table += fmt::format("{:.10g},{},{},{},{}\n", times_[time], number_text(clover[time].value),
                         number_text(clover[time].error), number_text(plaquettes[time].value),
                         number_text(plaquettes[time].error));
  }
  return table;
}

}  // namespace tacit::qcd
