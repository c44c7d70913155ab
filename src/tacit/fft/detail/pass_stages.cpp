// The stages of a pass.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/fft/detail/pass_stages.hpp"

#include <algorithm>

#include "tacit/base/error.hpp"

namespace tacit::fft::detail {
namespace {

/// Of how many planes the columns left over fill a block, as long as every worker has some blocks.
std::size_t planes_of_a_block(const Pencils& pencils, std::size_t workers) {
  const std::size_t rest = pencils.kx().size() % lanes;
  const std::size_t most = pencils.z().size() / (4 * workers);
  return rest == 0 ? 1 : std::clamp<std::size_t>(lanes / rest, 1, std::max<std::size_t>(most, 1));
}

}  // namespace

template <class Real>
PassStages<Real>::PassStages(const Pencils& pencils, const PassFields& fields, const PassWork<Real>& work,
                             std::size_t workers, Rigor rigor, GridCommunicators& ranks, const Division& division,
                             std::span<Complex> memory)
    : modes_(pencils.modes()),
      fields_(fields),
      work_(work),
      plan_(pencils, division),
      place_in_row_(pencils.place_in_row()),
      place_in_column_(pencils.place_in_column()),
      column_size_(pencils.grid().column_size),
      row_size_(pencils.grid().row_size),
      kx_(pencils.kx()),
      ky_(pencils.ky()),
      y_(pencils.y()),
      planes_together_(planes_of_a_block(pencils, workers)),
      rest_(planes_together_ > 1 ? kx_.size() % lanes : 0),
      changes_points_(work.changes_points()),
      buffers_(plan_, {.to_points = fields.in, .to_modes = fields.mixed, .rows_in = fields.in, .rows_out = fields.out},
               ranks, memory),
      along_x_(modes_.points()[0], rigor),
      along_y_(modes_.points()[1], rigor),
      along_z_(modes_.points()[2], rigor) {
  TACIT_EXPECT(fields.mixed <= fields.out);
  allocate(workers);
}

template <class Real>
std::size_t PassStages<Real>::Workspace::bytes() const noexcept {
  std::size_t sum = (lines.size() + rests.size() + row_modes.size()) * sizeof(Complex);
  for (const auto& one : points) sum += one.size() * sizeof(Real);
  for (const auto& one : planes) sum += one.size() * sizeof(Complex);
  return sum;
}

template <class Real>
bool PassStages<Real>::Workspace::is_elsewhere() const noexcept {
  for (std::size_t f = 0; f < points.size(); ++f) {
    const Real* const at = f < rows_in.size() ? rows_in[f] : rows_out[f - rows_in.size()];
    if (at == points[f].data()) return false;
  }
  return true;
}

template <class Real>
std::size_t PassStages<Real>::bytes() const noexcept {
  std::size_t sum = buffers_.bytes();
  for (const Workspace& workspace : workspaces_) sum += workspace.bytes();
  return sum;
}

template <class Real>
void PassStages<Real>::Columns::add_to(LineBlock& block) const noexcept {
  for (std::size_t i = 0; i < count; ++i, ++block.count) {
    block.z[block.count] = z;
    block.kx[block.count] = kx + i;
  }
}

template <class Real>
void PassStages<Real>::allocate(std::size_t workers) {
  workspaces_.resize(workers);
  for (Workspace& workspace : workspaces_) {
    const std::size_t line = std::max(ny(), nz()) * lanes;
    const std::size_t count = std::max<std::size_t>(fields_.out, 1);
    workspace.lines.resize(line * count);
    for (std::size_t f = 0; f < count; ++f) workspace.each_line.push_back(workspace.lines.data() + f * line);
    const std::size_t rests = rest_ == 0 ? 0 : std::max(fields_.in, fields_.out);
    workspace.rests.resize(rests * ny() * lanes);
    for (std::size_t f = 0; f < rests; ++f) workspace.each_rest.push_back(workspace.rests.data() + f * ny() * lanes);
    workspace.row_modes.resize(lanes * along_x_.mode_stride());
    workspace.points.resize(fields_.in + fields_.out);
    for (auto& rows : workspace.points) rows.resize(lanes * along_x_.point_stride());
    workspace.rows_in.resize(fields_.in);
    workspace.rows_out.resize(fields_.out);
    workspace.planes.resize(has_planes() ? std::max(fields_.in, fields_.out) : 0);
    for (auto& plane : workspace.planes) plane.resize(ny() * modes_.count(0));
  }
}

template <class Real>
void PassStages<Real>::columns_to_points(std::size_t kx, std::size_t worker) {
  Complex* const lines = workspaces_[worker].lines.data();
  const auto [gap_begin, gap_end] = modes_.gap(2);
  for (std::size_t field = 0; field < fields_.in; ++field) {
    for (std::size_t ky = 0; ky < ky_.size(); ky += lanes) {
      const std::size_t count = std::min(lanes, ky_.size() - ky);
      if (count < lanes) std::fill_n(lines, nz() * lanes, Complex{});
      std::fill(lines + gap_begin * lanes, lines + gap_end * lanes, Complex{});
      work_.load(field, {.kx = kx, .ky = ky_.begin + ky, .count = count}, lines);
      along_z_.backward(lines);
      for_each_piece(kx, [&](std::size_t place, std::size_t group, std::size_t chunk, const Range& z) {
        Complex* const to = buffers_.to_points(group, chunk).to(place) + ky +
                            plan_.column_line(field, kx, z.begin, place_in_column_, place, group, chunk);
        copier_.scatter(lines + z.begin * lanes, z.size(), count, to, ky_.size());
      });
    }
  }
}

template <class Real>
void PassStages<Real>::columns_to_modes(std::size_t kx, std::size_t worker) {
  Workspace& workspace = workspaces_[worker];
  for (std::size_t ky = 0; ky < ky_.size(); ky += lanes) {
    const std::size_t count = std::min(lanes, ky_.size() - ky);
    for (std::size_t field = 0; field < fields_.mixed; ++field) {
      Complex* const lines = workspace.each_line[field];
      if (count < lanes) std::fill_n(lines, nz() * lanes, Complex{});
      for_each_piece(kx, [&](std::size_t place, std::size_t group, std::size_t chunk, const Range& z) {
        const Complex* const from = buffers_.to_modes(group, chunk).from(place) + ky +
                                    plan_.column_line(field, kx, z.begin, place_in_column_, place, group, chunk);
        copier_.gather(from, ky_.size(), z.size(), count, lines + z.begin * lanes);
      });
      along_z_.forward(lines);
    }
    work_.store(worker, {.kx = kx, .ky = ky_.begin + ky, .count = count}, workspace.each_line);
  }
}

/// The pieces of a line along z: visit(place in the column, group, chunk, z).
template <class Real>
template <class Visit>
void PassStages<Real>::for_each_piece(std::size_t kx, const Visit& visit) const {
  const std::size_t group = plan_.group_of(kx);
  for (std::size_t place = 0; place < column_size_; ++place) {
    for (std::size_t chunk = 0; chunk < plan_.division().chunks; ++chunk) {
      const Range& z = plan_.z_of(place, chunk);
      if (z.size() > 0) visit(place, group, chunk, z);
    }
  }
}

template <class Real>
void PassStages<Real>::whole_planes(const Planes& planes, std::size_t worker) {
  Workspace& workspace = workspaces_[worker];
  rests_to_points(planes, workspace);
  for (std::size_t z = planes.z.begin; z < planes.z.end; ++z) {
    plane_to_points(planes, z, workspace);
    plane_rows(z, planes.chunk, worker);
    if (fields_.out > 0) plane_to_modes(planes, z, workspace);
  }
  if (fields_.out > 0) rests_to_modes(planes, workspace);
}

template <class Real>
void PassStages<Real>::y_to_points(const Planes& planes, std::size_t worker) {
  Workspace& workspace = workspaces_[worker];
  rests_to_points(planes, workspace);
  for (std::size_t z = planes.z.begin; z < planes.z.end; ++z) plane_to_points(planes, z, workspace);
}

template <class Real>
void PassStages<Real>::all_rows(const Planes& planes, std::size_t worker) {
  for (std::size_t z = planes.z.begin; z < planes.z.end; ++z) plane_rows(z, planes.chunk, worker);
}

template <class Real>
void PassStages<Real>::y_to_modes(const Planes& planes, std::size_t worker) {
  Workspace& workspace = workspaces_[worker];
  for (std::size_t z = planes.z.begin; z < planes.z.end; ++z) plane_to_modes(planes, z, workspace);
  rests_to_modes(planes, workspace);
}

template <class Real>
auto PassStages<Real>::rest_of(const Planes& planes, std::size_t z) const noexcept -> Columns {
  return {.z = z, .kx = kx_.end - rest_, .count = rest_, .chunk = planes.chunk, .lane = (z - planes.z.begin) * rest_};
}

template <class Real>
void PassStages<Real>::rests_to_points(const Planes& planes, Workspace& workspace) {
  if (rest_ == 0) return;
  for (std::size_t field = 0; field < fields_.in; ++field) {
    Complex* const lines = workspace.each_rest[field];
    if (planes.z.size() * rest_ < lanes) std::fill_n(lines, ny() * lanes, Complex{});
    clear_gap(lines);
    for (std::size_t z = planes.z.begin; z < planes.z.end; ++z) load_lines(field, rest_of(planes, z), lines);
    along_y_.backward(lines);
  }
}

template <class Real>
void PassStages<Real>::rests_to_modes(const Planes& planes, Workspace& workspace) {
  if (rest_ == 0) return;
  LineBlock block;
  for (std::size_t z = planes.z.begin; z < planes.z.end; ++z) rest_of(planes, z).add_to(block);
  for (std::size_t field = 0; field < fields_.out; ++field) {
    Complex* const lines = workspace.each_rest[field];
    for (std::size_t y = 0; y < ny(); ++y) std::fill_n(lines + y * lanes + block.count, lanes - block.count, Complex{});
    along_y_.forward(lines);
  }
  work_.mix(block, workspace.each_rest);
  for (std::size_t z = planes.z.begin; z < planes.z.end; ++z) store_lines(rest_of(planes, z), workspace.each_rest);
}

template <class Real>
void PassStages<Real>::plane_to_points(const Planes& planes, std::size_t z, Workspace& workspace) {
  Complex* const lines = workspace.lines.data();
  const std::size_t end = kx_.end - rest_;
  for (std::size_t field = 0; field < fields_.in; ++field) {
    for (std::size_t kx = kx_.begin; kx < end; kx += lanes) {
      const Columns columns{.z = z, .kx = kx, .count = std::min(lanes, end - kx), .chunk = planes.chunk, .lane = 0};
      if (columns.count < lanes) std::fill_n(lines, ny() * lanes, Complex{});
      clear_gap(lines);
      load_lines(field, columns, lines);
      along_y_.backward(lines);
      scatter_lines(field, columns, lines, workspace);
    }
    if (rest_ > 0) scatter_lines(field, rest_of(planes, z), workspace.each_rest[field], workspace);
  }
}

template <class Real>
void PassStages<Real>::plane_to_modes(const Planes& planes, std::size_t z, Workspace& workspace) {
  const std::size_t end = kx_.end - rest_;
  for (std::size_t kx = kx_.begin; kx < end; kx += lanes) {
    const Columns columns{.z = z, .kx = kx, .count = std::min(lanes, end - kx), .chunk = planes.chunk, .lane = 0};
    for (std::size_t field = 0; field < fields_.out; ++field) {
      Complex* const lines = workspace.each_line[field];
      if (columns.count < lanes) std::fill_n(lines, ny() * lanes, Complex{});
      gather_lines(field, columns, lines, workspace);
      along_y_.forward(lines);
    }
    LineBlock block;
    columns.add_to(block);
    work_.mix(block, workspace.each_line);
    store_lines(columns, workspace.each_line);
  }
  if (rest_ == 0) return;
  for (std::size_t field = 0; field < fields_.out; ++field) {
    gather_lines(field, rest_of(planes, z), workspace.each_rest[field], workspace);
  }
}

template <class Real>
void PassStages<Real>::plane_rows(std::size_t z, std::size_t chunk, std::size_t worker) {
  for (std::size_t y = y_.begin; y < y_.end; y += lanes) rows(worker, y, z, chunk);
}

template <class Real>
void PassStages<Real>::clear_gap(Complex* lines) const {
  const auto [gap_begin, gap_end] = modes_.gap(1);
  std::fill(lines + gap_begin * lanes, lines + gap_end * lanes, Complex{});
}

template <class Real>
void PassStages<Real>::load_lines(std::size_t field, const Columns& columns, Complex* lines) {
  const std::size_t chunk = columns.chunk;
  for_each_group(columns, [&](std::size_t kx, std::size_t lane, std::size_t count, std::size_t group) {
    for (std::size_t place = 0; place < column_size_; ++place) {
      const Complex* const from = buffers_.to_points(group, chunk).from(place) +
                                  plan_.column_line(field, kx, columns.z, place, place_in_column_, group, chunk);
      const std::size_t distance = plan_.z(chunk).size() * plan_.ky_of(place).size();
      for_each_run(place, [&](std::size_t ky, std::size_t at, std::size_t n) {
        copier_.interleave(from + ky, distance, n, count, lines + at * lanes + lane);
      });
    }
  });
}

template <class Real>
void PassStages<Real>::store_lines(const Columns& columns, std::span<Complex* const> lines) {
  const std::size_t chunk = columns.chunk;
  for_each_group(columns, [&](std::size_t kx, std::size_t lane, std::size_t count, std::size_t group) {
    for (std::size_t field = 0; field < fields_.mixed; ++field) {
      for (std::size_t place = 0; place < column_size_; ++place) {
        Complex* const to = buffers_.to_modes(group, chunk).to(place) +
                            plan_.column_line(field, kx, columns.z, place, place_in_column_, group, chunk);
        const std::size_t distance = plan_.z(chunk).size() * plan_.ky_of(place).size();
        for_each_run(place, [&](std::size_t ky, std::size_t at, std::size_t n) {
          copier_.separate(lines[field] + at * lanes + lane, n, count, to + ky, distance);
        });
      }
    }
  });
}

template <class Real>
void PassStages<Real>::scatter_lines(std::size_t field, const Columns& columns, const Complex* lines,
                                     Workspace& workspace) {
  for (std::size_t place = 0; place < row_size_; ++place) {
    const Range& y = plan_.y_of(place);
    Complex* const to = has_planes()
                            ? workspace.planes[field].data()
                            : buffers_.rows_in(columns.chunk).to(place) +
                                  plan_.row_line(field, columns.z, y.begin, place_in_row_, place, columns.chunk);
    copier_.scatter(lines + y.begin * lanes + columns.lane, y.size(), columns.count, to + (columns.kx - kx_.begin),
                    kx_.size());
  }
}

template <class Real>
void PassStages<Real>::gather_lines(std::size_t field, const Columns& columns, Complex* lines, Workspace& workspace) {
  for (std::size_t place = 0; place < row_size_; ++place) {
    const Range& y = plan_.y_of(place);
    const Complex* const from =
        has_planes() ? workspace.planes[field].data()
                     : buffers_.rows_out(columns.chunk).from(place) +
                           plan_.row_line(field, columns.z, y.begin, place_in_row_, place, columns.chunk);
    copier_.gather(from + (columns.kx - kx_.begin), kx_.size(), y.size(), columns.count,
                   lines + y.begin * lanes + columns.lane);
  }
}

/// The runs of wave numbers ky of the rank at a place of the column that stand side by side in a line of points:
/// visit(the first, counted from those of that rank; where it stands; how many).
template <class Real>
template <class Visit>
void PassStages<Real>::for_each_run(std::size_t place, const Visit& visit) const {
  const Range& ky = plan_.ky_of(place);
  const auto [gap_begin, gap_end] = modes_.gap(1);
  const std::size_t middle = std::clamp<std::size_t>(gap_begin, ky.begin, ky.end);
  if (middle > ky.begin) visit(0, ky.begin, middle - ky.begin);
  if (middle < ky.end) visit(middle - ky.begin, middle + gap_end - gap_begin, ky.end - middle);
}

/// The columns whose kx are of one group, and so at equal distances: visit(the first kx, its lane, how many, group).
template <class Real>
template <class Visit>
void PassStages<Real>::for_each_group(const Columns& columns, const Visit& visit) const {
  const std::size_t end = columns.kx + columns.count;
  for (std::size_t kx = columns.kx; kx < end;) {
    const std::size_t group = plan_.group_of(kx);
    const std::size_t next = std::min(plan_.kx(group).end, end);
    visit(kx, columns.lane + (kx - columns.kx), next - kx, group);
    kx = next;
  }
}

/// All of x for up to `lanes` neighbouring y. Rows beyond hold earlier values, which are not read.
template <class Real>
void PassStages<Real>::rows(std::size_t worker, std::size_t first_y, std::size_t z, std::size_t chunk) {
  Workspace& workspace = workspaces_[worker];
  const std::size_t rows = std::min(lanes, y_.end - first_y);
  const std::size_t point_stride = along_x_.point_stride();
  for (std::size_t f = 0; f < fields_.in; ++f) {
    workspace.rows_in[f] = points_of(f, first_y, rows, z, workspace.points[f]);
    to_points(f, first_y, rows, z, chunk, workspace);
  }
  for (std::size_t f = 0; f < fields_.out; ++f) {
    workspace.rows_out[f] = points_of(f, first_y, rows, z, workspace.points[fields_.in + f]);
  }
  if (changes_points_ || !workspace.is_elsewhere()) {
    for (std::size_t row = 0; row < rows; ++row) {
      work_.rows(worker, first_y + row, z, workspace.rows_in, workspace.rows_out);
      for (Real*& points : workspace.rows_in) points += point_stride;
      for (Real*& points : workspace.rows_out) points += point_stride;
    }
    for (Real*& points : workspace.rows_out) points -= rows * point_stride;
  }
  for (std::size_t f = 0; f < fields_.out; ++f) {
    along_x_.forward(workspace.rows_out[f], workspace.row_modes.data());
    store_rows(f, first_y, rows, z, chunk, workspace);
  }
}

template <class Real>
Real* PassStages<Real>::points_of(std::size_t field, std::size_t first_y, std::size_t rows, std::size_t z,
                                  base::PackVector<Real>& own) const {
  const bool may_be_elsewhere = rows == lanes && along_x_.point_stride() == modes_.points()[0];
  Real* const there = may_be_elsewhere ? work_.points_at(field, first_y, z) : nullptr;
  return there != nullptr ? there : own.data();
}

template <class Real>
void PassStages<Real>::to_points(std::size_t field, std::size_t first_y, std::size_t rows, std::size_t z,
                                 std::size_t chunk, Workspace& workspace) {
  const bool is_whole = has_planes() && modes_.count(0) == modes_.points()[0] / 2 + 1;
  if (is_whole && rows == lanes && along_x_.takes_any_rows()) {
    const std::size_t stride = modes_.count(0);
    along_x_.backward(workspace.planes[field].data() + first_y * stride, stride, workspace.rows_in[field]);
  } else {
    load_rows(field, first_y, rows, z, chunk, workspace);
    along_x_.backward(workspace.row_modes.data(), workspace.rows_in[field]);
  }
}

template <class Real>
void PassStages<Real>::load_rows(std::size_t field, std::size_t first_y, std::size_t rows, std::size_t z,
                                 std::size_t chunk, Workspace& workspace) {
  const std::size_t stride = along_x_.mode_stride();
  for (std::size_t place = 0; place < row_size_; ++place) {
    const Range& kx = plan_.kx_of(place);
    const Complex* from = has_planes() ? workspace.planes[field].data() + first_y * kx.size()
                                       : buffers_.rows_in(chunk).from(place) +
                                             plan_.row_line(field, z, first_y, place, place_in_row_, chunk);
    Complex* to = workspace.row_modes.data() + kx.begin;
    for (std::size_t row = 0; row < rows; ++row, from += kx.size(), to += stride) std::copy_n(from, kx.size(), to);
  }
  const std::size_t count = modes_.count(0);
  for (std::size_t row = 0; row < rows; ++row) {
    std::fill(workspace.row_modes.data() + row * stride + count, workspace.row_modes.data() + (row + 1) * stride,
              Complex{});
  }
}

template <class Real>
void PassStages<Real>::store_rows(std::size_t field, std::size_t first_y, std::size_t rows, std::size_t z,
                                  std::size_t chunk, Workspace& workspace) {
  const std::size_t stride = along_x_.mode_stride();
  for (std::size_t place = 0; place < row_size_; ++place) {
    const Range& kx = plan_.kx_of(place);
    Complex* to = has_planes() ? workspace.planes[field].data() + first_y * kx.size()
                               : buffers_.rows_out(chunk).to(place) +
                                     plan_.row_line(field, z, first_y, place, place_in_row_, chunk);
    const Complex* from = workspace.row_modes.data();
    for (std::size_t row = 0; row < rows; ++row, from += stride, to += kx.size()) {
      along_x_.copy_modes(from, kx.begin, kx.end, to);
    }
  }
}

template class PassStages<double>;
template class PassStages<float>;

}  // namespace tacit::fft::detail
