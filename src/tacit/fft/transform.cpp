// Transforms as passes in one direction only.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/fft/transform.hpp"

#include <algorithm>
#include <vector>

#include "tacit/base/pack_memory.hpp"
#include "tacit/fft/lane_copies.hpp"
#include "tacit/fft/pass.hpp"
#include "tacit/fft/process_grid.hpp"

namespace tacit::fft {
namespace {

ProcessGrid grid_of(const Modes& modes, const TransformOptions& options, const comm::Communicator& ranks) {
  const ProcessGrid grid = options.grid.ranks() == 0 ? choose_grid(modes, ranks) : options.grid;
  check_grid(grid, ranks);
  return grid;
}

Pencils pencils_of(const Shape& points, const TransformOptions& options, const comm::Communicator& ranks) {
  const Modes modes(points, options.truncation);
  return {modes, grid_of(modes, options, ranks), number(ranks.rank())};
}

}  // namespace

template <class Real>
class Transform<Real>::Work final : public PassWork<Real> {
 public:
  Work(const Shape& shape, tasks::Scheduler& scheduler, const TransformOptions& options, comm::Communicator& ranks)
      : pencils(pencils_of(shape, options, ranks)),
        points(options.fields, base::PackVector<Real>(pencils.physical_size())),
        all_modes_(options.fields * pencils.spectral_size()),
        scale_(static_cast<Real>(1.0 / static_cast<double>(product(shape)))),
        ranks_(ranks, pencils.grid(), scheduler) {
    const std::size_t n = options.fields;
    for (std::size_t i = 0; i < n; ++i) {
      modes.push_back(std::span(all_modes_).subspan(i * pencils.spectral_size(), pencils.spectral_size()));
    }
    // Where all kz are kept, modes are laid out as what is between the transforms.
    const bool may_share = pencils.modes().count(2) == shape[2] && pencils.grid().ranks() == 1;
    const Division division = may_share ? Division{.chunks = 1, .groups = 1} : options.division;
    const std::span<Complex> shared = may_share ? std::span(all_modes_) : std::span<Complex>();
    to_points = std::make_unique<Pass<Real>>(pencils, PassFields{.in = n}, *this, scheduler, options.rigor, ranks_,
                                             division, options.keeps_modes ? std::span<Complex>() : shared);
    to_modes = std::make_unique<Pass<Real>>(pencils, PassFields{.out = n, .mixed = n}, *this, scheduler, options.rigor,
                                            ranks_, division, shared);
  }

  void load(std::size_t field, const ColumnBlock& block, Complex* lines) const override {
    copier_.gather_columns(pencils.modes(), modes[field].data() + pencils.spectral_place(block.kx, block.ky, 0),
                           pencils.ky().size(), block.count, lines);
  }
  [[nodiscard]] Real* points_at(std::size_t field, std::size_t y, std::size_t z) const override {
    return points[field].data() + row_of(y, z);
  }
  [[nodiscard]] bool changes_points() const override { return false; }
  void rows(std::size_t /*worker*/, std::size_t y, std::size_t z, std::span<Real* const> in,
            std::span<Real* const> out) const override {
    const std::size_t n = pencils.modes().points()[0];
    for (std::size_t field = 0; field < points.size(); ++field) {
      Real* const own = points[field].data() + row_of(y, z);
      if (!in.empty() && in[field] != own) std::copy_n(in[field], n, own);
      if (!out.empty() && out[field] != own) std::copy_n(own, n, out[field]);
    }
  }
  void store(std::size_t /*worker*/, const ColumnBlock& block, std::span<Complex* const> lines) const override {
    for (std::size_t field = 0; field < modes.size(); ++field) {
      copier_.scatter_columns(pencils.modes(), scale_, lines[field], block.count,
                              modes[field].data() + pencils.spectral_place(block.kx, block.ky, 0), pencils.ky().size());
    }
  }

 private:
  [[nodiscard]] std::size_t row_of(std::size_t y, std::size_t z) const {
    const std::size_t row = (z - pencils.z().begin) * pencils.y().size() + (y - pencils.y().begin);
    return row * pencils.modes().points()[0];
  }

 public:
  Pencils pencils;
  // Every task has places of its own in them.
  mutable std::vector<base::PackVector<Real>> points;
  std::vector<std::span<Complex>> modes;

 private:
  base::PackVector<Complex> all_modes_;
  Real scale_;
  LaneCopier<Real> copier_;
  GridCommunicators ranks_;

 public:
  std::unique_ptr<Pass<Real>> to_points;
  std::unique_ptr<Pass<Real>> to_modes;
};

template <class Real>
Transform<Real>::Transform(const Shape& points, tasks::Scheduler& scheduler, const TransformOptions& options,
                           comm::Communicator& ranks)
    : work_(std::make_unique<Work>(points, scheduler, options, ranks)) {}
template <class Real>
Transform<Real>::~Transform() = default;

template <class Real>
const Pencils& Transform<Real>::pencils() const noexcept {
  return work_->pencils;
}
template <class Real>
std::size_t Transform<Real>::fields() const noexcept {
  return work_->modes.size();
}
template <class Real>
std::span<Real> Transform<Real>::points(std::size_t field) noexcept {
  return work_->points[field];
}
template <class Real>
std::span<const Real> Transform<Real>::points(std::size_t field) const noexcept {
  return work_->points[field];
}
template <class Real>
std::span<std::complex<Real>> Transform<Real>::modes(std::size_t field) noexcept {
  return work_->modes[field];
}
template <class Real>
std::span<const std::complex<Real>> Transform<Real>::modes(std::size_t field) const noexcept {
  return work_->modes[field];
}
template <class Real>
void Transform<Real>::to_modes() {
  work_->to_modes->run({});
}
template <class Real>
void Transform<Real>::to_points() {
  work_->to_points->run({});
}
template <class Real>
std::size_t Transform<Real>::bytes() const noexcept {
  std::size_t sum = work_->to_points->bytes() + work_->to_modes->bytes();
  for (const auto& field : work_->points) sum += field.size() * sizeof(Real);
  for (const auto& field : work_->modes) sum += field.size_bytes();
  return sum;
}

template class Transform<double>;
template class Transform<float>;

}  // namespace tacit::fft
