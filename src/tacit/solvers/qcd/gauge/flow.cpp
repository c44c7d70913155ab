// Integrates the Wilson flow, and sums field strengths.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/gauge/flow.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "tacit/solvers/qcd/gauge/staples.hpp"
#include "tacit/tasks/parallel_for.hpp"

namespace tacit::qcd {
namespace {

constexpr double scale_at = 0.3;  // t^2 E, and its derivative by ln t
constexpr double not_reached = std::numeric_limits<double>::quiet_NaN();

/// Where the line through two points is at `scale_at`.
double crossing(double x0, double y0, double x1, double y1) { return x0 + (scale_at - y0) / (y1 - y0) * (x1 - x0); }

}  // namespace

FlowPoint measure_flow(const LinkTasks& tasks, const GaugeField& field, double t) {
  const Matrix3* const links = field.links.data();
  const std::vector<double> sums = tasks.sums(3, [&](std::uint32_t site, std::span<double> values) {
    std::array<std::array<Matrix3, axes>, axes> G;
    values[0] = values[1] = 0.0;
    for (std::size_t mu = 0; mu < axes; ++mu) {
      for (std::size_t nu = mu + 1; nu < axes; ++nu) {
        G[mu][nu] = traceless_antihermitian(Complex(0.25) * leaves_at(links, tasks.sites(), site, mu, nu));
        values[0] -= trace(G[mu][nu] * G[mu][nu]).real();
        values[1] += 2.0 * (3.0 - trace(plaquette_at(links, tasks.sites(), site, mu, nu)).real());
      }
    }
    const double product =
        trace(G[0][1] * G[2][3]).real() - trace(G[0][2] * G[1][3]).real() + trace(G[0][3] * G[1][2]).real();
    values[2] = -product / (4.0 * std::numbers::pi * std::numbers::pi);
  });
  const auto sites = static_cast<double>(field.extents.sites());
  return {.t = t, .energy = sums[0] / sites, .plaquette = sums[1] / sites, .charge = sums[2]};
}

Matrix3 flow_force(const GaugeField& field, const BoxSites& sites, std::uint32_t site, std::size_t mu) noexcept {
  const Matrix3* const links = field.links.data();
  return Complex(-1.0) * traceless_antihermitian(links[site * axes + mu] * staples(links, sites, site, mu));
}

WilsonFlow::WilsonFlow(LinkTasks& tasks, GaugeField& field)
    : tasks_(tasks), field_(field), force_(field.links.size()), z_(field.links.size()) {}

void WilsonFlow::advance(double eps) {
  stage(0.25 * eps, 0.0);
  stage(8.0 / 9.0 * eps, -17.0 / 9.0);
  stage(0.75 * eps, -1.0);
}

/// Forces are those of the field as it was, so that all are there before a link moves.
void WilsonFlow::stage(double of_force, double of_last) {
  const BoxSites& sites = tasks_.sites();
  tasks::parallel_for(tasks_.scheduler(), 0, sites.own().size(), [&](std::size_t k) {
    const std::uint32_t site = sites.own()[k];
    for (std::size_t mu = 0; mu < axes; ++mu) force_[site * axes + mu] = flow_force(field_, sites, site, mu);
  });
  Matrix3* const links = field_.links.data();
  for (std::size_t mu = 0; mu < axes; ++mu) {
    tasks_.run_both({links, axes, mu}, [&](std::span<const std::uint32_t> mine) {
      for (const std::uint32_t site : mine) {
        const std::size_t link = site * axes + mu;
        z_[link] = Complex(of_force) * force_[link] + Complex(of_last) * z_[link];
        links[link] = projected(exponential(Complex(0.0, -1.0) * z_[link]) * links[link]);
      }
    });
  }
}

std::size_t FlowSettings::steps_per_point() const noexcept {
  constexpr double rounding = 1e-9;
  const double steps = std::ceil(end / (static_cast<double>(points) * step) - rounding);
  return std::max<std::size_t>(1, static_cast<std::size_t>(steps));
}

std::vector<FlowPoint> flow(LinkTasks& tasks, GaugeField& field, const FlowSettings& settings) {
  std::vector<FlowPoint> points{measure_flow(tasks, field, 0.0)};
  WilsonFlow flow(tasks, field);
  const std::size_t steps = settings.steps_per_point();
  const double apart = settings.end / static_cast<double>(settings.points);
  for (std::size_t point = 1; point <= settings.points; ++point) {
    for (std::size_t n = 0; n < steps; ++n) flow.advance(apart / static_cast<double>(steps));
    points.push_back(measure_flow(tasks, field, static_cast<double>(point) * apart));
  }
  return points;
}

double find_t0(std::span<const double> times, std::span<const double> energies) {
  const auto value = [&](std::size_t k) { return times[k] * times[k] * energies[k]; };
  for (std::size_t k = 1; k < times.size(); ++k) {
    if (value(k - 1) < scale_at && value(k) >= scale_at) {
      return crossing(times[k - 1], value(k - 1), times[k], value(k));
    }
  }
  return not_reached;
}

double find_w0(std::span<const double> times, std::span<const double> energies) {
  const auto value = [&](std::size_t k) { return times[k] * times[k] * energies[k]; };
  const auto middle = [&](std::size_t k) { return 0.5 * (times[k] + times[k - 1]); };
  const auto slope = [&](std::size_t k) { return middle(k) * (value(k) - value(k - 1)) / (times[k] - times[k - 1]); };
  for (std::size_t k = 2; k < times.size(); ++k) {
    if (slope(k - 1) < scale_at && slope(k) >= scale_at) {
      return std::sqrt(crossing(middle(k - 1), slope(k - 1), middle(k), slope(k)));
    }
  }
  return not_reached;
}

}  // namespace tacit::qcd
