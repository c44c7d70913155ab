// Coefficients of splines from modes, and their sums.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/dns/tracers/spline.hpp"

#include <algorithm>
#include <vector>

#include "tacit/solvers/dns/tracers/ghost_planes.hpp"

namespace tacit::dns {
namespace {

// A position in a cell needs one point below and two above it.
constexpr std::size_t below = GhostPlanes::below;
constexpr std::size_t above = GhostPlanes::above;
constexpr std::size_t ghosts = GhostPlanes::both;

std::vector<fft::Range> y_ranges(const fft::Pencils& pencils) {
  std::vector<fft::Range> ranges;
  for (std::size_t place = 0; place < pencils.grid().row_size; ++place) ranges.push_back(pencils.y_of(place));
  return ranges;
}

std::vector<fft::Range> z_ranges(const fft::Pencils& pencils) {
  std::vector<fft::Range> ranges;
  for (std::size_t place = 0; place < pencils.grid().column_size; ++place) ranges.push_back(pencils.z_of(place));
  return ranges;
}

}  // namespace

/// The coefficients of the points of this rank and of the ghost points around them: every sum is local.
class VelocitySpline::Coefficients final : public fft::PassWork<double> {
 public:
  Coefficients(const Flow& flow, tasks::Scheduler& scheduler)
      : flow_(flow),
        nx_(flow.pencils().modes().points()[0]),
        y_(flow.pencils().y()),
        z_(flow.pencils().z()),
        row_((nx_ + ghosts) * 3),
        plane_((y_.size() + ghosts) * row_),
        values_((z_.size() + ghosts) * plane_),
        along_y_(
            {y_ranges(flow.pencils()), flow.pencils().place_in_row(), z_.size() * row_}, flow.ranks().row(), scheduler,
            [this](std::size_t y, double* to) {
              for (std::size_t z = 0; z < z_.size(); ++z) std::copy_n(at(below + z, y), row_, to + z * row_);
            },
            [this](std::size_t y, const double* from) {
              for (std::size_t z = 0; z < z_.size(); ++z) std::copy_n(from + z * row_, row_, at(below + z, y));
            }),
        along_z_(
            {z_ranges(flow.pencils()), flow.pencils().place_in_column(), plane_}, flow.ranks().column(), scheduler,
            [this](std::size_t z, double* to) { std::copy_n(at(z, 0), plane_, to); },
            [this](std::size_t z, const double* from) { std::copy_n(from, plane_, at(z, 0)); }) {
    const fft::Modes& modes = flow.pencils().modes();
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (std::size_t i = 0; i < modes.count(axis); ++i) {
        factors_[axis].push_back(1.0 / spline_transform(modes.wave_number(axis, i), modes.points()[axis]));
      }
    }
  }

  void load(std::size_t field, const fft::ColumnBlock& block, Complex* lines) const override {
    const fft::Modes& modes = flow_.pencils().modes();
    std::array<double, fft::lanes> across{};
    for (std::size_t lane = 0; lane < block.count; ++lane) {
      across[lane] = factors_[0][block.kx] * factors_[1][block.ky + lane];
    }
    for (std::size_t kz = 0; kz < modes.count(2); ++kz) {
      const Complex* const from = flow_.modes(field).data() + flow_.pencils().spectral_place(block.kx, block.ky, kz);
      Complex* const to = lines + modes.place(2, kz) * fft::lanes;
      for (std::size_t lane = 0; lane < block.count; ++lane) to[lane] = from[lane] * (across[lane] * factors_[2][kz]);
    }
  }

  void rows(std::size_t /*worker*/, std::size_t y, std::size_t z, std::span<double* const> in,
            std::span<double* const> /*out*/) const override {
    double* const row = at(z - z_.begin + below, y - y_.begin + below);
    double* to = row + below * 3;
    for (std::size_t x = 0; x < nx_; ++x) {
      for (std::size_t c = 0; c < 3; ++c) *to++ = in[c][x];
    }
    std::copy_n(row + nx_ * 3, below * 3, row);
    std::copy_n(row + below * 3, above * 3, to);
  }

  /// The ghost planes along y, then those along z with their corners.
  void fill_ghosts() {
    along_y_.fill();
    along_z_.fill();
  }

  [[nodiscard]] base::Vec3 sum(const base::Vec3& position) const noexcept {
    const fft::Shape& n = flow_.pencils().modes().points();
    const base::Vec3& box = flow_.parameters().box;
    const GridPlace x = grid_place(position.x, n[0], box.x);
    const GridPlace y = grid_place(position.y, n[1], box.y);
    const GridPlace z = grid_place(position.z, n[2], box.z);
    const auto wx = spline_weights(x.fraction);
    const auto wy = spline_weights(y.fraction);
    const auto wz = spline_weights(z.fraction);
    std::array<double, 3> sum{};
    for (std::size_t k = 0; k < 4; ++k) {
      std::array<double, 3> of_plane{};
      for (std::size_t j = 0; j < 4; ++j) {
        const double* const row = at(z.cell - z_.begin + k, y.cell - y_.begin + j) + 3 * x.cell;
        for (std::size_t c = 0; c < 3; ++c) {
          of_plane[c] += wy[j] * (wx[0] * row[c] + wx[1] * row[3 + c] + wx[2] * row[6 + c] + wx[3] * row[9 + c]);
        }
      }
      for (std::size_t c = 0; c < 3; ++c) sum[c] += wz[k] * of_plane[c];
    }
    return {sum[0], sum[1], sum[2]};
  }

  [[nodiscard]] std::size_t bytes() const noexcept {
    return values_.size() * sizeof(double) + along_y_.bytes() + along_z_.bytes();
  }

 private:
  /// The row of local indices, which count ghost planes; x begins with a ghost point, three numbers for each point.
  [[nodiscard]] double* at(std::size_t z, std::size_t y) const noexcept {
    return values_.data() + z * plane_ + y * row_;
  }

  const Flow& flow_;
  std::size_t nx_;
  fft::Range y_;
  fft::Range z_;
  std::size_t row_;
  std::size_t plane_;
  // Shape (z + ghosts, y + ghosts, x + ghosts, 3); each row is written by one task.
  mutable std::vector<double> values_;
  GhostPlanes along_y_;
  GhostPlanes along_z_;
  std::array<std::vector<double>, 3> factors_;  // 1 / transform of the spline, by axis and index
};

VelocitySpline::VelocitySpline(const Flow& flow, tasks::Scheduler& scheduler)
    : coefficients_(std::make_unique<Coefficients>(flow, scheduler)),
      pass_(std::make_unique<fft::Pass<double>>(flow.pencils(), fft::PassFields{.in = 3, .out = 0, .mixed = 0},
                                                *coefficients_, scheduler, flow.parameters().rigor, flow.ranks())) {
  pass_->time_exchanges();
}

VelocitySpline::~VelocitySpline() = default;

void VelocitySpline::update() {
  pass_->run({});
  coefficients_->fill_ghosts();
}

base::Vec3 VelocitySpline::at(const base::Vec3& position) const noexcept { return coefficients_->sum(position); }

std::size_t VelocitySpline::bytes() const noexcept { return coefficients_->bytes() + pass_->bytes(); }

}  // namespace tacit::dns
