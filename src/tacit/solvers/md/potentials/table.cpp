// Makes splines of tables, and sums the pairs that they are of.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/potentials/table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tacit/base/error.hpp"

namespace tacit::md {

/// Second derivatives m: h_k m_(k-1) + 2 (h_k + h_(k+1)) m_k + h_(k+1) m_(k+1) = 6 (difference of slopes), by
/// elimination.
ClampedSpline::ClampedSpline(std::span<const double> x, std::span<const double> y, double first_slope,
                             double last_slope)
    : x_(x.begin(), x.end()), y_(y.begin(), y.end()), second_(x.size()) {
  const std::size_t n = x_.size();
  TACIT_EXPECT(n >= 2 && y_.size() == n);
  std::vector<double> ratio(n);
  const auto slope = [this](std::size_t k) { return (y_[k + 1] - y_[k]) / (x_[k + 1] - x_[k]); };
  for (std::size_t k = 0; k < n; ++k) {
    const double before = k > 0 ? x_[k] - x_[k - 1] : 0.0;
    const double behind = k + 1 < n ? x_[k + 1] - x_[k] : 0.0;
    const double right = 6.0 * ((k + 1 < n ? slope(k) : last_slope) - (k > 0 ? slope(k - 1) : first_slope));
    const double pivot = 2.0 * (before + behind) - (k > 0 ? before * ratio[k - 1] : 0.0);
    ratio[k] = behind / pivot;
    second_[k] = (right - (k > 0 ? before * second_[k - 1] : 0.0)) / pivot;
  }
  for (std::size_t k = n - 1; k-- > 0;) second_[k] -= ratio[k] * second_[k + 1];
}

double ClampedSpline::at(double x) const {
  const auto above = std::upper_bound(x_.begin() + 1, x_.end() - 1, x);
  const auto k = static_cast<std::size_t>(above - x_.begin()) - 1;
  const double h = x_[k + 1] - x_[k];
  const double b = (x - x_[k]) / h;
  const double a = 1.0 - b;
  return a * y_[k] + b * y_[k + 1] + ((a * a * a - a) * second_[k] + (b * b * b - b) * second_[k + 1]) * h * h / 6.0;
}

namespace {

/// a t^3 + b t^2 + c t + d
struct Cubic {
  double a = 0.0, b = 0.0, c = 0.0, d = 0.0;
};

/// The intervals of a spline, each of the width h.
std::vector<Cubic> cubics_of(std::span<const double> y, std::span<const double> second, double h) {
  std::vector<Cubic> result;
  for (std::size_t k = 0; k + 1 < y.size(); ++k) {
    const double low = h * h * second[k];
    const double high = h * h * second[k + 1];
    result.push_back({(high - low) / 6.0, 0.5 * low, y[k + 1] - y[k] - (2.0 * low + high) / 6.0, y[k]});
  }
  return result;
}

}  // namespace

std::vector<double> table_intervals(const PairTable& table, Interpolation interpolation, std::size_t points,
                                    double cutoff) {
  const std::size_t n = table.r.size();
  TACIT_EXPECT(points >= 2 && n >= 4);
  const auto secant = [&](std::size_t k) { return (table.f[k + 1] - table.f[k]) / (table.r[k + 1] - table.r[k]); };
  const ClampedSpline energy(table.r, table.u, -table.f[0], -table.f[n - 1]);
  const ClampedSpline force(table.r, table.f, table.end_slopes ? table.end_slopes->first : secant(0),
                            table.end_slopes ? table.end_slopes->second : secant(n - 2));
  const double inner2 = table.begin * table.begin;
  const double width = (cutoff * cutoff - inner2) / static_cast<double>(points - 1);
  std::vector<double> r2, u, over_r;
  for (std::size_t k = 0; k < points; ++k) {
    r2.push_back(inner2 + static_cast<double>(k) * width);
    const double r = std::sqrt(r2.back());
    u.push_back(energy.at(r));
    over_r.push_back(force.at(r) / r);
  }
  std::vector<Cubic> of_u, of_force;
  if (interpolation == Interpolation::linear) {
    const std::vector<double> straight(points, 0.0);
    of_u = cubics_of(u, straight, width);
    of_force = cubics_of(over_r, straight, width);
  } else {
    // du / d(r^2) = -f / 2r
    const ClampedSpline in_r2(r2, u, -0.5 * over_r.front(), -0.5 * over_r.back());
    of_u = cubics_of(u, in_r2.second_derivatives(), width);
    if (interpolation == Interpolation::cubic) {
      for (const Cubic& one : of_u) {
        of_force.push_back({0.0, -6.0 * one.a / width, -4.0 * one.b / width, -2.0 * one.c / width});
      }
    } else {
      // Slopes of f / r at the ends, by r^2: of the file, or over a tenth of an interval.
      const double part = 0.1 * width;
      const auto over = [&](double at2) { return force.at(std::sqrt(at2)) / std::sqrt(at2); };
      double first = (over(inner2 + part) - over_r.front()) / part;
      double last = (over_r.back() - over(cutoff * cutoff - part)) / part;
      const auto by_r2 = [](double slope, double f_over_r, double r) { return (slope - f_over_r) / (2.0 * r * r); };
      if (table.end_slopes) {
        first = by_r2(table.end_slopes->first, over_r.front(), table.begin);
        if (cutoff == table.r[n - 1]) last = by_r2(table.end_slopes->second, over_r.back(), cutoff);
      }
      of_force = cubics_of(over_r, ClampedSpline(r2, over_r, first, last).second_derivatives(), width);
    }
  }
  std::vector<double> result;
  for (std::size_t k = 0; k + 1 < points; ++k) {
    for (const Cubic& one : {of_u[k], of_force[k]}) result.insert(result.end(), {one.a, one.b, one.c, one.d});
  }
  return result;
}

namespace {

class TableInteraction final : public Interaction {
 public:
  explicit TableInteraction(const TableParameters& parameters)
      : parameters_(parameters), loop_(pair_loops().tabulated) {
    TACIT_EXPECT(parameters.pairs.size() == parameters.types * parameters.types);
    for (const TabulatedTypes& of : parameters.pairs) {
      const double inner2 = of.begin * of.begin;
      const double cutoff2 = of.cutoff * of.cutoff;
      const double intervals = static_cast<double>(parameters.points - 1);
      of_pairs_.insert(of_pairs_.end(),
                       {cutoff2, inner2, of.cutoff > 0.0 ? 1.0 / ((cutoff2 - inner2) / intervals) : 0.0,
                        static_cast<double>(of.first), intervals - 1.0});
    }
  }
  [[nodiscard]] Kind kind() const override { return Kind::pairs; }
  [[nodiscard]] double cutoff() const override {
    return std::ranges::max(parameters_.pairs, {}, &TabulatedTypes::cutoff).cutoff;
  }
  [[nodiscard]] double begin() const override {
    double result = std::numeric_limits<double>::infinity();
    for (const TabulatedTypes& of : parameters_.pairs) {
      if (of.cutoff > 0.0) result = std::min(result, of.begin);
    }
    return result;
  }
  [[nodiscard]] bool acts(std::size_t a, std::size_t b) const override {
    return parameters_.pairs[a * parameters_.types + b].cutoff > 0.0;
  }
  void sum(kernels::PairWork work, const kernels::PairSums& sums) const override {
    work.of_pairs = of_pairs_.data();
    work.types = parameters_.types;
    work.intervals = parameters_.intervals.data();
    loop_(work, sums);
  }
  [[nodiscard]] Tail tail(std::span<const std::uint64_t> /*atoms*/, double /*volume*/) const override { return {}; }

 private:
  TableParameters parameters_;
  void (*loop_)(const kernels::PairWork&, const kernels::PairSums&);
  base::PackVector<double> of_pairs_;
};

}  // namespace

std::unique_ptr<Interaction> make_table(const TableParameters& parameters) {
  return std::make_unique<TableInteraction>(parameters);
}

}  // namespace tacit::md
