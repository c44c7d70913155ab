// Passes from modes to points that count what they find there.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/dns/statistics/distributions.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <span>

#include "tacit/comm/collectives/reduce.hpp"
#include "tacit/fft/process_grid.hpp"

namespace tacit::dns {
namespace {

using Three = std::array<double, 3>;

/// A component of the quantity in one mode.
Complex value_of(Quantity quantity, std::size_t c, const Three& k, const std::array<Complex, 3>& u) {
  constexpr Complex i{0.0, 1.0};
  const std::size_t next = (c + 1) % 3;
  const std::size_t last = (c + 2) % 3;
  switch (quantity) {
    case Quantity::gradient:
      return i * k[c] * u[c];
    case Quantity::vorticity:
      return i * (k[next] * u[last] - k[last] * u[next]);
    case Quantity::velocity:
      break;
  }
  return u[c];
}

/// A component of the quantity in the mode that stands at a place.
class Values {
 public:
  Values(const Flow& flow, Quantity quantity) : flow_(flow), quantity_(quantity) {}
  [[nodiscard]] Complex operator()(std::size_t c, std::size_t kx, std::size_t ky, std::size_t kz) const {
    const std::size_t at = flow_.pencils().spectral_place(kx, ky, kz);
    return value_of(quantity_, c, flow_.wave_vector(kx, ky, kz),
                    {flow_.modes(0)[at], flow_.modes(1)[at], flow_.modes(2)[at]});
  }

 private:
  const Flow& flow_;
  Quantity quantity_;
};

/// What is taken of the points: sums of powers 2, 3 and 4 by component, and if there are bins, counts and a slice.
class Counting final : public fft::PassWork<double> {
 public:
  struct Bins {
    Binning binning;
    Three root_mean_square{};
    std::size_t slice_z = 0;
  };
  Counting(const Flow& flow, Quantity quantity, const std::optional<Bins>& bins)
      : flow_(flow), values_(flow, quantity), bins_(bins), powers_(9, flow) {
    if (!bins) return;
    counts_.assign(flow.workers(), std::vector<std::uint64_t>(3 * stride()));
    const fft::Shape& n = flow.parameters().points;
    for (auto& plane : slice_) plane.resize(n[0] * n[1]);
    for (std::size_t c = 0; c < 3; ++c) {
      const double reach = bins->binning.range * bins->root_mean_square[c];
      bins_per_value_[c] = reach > 0.0 ? 0.5 * static_cast<double>(bins->binning.bins) / reach : 0.0;
    }
  }

  void load(std::size_t field, const fft::ColumnBlock& block, Complex* lines) const override {
    const fft::Modes& modes = flow_.pencils().modes();
    for (std::size_t kz = 0; kz < modes.count(2); ++kz) {
      Complex* const to = lines + modes.place(2, kz) * fft::lanes;
      for (std::size_t lane = 0; lane < block.count; ++lane) to[lane] = values_(field, block.kx, block.ky + lane, kz);
    }
  }

  void rows(std::size_t worker, std::size_t y, std::size_t z, std::span<double* const> in,
            std::span<double* const> /*out*/) const override {
    const std::size_t n = flow_.parameters().points[0];
    for (std::size_t c = 0; c < 3; ++c) {
      const std::span<const double> row(in[c], n);
      add_powers(worker, c, row);
      if (!bins_) continue;
      count(worker, c, row);
      if (z == bins_->slice_z) std::ranges::copy(row, slice_[c].begin() + static_cast<std::ptrdiff_t>(y * n));
    }
  }

  /// Means of the powers 2, 3 and 4 of a component.
  [[nodiscard]] std::array<Three, 3> powers() const {
    const std::vector<double> sums = powers_.values();
    std::array<Three, 3> means{};
    for (std::size_t i = 0; i < sums.size(); ++i) means[i / 3][i % 3] = sums[i] / points();
    return means;
  }
  /// Share of the points in each bin, by component; the first and the last of them are all that lies beyond.
  [[nodiscard]] std::array<std::vector<double>, 3> shares() const {
    Sums sums(3 * stride(), flow_);
    for (std::size_t worker = 0; worker < counts_.size(); ++worker) {
      for (std::size_t i = 0; i < 3 * stride(); ++i) sums.add(worker, i, static_cast<double>(counts_[worker][i]));
    }
    const std::vector<double> counts = sums.values();
    std::array<std::vector<double>, 3> shares;
    for (std::size_t i = 0; i < counts.size(); ++i) shares[i / stride()].push_back(counts[i] / points());
    return shares;
  }
  /// The plane of a component, shape (ny, nx), on all ranks; each has given its own rows, and 0 for the others.
  [[nodiscard]] std::vector<double> slice(std::size_t c) const {
    std::vector<double> plane = slice_[c];
    for (double& value : plane) value += 0.0;  // as the sum over ranks has it, where -0 becomes 0
    if (comm::Communicator& world = flow_.ranks().world(); world.size() > 1) {
      comm::AllReduce<double> sum(world, std::span(plane), std::plus<double>{});
      sum.run();
    }
    return plane;
  }

 private:
  [[nodiscard]] std::size_t stride() const noexcept { return bins_->binning.bins + 2; }
  [[nodiscard]] double points() const noexcept { return static_cast<double>(fft::product(flow_.parameters().points)); }

  /// One term per row and power, which no division of the rows changes.
  void add_powers(std::size_t worker, std::size_t c, std::span<const double> row) const {
    Three sum{};
    for (const double f : row) {
      const double f2 = f * f;
      sum[0] += f2;
      sum[1] += f2 * f;
      sum[2] += f2 * f2;
    }
    for (std::size_t power = 0; power < 3; ++power) powers_.add(worker, 3 * c + power, sum[power]);
  }

  void count(std::size_t worker, std::size_t c, std::span<const double> row) const {
    const auto last = static_cast<double>(bins_->binning.bins + 1);
    std::uint64_t* const counts = counts_[worker].data() + c * stride();
    for (const double f : row) {
      const double bin = std::floor(f * bins_per_value_[c] + 0.5 * (last - 1.0)) + 1.0;
      ++counts[static_cast<std::size_t>(bin > 0.0 ? std::min(bin, last) : 0.0)];  // NaN too has a place
    }
  }

  const Flow& flow_;
  Values values_;
  std::optional<Bins> bins_;
  Three bins_per_value_{};
  mutable Sums powers_;                                     // each worker adds to its own
  mutable std::vector<std::vector<std::uint64_t>> counts_;  // likewise
  mutable std::array<std::vector<double>, 3> slice_;        // each row once
};

constexpr fft::PassFields to_points{.in = 3, .out = 0, .mixed = 0};

std::array<Moments, 3> moments_from(const std::array<Three, 3>& powers) {
  std::array<Moments, 3> moments{};
  for (std::size_t c = 0; c < 3; ++c) {
    const auto [square, cube, fourth] = powers[c];
    if (!(square > 0.0)) continue;
    moments[c] = {.root_mean_square = std::sqrt(square),
                  .skewness = cube / (square * std::sqrt(square)),
                  .flatness = fourth / (square * square)};
  }
  return moments;
}

}  // namespace

std::array<double, 3> mean_squares(const Flow& flow, Quantity quantity) {
  const Values values(flow, quantity);
  const auto found = flow.sum_over_columns(3, [&](std::size_t kx, std::size_t ky, std::span<double> sums) {
    const double weight = kx == 0 ? 1.0 : 2.0;  // the other half of the modes is not stored
    for (std::size_t kz = 0; kz < flow.pencils().modes().count(2); ++kz) {
      for (std::size_t c = 0; c < 3; ++c) sums[c] += weight * std::norm(values(c, kx, ky, kz));
    }
  });
  return {found[0], found[1], found[2]};
}

std::array<Moments, 3> moments_of(const Flow& flow, Quantity quantity) {
  const Counting counting(flow, quantity, std::nullopt);
  flow.run_pass(to_points, counting);
  return moments_from(counting.powers());
}

double derivative_skewness(const Flow& flow) {
  const Counting counting(flow, Quantity::gradient, std::nullopt);
  flow.run_pass(to_points, counting);
  double square = 0.0;
  double cube = 0.0;
  for (const Three& powers : counting.powers()) {
    square += powers[0] / 3.0;
    cube += powers[1] / 3.0;
  }
  return square > 0.0 ? cube / (square * std::sqrt(square)) : 0.0;
}

Distribution distribution_of(const Flow& flow, Quantity quantity, const Binning& binning, std::size_t slice_z) {
  Counting::Bins bins{.binning = binning, .slice_z = slice_z};
  const Three squares = mean_squares(flow, quantity);
  for (std::size_t c = 0; c < 3; ++c) bins.root_mean_square[c] = std::sqrt(squares[c]);
  const Counting counting(flow, quantity, bins);
  flow.run_pass(to_points, counting);
  Distribution result;
  result.moments = moments_from(counting.powers());
  const double width = 2.0 * binning.range / static_cast<double>(binning.bins);
  for (std::size_t i = 0; i < binning.bins; ++i) {
    result.centre.push_back((static_cast<double>(i) + 0.5) * width - binning.range);
  }
  const auto shares = counting.shares();
  for (std::size_t c = 0; c < 3; ++c) {
    result.outside[c] = shares[c].front() + shares[c].back();
    for (std::size_t i = 0; i < binning.bins; ++i) result.density[c].push_back(shares[c][i + 1] / width);
    result.slice[c] = counting.slice(c);
  }
  return result;
}

}  // namespace tacit::dns
