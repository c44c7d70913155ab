// The stages of a pass and their tasks.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/fft/pass.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/base/pack_memory.hpp"
#include "tacit/fft/lane_copies.hpp"
#include "tacit/fft/pass_buffers.hpp"
#include "tacit/tasks/graph.hpp"

namespace tacit::fft {

template <class Real>
void PassWork<Real>::mix(const LineBlock& /*block*/, std::span<Complex* const> /*lines*/) const {}

template <class Real>
Real* PassWork<Real>::points_at(std::size_t /*field*/, std::size_t /*y*/, std::size_t /*z*/) const {
  return nullptr;
}

template <class Real>
class Pass<Real>::Stages {
 public:
  Stages(const Pencils& pencils, const PassFields& fields, const PassWork<Real>& work, tasks::Scheduler& scheduler,
         Rigor rigor, GridRanks* ranks, const Division& division, std::span<Complex> memory)
      : modes_(pencils.modes()),
        fields_(fields),
        work_(work),
        scheduler_(scheduler),
        ranks_(ranks),
        plan_(pencils, chosen(pencils, division)),
        place_in_row_(pencils.place_in_row()),
        place_in_column_(pencils.place_in_column()),
        column_size_(pencils.grid().column_size),
        row_size_(pencils.grid().row_size),
        kx_(pencils.kx()),
        ky_(pencils.ky()),
        y_(pencils.y()),
        buffers_(plan_,
                 {.to_points = fields.in, .to_modes = fields.mixed, .rows_in = fields.in, .rows_out = fields.out},
                 ranks, memory),
        along_x_(modes_.points()[0], rigor),
        along_y_(modes_.points()[1], rigor),
        along_z_(modes_.points()[2], rigor) {
    TACIT_EXPECT(fields.mixed <= fields.out);
    allocate();
    build();
  }

  void time_exchanges() {
    if (ranks_ != nullptr) buffers_.time_exchanges(*ranks_);
  }

  void run(const tasks::StepContext& step) {
    buffers_.prepare();
    scheduler_.run(graph_, all_, step);
  }

  [[nodiscard]] const Division& division() const noexcept { return plan_.division(); }
  [[nodiscard]] std::size_t bytes() const noexcept {
    std::size_t sum = buffers_.bytes();
    for (const Room& room : rooms_) sum += room.bytes();
    return sum;
  }

 private:
  /// Memory of one worker.
  struct Room {
    base::PackVector<Complex> lines;                // shape (out or 1, ny or nz, lanes)
    base::PackVector<Complex> row_modes;            // shape (lanes, nx / 2 + 1) with the strides of RealLines
    std::vector<base::PackVector<Real>> points;     // of in + out fields, shape (lanes, nx), likewise
    std::vector<base::PackVector<Complex>> planes;  // shape (ny, kx); none where the row has several ranks
    std::vector<Complex*> each_line;
    std::vector<Real*> rows_in;
    std::vector<Real*> rows_out;
    [[nodiscard]] std::size_t bytes() const noexcept {
      std::size_t sum = (lines.size() + row_modes.size()) * sizeof(Complex);
      for (const auto& one : points) sum += one.size() * sizeof(Real);
      for (const auto& one : planes) sum += one.size() * sizeof(Complex);
      return sum;
    }
  };
  using Step = tasks::StepContext;

  /// One rank exchanges nothing. Several: a few messages, each of which hides behind the transforms of the next.
  static Division chosen(const Pencils& pencils, const Division& wanted) {
    const RankGrid& grid = pencils.grid();
    Division division = wanted;
    if (division.chunks == 0) {
      const std::size_t planes = (pencils.modes().points()[2] + grid.column_size - 1) / grid.column_size;
      division.chunks = grid.ranks() == 1 ? 1 : std::min<std::size_t>(4, planes);
    }
    if (division.groups == 0) division.groups = grid.column_size == 1 ? 1 : 2;
    return division;
  }

  [[nodiscard]] std::size_t ny() const noexcept { return modes_.points()[1]; }
  [[nodiscard]] std::size_t nz() const noexcept { return modes_.points()[2]; }
  [[nodiscard]] bool has_planes() const noexcept { return row_size_ == 1; }

  void allocate() {
    rooms_.resize(scheduler_.workers());
    for (Room& room : rooms_) {
      const std::size_t line = std::max(ny(), nz()) * lanes;
      const std::size_t count = std::max<std::size_t>(fields_.out, 1);
      room.lines.resize(line * count);
      for (std::size_t f = 0; f < count; ++f) room.each_line.push_back(room.lines.data() + f * line);
      room.row_modes.resize(lanes * along_x_.mode_stride());
      room.points.resize(fields_.in + fields_.out);
      for (auto& rows : room.points) rows.resize(lanes * along_x_.point_stride());
      room.rows_in.resize(fields_.in);
      room.rows_out.resize(fields_.out);
      room.planes.resize(has_planes() ? std::max(fields_.in, fields_.out) : 0);
      for (auto& plane : room.planes) plane.resize(ny() * modes_.count(0));
    }
  }

  // The graph, by groups g of kx and chunks j of z:
  //
  //     z to points [kx] -> columns to points [g, j] -> plane [z] -> columns to modes [g, j] -> z to modes [kx]
  //
  // where ranks of a row exchange, a plane is
  //
  //     y to points [z] -> rows to points [j] -> rows [z] -> rows to modes [j] -> y to modes [z]
  //
  // and a rank that is alone in its column or row has no tasks that exchange.
  //
  // A worker takes the task with the longest path behind it, and of equals the one that became ready last. So that a
  // message goes as soon as it can, exchanges cost so much more than transforms that a transform and the exchange which
  // it feeds are equals; and all exchanges on the way to points are, while on the way back earlier chunks come first.
  // What becomes ready at once is added last to first.
  static constexpr double transform_cost = 1e-3;
  static constexpr double most_urgent = 6.0;
  [[nodiscard]] double urgency(std::size_t chunk) const noexcept {
    return 2.0 - static_cast<double>(chunk) / static_cast<double>(plan_.division().chunks);
  }

  void build() {
    const Division& division = plan_.division();
    const tasks::DatumId modes = graph_.add_datum();
    const tasks::DatumId planes = graph_.add_datum();
    std::vector<tasks::DatumId> groups = parts_of(modes, division.groups);
    std::vector<tasks::DatumId> chunks = parts_of(planes, division.chunks);
    if (fields_.in > 0) add_columns("z to points", groups, {}, &Stages::columns_to_points);
    for (std::size_t chunk = division.chunks; chunk-- > 0;) {
      tasks::DatumId ready = modes;
      if (column_size_ > 1 && fields_.in > 0) {
        ready = graph_.add_datum();
        for (std::size_t g = 0; g < division.groups; ++g) {
          add_exchange("columns to points", groups[g], graph_.add_datum(ready), buffers_.to_points(g, chunk),
                       g * division.chunks + chunk, most_urgent - urgency(chunk) - (has_planes() ? 0.0 : 2.0));
        }
      }
      add_planes(chunk, ready, chunks[chunk]);
    }
    if (fields_.mixed > 0) {
      std::vector<tasks::DatumId> back(division.groups, planes);
      for (std::size_t g = column_size_ > 1 ? division.groups : 0; g-- > 0;) {
        back[g] = graph_.add_datum();
        for (std::size_t chunk = 0; chunk < division.chunks; ++chunk) {
          add_exchange("columns to modes", chunks[chunk], graph_.add_datum(back[g]), buffers_.to_modes(g, chunk),
                       g * division.chunks + chunk, urgency(chunk));
        }
      }
      add_columns("z to modes", {}, back, &Stages::columns_to_modes);
    }
    all_ = graph_.activate_all();
  }

  tasks::TaskKind kind(std::string_view name) { return graph_.kind(fmt::format("{}{}", work_.label(), name)); }

  std::vector<tasks::DatumId> parts_of(tasks::DatumId whole, std::size_t count) {
    std::vector<tasks::DatumId> parts;
    for (std::size_t i = 0; i < count; ++i) parts.push_back(graph_.add_datum(whole));
    return parts;
  }

  /// A task for each kx, which writes a part of its group's datum, or reads that.
  void add_columns(std::string_view name, const std::vector<tasks::DatumId>& writes,
                   const std::vector<tasks::DatumId>& reads, void (Stages::*function)(std::size_t, std::size_t)) {
    for (std::size_t kx = kx_.begin; kx < kx_.end; ++kx) {
      const std::size_t group = plan_.group_of(kx);
      tasks::Accesses accesses;
      if (!writes.empty()) accesses.emplace_back(graph_.add_datum(writes[group]), tasks::AccessMode::write);
      if (!reads.empty()) accesses.emplace_back(reads[group], tasks::AccessMode::read);
      graph_.add(kind(name), accesses, [this, kx, function](Step& step) { (this->*function)(kx, step.worker()); },
                 {.cost = 2.0 * transform_cost, .key = static_cast<std::uint32_t>(kx)});
    }
  }

  void add_exchange(std::string_view name, tasks::DatumId reads, tasks::DatumId writes, Transfer<Real>& transfer,
                    std::size_t which, double cost) {
    if (transfer.is_alone()) return;
    const auto key = static_cast<std::uint32_t>(which);
    graph_.add(kind(name), {{reads, tasks::AccessMode::read}, {writes, tasks::AccessMode::write}},
               [this, &transfer, key](Step& step) {
                 const tasks::Posting about{.key = key, .alone_s = transfer.alone_s(), .bytes = transfer.bytes()};
                 transfer.start(step.await(ranks_->world().completions(), about));
               },
               {.cost = cost, .key = key});
  }

  /// Tasks that do something with each plane of a chunk.
  void add_each_plane(std::string_view name, std::size_t chunk, tasks::DatumId reads, tasks::DatumId writes,
                      double cost, void (Stages::*function)(std::size_t, std::size_t, std::size_t)) {
    const Range& range = plan_.z(chunk);
    for (std::size_t z = range.begin; z < range.end; ++z) {
      const tasks::DatumId done = graph_.add_datum(writes);
      graph_.add(kind(name), {{reads, tasks::AccessMode::read}, {done, tasks::AccessMode::write}},
                 [this, z, chunk, function](Step& step) { (this->*function)(z, chunk, step.worker()); },
                 {.cost = cost * transform_cost, .key = static_cast<std::uint32_t>(z)});
    }
  }

  void add_planes(std::size_t chunk, tasks::DatumId ready, tasks::DatumId done) {
    if (has_planes()) return add_each_plane("plane", chunk, ready, done, 4.0, &Stages::plane);
    if (fields_.in > 0) {
      const tasks::DatumId written = graph_.add_datum();
      add_each_plane("y to points", chunk, ready, written, 1.0, &Stages::plane_to_points);
      ready = graph_.add_datum();
      add_exchange("rows to points", written, ready, buffers_.rows_in(chunk), chunk, 1.0);
    }
    if (fields_.out == 0) return add_each_plane("rows", chunk, ready, done, 2.0, &Stages::plane_rows);
    const tasks::DatumId written = graph_.add_datum();
    add_each_plane("rows", chunk, ready, written, 2.0, &Stages::plane_rows);
    ready = graph_.add_datum();
    add_exchange("rows to modes", written, ready, buffers_.rows_out(chunk), chunk, 1.0);
    add_each_plane("y to modes", chunk, ready, done, 1.0, &Stages::plane_to_modes);
  }

  void columns_to_points(std::size_t kx, std::size_t worker) {
    Complex* const lines = rooms_[worker].lines.data();
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

  void columns_to_modes(std::size_t kx, std::size_t worker) {
    Room& room = rooms_[worker];
    for (std::size_t ky = 0; ky < ky_.size(); ky += lanes) {
      const std::size_t count = std::min(lanes, ky_.size() - ky);
      for (std::size_t field = 0; field < fields_.mixed; ++field) {
        Complex* const lines = room.each_line[field];
        if (count < lanes) std::fill_n(lines, nz() * lanes, Complex{});
        for_each_piece(kx, [&](std::size_t place, std::size_t group, std::size_t chunk, const Range& z) {
          const Complex* const from = buffers_.to_modes(group, chunk).from(place) + ky +
                                      plan_.column_line(field, kx, z.begin, place_in_column_, place, group, chunk);
          copier_.gather(from, ky_.size(), z.size(), count, lines + z.begin * lanes);
        });
        along_z_.forward(lines);
      }
      work_.store(worker, {.kx = kx, .ky = ky_.begin + ky, .count = count}, room.each_line);
    }
  }

  /// The pieces of a line along z: visit(place in the column, group, chunk, z).
  template <class Visit>
  void for_each_piece(std::size_t kx, const Visit& visit) const {
    const std::size_t group = plan_.group_of(kx);
    for (std::size_t place = 0; place < column_size_; ++place) {
      for (std::size_t chunk = 0; chunk < plan_.division().chunks; ++chunk) {
        const Range& z = plan_.z_of(place, chunk);
        if (z.size() > 0) visit(place, group, chunk, z);
      }
    }
  }

  void plane(std::size_t z, std::size_t chunk, std::size_t worker) {
    plane_to_points(z, chunk, worker);
    plane_rows(z, chunk, worker);
    if (fields_.out > 0) plane_to_modes(z, chunk, worker);
  }

  void plane_to_points(std::size_t z, std::size_t chunk, std::size_t worker) {
    for (std::size_t field = 0; field < fields_.in; ++field) {
      for (std::size_t kx = kx_.begin; kx < kx_.end; kx += lanes) {
        lines_to_points(field, {z, kx, std::min(lanes, kx_.end - kx)}, chunk, rooms_[worker]);
      }
    }
  }

  void plane_rows(std::size_t z, std::size_t chunk, std::size_t worker) {
    for (std::size_t y = y_.begin; y < y_.end; y += lanes) rows(worker, y, z, chunk);
  }

  void plane_to_modes(std::size_t z, std::size_t chunk, std::size_t worker) {
    for (std::size_t kx = kx_.begin; kx < kx_.end; kx += lanes) {
      lines_to_modes({z, kx, std::min(lanes, kx_.end - kx)}, chunk, rooms_[worker]);
    }
  }

  void lines_to_points(std::size_t field, const LineBlock& block, std::size_t chunk, Room& room) {
    Complex* const lines = room.lines.data();
    const auto [gap_begin, gap_end] = modes_.gap(1);
    if (block.count < lanes) std::fill_n(lines, ny() * lanes, Complex{});
    std::fill(lines + gap_begin * lanes, lines + gap_end * lanes, Complex{});
    for_each_group(block, [&](std::size_t lane, std::size_t count, std::size_t group) {
      for (std::size_t place = 0; place < column_size_; ++place) {
        const Complex* const from =
            buffers_.to_points(group, chunk).from(place) +
            plan_.column_line(field, block.kx + lane, block.z, place, place_in_column_, group, chunk);
        const std::size_t distance = plan_.z(chunk).size() * plan_.ky_of(place).size();
        for_each_run(place, [&](std::size_t ky, std::size_t at, std::size_t n) {
          copier_.interleave(from + ky, distance, n, count, lines + at * lanes + lane);
        });
      }
    });
    along_y_.backward(lines);
    for (std::size_t place = 0; place < row_size_; ++place) {
      const Range& y = plan_.y_of(place);
      Complex* to = (has_planes() ? room.planes[field].data()
                                  : buffers_.rows_in(chunk).to(place) +
                                        plan_.row_line(field, block.z, y.begin, place_in_row_, place, chunk)) +
                    (block.kx - kx_.begin);
      copier_.scatter(lines + y.begin * lanes, y.size(), block.count, to, kx_.size());
    }
  }

  /// The runs of wave numbers ky of the rank at a place of the column that stand side by side in a line of points:
  /// visit(the first, counted from those of that rank; where it stands; how many).
  template <class Visit>
  void for_each_run(std::size_t place, const Visit& visit) const {
    const Range& ky = plan_.ky_of(place);
    const auto [gap_begin, gap_end] = modes_.gap(1);
    const std::size_t middle = std::clamp<std::size_t>(gap_begin, ky.begin, ky.end);
    if (middle > ky.begin) visit(0, ky.begin, middle - ky.begin);
    if (middle < ky.end) visit(middle - ky.begin, middle + gap_end - gap_begin, ky.end - middle);
  }

  /// All of x for up to `lanes` neighbouring y. Rows beyond hold what earlier ones left, and nobody reads them.
  void rows(std::size_t worker, std::size_t first_y, std::size_t z, std::size_t chunk) {
    Room& room = rooms_[worker];
    const std::size_t rows = std::min(lanes, y_.end - first_y);
    const std::size_t point_stride = along_x_.point_stride();
    for (std::size_t f = 0; f < fields_.in; ++f) {
      room.rows_in[f] = points_of(f, first_y, rows, z, room.points[f]);
      to_points(f, first_y, rows, z, chunk, room);
    }
    for (std::size_t f = 0; f < fields_.out; ++f) {
      room.rows_out[f] = points_of(f, first_y, rows, z, room.points[fields_.in + f]);
    }
    for (std::size_t row = 0; row < rows; ++row) {
      work_.rows(worker, first_y + row, z, room.rows_in, room.rows_out);
      for (Real*& points : room.rows_in) points += point_stride;
      for (Real*& points : room.rows_out) points += point_stride;
    }
    for (std::size_t f = 0; f < fields_.out; ++f) {
      along_x_.forward(room.rows_out[f] - rows * point_stride, room.row_modes.data());
      store_rows(f, first_y, rows, z, chunk, room);
    }
  }

  [[nodiscard]] Real* points_of(std::size_t field, std::size_t first_y, std::size_t rows, std::size_t z,
                                base::PackVector<Real>& own) const {
    const bool may_be_elsewhere = rows == lanes && along_x_.point_stride() == modes_.points()[0];
    Real* const there = may_be_elsewhere ? work_.points_at(field, first_y, z) : nullptr;
    return there != nullptr ? there : own.data();
  }

  void to_points(std::size_t field, std::size_t first_y, std::size_t rows, std::size_t z, std::size_t chunk,
                 Room& room) {
    const bool is_whole = has_planes() && modes_.count(0) == modes_.points()[0] / 2 + 1;
    if (is_whole && rows == lanes && along_x_.takes_any_rows()) {
      const std::size_t stride = modes_.count(0);
      along_x_.backward(room.planes[field].data() + first_y * stride, stride, room.rows_in[field]);
    } else {
      load_rows(field, first_y, rows, z, chunk, room);
      along_x_.backward(room.row_modes.data(), room.rows_in[field]);
    }
  }

  void load_rows(std::size_t field, std::size_t first_y, std::size_t rows, std::size_t z, std::size_t chunk,
                 Room& room) {
    const std::size_t stride = along_x_.mode_stride();
    for (std::size_t place = 0; place < row_size_; ++place) {
      const Range& kx = plan_.kx_of(place);
      const Complex* from = has_planes() ? room.planes[field].data() + first_y * kx.size()
                                         : buffers_.rows_in(chunk).from(place) +
                                               plan_.row_line(field, z, first_y, place, place_in_row_, chunk);
      Complex* to = room.row_modes.data() + kx.begin;
      for (std::size_t row = 0; row < rows; ++row, from += kx.size(), to += stride) std::copy_n(from, kx.size(), to);
    }
    const std::size_t count = modes_.count(0);
    for (std::size_t row = 0; row < rows; ++row) {
      std::fill(room.row_modes.data() + row * stride + count, room.row_modes.data() + (row + 1) * stride, Complex{});
    }
  }

  void store_rows(std::size_t field, std::size_t first_y, std::size_t rows, std::size_t z, std::size_t chunk,
                  Room& room) {
    const std::size_t stride = along_x_.mode_stride();
    for (std::size_t place = 0; place < row_size_; ++place) {
      const Range& kx = plan_.kx_of(place);
      Complex* to = has_planes() ? room.planes[field].data() + first_y * kx.size()
                                 : buffers_.rows_out(chunk).to(place) +
                                       plan_.row_line(field, z, first_y, place, place_in_row_, chunk);
      const Complex* from = room.row_modes.data();
      for (std::size_t row = 0; row < rows; ++row, from += stride, to += kx.size()) {
        along_x_.copy_modes(from, kx.begin, kx.end, to);
      }
    }
  }

  void lines_to_modes(const LineBlock& block, std::size_t chunk, Room& room) {
    for (std::size_t field = 0; field < fields_.out; ++field) {
      Complex* const lines = room.each_line[field];
      if (block.count < lanes) std::fill_n(lines, ny() * lanes, Complex{});
      for (std::size_t place = 0; place < row_size_; ++place) {
        const Range& y = plan_.y_of(place);
        const Complex* from =
            (has_planes() ? room.planes[field].data()
                          : buffers_.rows_out(chunk).from(place) +
                                plan_.row_line(field, block.z, y.begin, place_in_row_, place, chunk)) +
            (block.kx - kx_.begin);
        copier_.gather(from, kx_.size(), y.size(), block.count, lines + y.begin * lanes);
      }
      along_y_.forward(lines);
    }
    work_.mix(block, room.each_line);
    for_each_group(block, [&](std::size_t lane, std::size_t count, std::size_t group) {
      for (std::size_t field = 0; field < fields_.mixed; ++field) {
        for (std::size_t place = 0; place < column_size_; ++place) {
          Complex* const to = buffers_.to_modes(group, chunk).to(place) +
                              plan_.column_line(field, block.kx + lane, block.z, place, place_in_column_, group, chunk);
          const std::size_t distance = plan_.z(chunk).size() * plan_.ky_of(place).size();
          for_each_run(place, [&](std::size_t ky, std::size_t at, std::size_t n) {
            copier_.separate(room.each_line[field] + at * lanes + lane, n, count, to + ky, distance);
          });
        }
      }
    });
  }

  /// The lanes of a block whose kx are of one group, and so at equal distances: visit(first lane, how many, group).
  template <class Visit>
  void for_each_group(const LineBlock& block, const Visit& visit) const {
    for (std::size_t lane = 0; lane < block.count;) {
      const std::size_t group = plan_.group_of(block.kx + lane);
      const std::size_t end = std::min(plan_.kx(group).end - block.kx, block.count);
      visit(lane, end - lane, group);
      lane = end;
    }
  }

  Modes modes_;
  PassFields fields_;
  const PassWork<Real>& work_;
  tasks::Scheduler& scheduler_;
  GridRanks* ranks_;
  ExchangePlan plan_;
  std::size_t place_in_row_;
  std::size_t place_in_column_;
  std::size_t column_size_;
  std::size_t row_size_;
  Range kx_;
  Range ky_;
  Range y_;
  PassBuffers<Real> buffers_;
  RealLines<Real> along_x_;
  ComplexLines<Real> along_y_;
  ComplexLines<Real> along_z_;
  LaneCopier<Real> copier_;
  std::vector<Room> rooms_;  // one per worker
  tasks::Graph graph_;
  tasks::Activation all_;
};

template <class Real>
Pass<Real>::Pass(const Pencils& pencils, const PassFields& fields, const PassWork<Real>& work,
                 tasks::Scheduler& scheduler, Rigor rigor, GridRanks* ranks, const Division& division,
                 std::span<Complex> memory) {
  const RankGrid expected = ranks == nullptr ? RankGrid{} : ranks->grid();
  if (pencils.grid().row_size != expected.row_size || pencils.grid().column_size != expected.column_size) {
    throw base::PreconditionError(
        fmt::format("pencils of {} x {} ranks in a pass of {} x {}: columns x rows must agree",
                    pencils.grid().column_size, pencils.grid().row_size, expected.column_size, expected.row_size));
  }
  stages_ = std::make_unique<Stages>(pencils, fields, work, scheduler, rigor, ranks, division, memory);
}
template <class Real>
Pass<Real>::~Pass() = default;
template <class Real>
void Pass<Real>::run(const tasks::StepContext& step) {
  stages_->run(step);
}
template <class Real>
void Pass<Real>::time_exchanges() {
  stages_->time_exchanges();
}
template <class Real>
const Division& Pass<Real>::division() const noexcept {
  return stages_->division();
}
template <class Real>
std::size_t Pass<Real>::bytes() const noexcept {
  return stages_->bytes();
}

template class PassWork<double>;
template class PassWork<float>;
template class Pass<double>;
template class Pass<float>;

}  // namespace tacit::fft
