// The tasks of a pass.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/fft/pass.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/fft/detail/pass_stages.hpp"
#include "tacit/tasks/graph.hpp"

namespace tacit::fft {

template <class Real>
void PassWork<Real>::load(std::size_t /*field*/, const ColumnBlock& /*block*/, Complex* /*lines*/) const {}

template <class Real>
void PassWork<Real>::mix(const LineBlock& /*block*/, std::span<Complex* const> /*lines*/) const {}

template <class Real>
void PassWork<Real>::store(std::size_t /*worker*/, const ColumnBlock& /*block*/,
                           std::span<Complex* const> /*lines*/) const {}

template <class Real>
Real* PassWork<Real>::points_at(std::size_t /*field*/, std::size_t /*y*/, std::size_t /*z*/) const {
  return nullptr;
}

template <class Real>
class Pass<Real>::Tasks {
 public:
  Tasks(const Pencils& pencils, const PassFields& fields, const PassWork<Real>& work, tasks::Scheduler& scheduler,
        Rigor rigor, GridCommunicators& ranks, const Division& division, std::span<Complex> memory)
      : fields_(fields),
        label_(work.label()),
        scheduler_(scheduler),
        ranks_(ranks),
        stages_(pencils, fields, work, scheduler.workers(), rigor, ranks, settled(pencils, division), memory),
        plan_(stages_.plan()),
        buffers_(stages_.buffers()),
        exchanges_columns_(pencils.grid().column_size > 1) {
    build();
  }

  void time_exchanges() {
    if (ranks_.world().size() > 1) buffers_.time_exchanges(ranks_);
  }

  void run(const tasks::StepContext& step) {
    buffers_.prepare();
    scheduler_.run(graph_, all_, step);
  }

  [[nodiscard]] const Division& division() const noexcept { return plan_.division(); }
  [[nodiscard]] std::size_t bytes() const noexcept { return stages_.bytes(); }

 private:
  using Stages = detail::PassStages<Real>;
  using Step = tasks::StepContext;

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
      if (exchanges_columns_ && fields_.in > 0) {
        ready = graph_.add_datum();
        for (std::size_t g = 0; g < division.groups; ++g) {
          add_exchange("columns to points", groups[g], graph_.add_datum(ready), buffers_.to_points(g, chunk),
                       g * division.chunks + chunk, most_urgent - urgency(chunk) - (stages_.has_planes() ? 0.0 : 2.0));
        }
      }
      add_planes(chunk, ready, chunks[chunk]);
    }
    if (fields_.mixed > 0) {
      std::vector<tasks::DatumId> back(division.groups, planes);
      for (std::size_t g = exchanges_columns_ ? division.groups : 0; g-- > 0;) {
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

  tasks::TaskKind kind(std::string_view name) { return graph_.kind(fmt::format("{}{}", label_, name)); }

  std::vector<tasks::DatumId> parts_of(tasks::DatumId whole, std::size_t count) {
    std::vector<tasks::DatumId> parts;
    for (std::size_t i = 0; i < count; ++i) parts.push_back(graph_.add_datum(whole));
    return parts;
  }

  /// A task for each kx, which writes a part of its group's datum, or reads that.
  void add_columns(std::string_view name, const std::vector<tasks::DatumId>& writes,
                   const std::vector<tasks::DatumId>& reads, void (Stages::*function)(std::size_t, std::size_t)) {
    for (std::size_t kx = plan_.pencils().kx().begin; kx < plan_.pencils().kx().end; ++kx) {
      const std::size_t group = plan_.group_of(kx);
      tasks::Accesses accesses;
      if (!writes.empty()) accesses.emplace_back(graph_.add_datum(writes[group]), tasks::AccessMode::write);
      if (!reads.empty()) accesses.emplace_back(reads[group], tasks::AccessMode::read);
      graph_.add(kind(name), accesses, [this, kx, function](Step& step) { (stages_.*function)(kx, step.worker()); },
                 {.cost = 2.0 * transform_cost, .key = static_cast<std::uint32_t>(kx)});
    }
  }

  void add_exchange(std::string_view name, tasks::DatumId reads, tasks::DatumId writes, Transfer<Real>& transfer,
                    std::size_t which, double cost) {
    if (transfer.is_alone()) return;
    const auto key = static_cast<std::uint32_t>(which);
    const tasks::TaskKind exchange = kind(name);
    graph_.add(exchange, {{reads, tasks::AccessMode::read}, {writes, tasks::AccessMode::write}},
               [this, &transfer, key, exchange](Step& step) {
                 step.note_sent(exchange, transfer.blocks_for_others(), transfer.bytes());
                 const tasks::Posting about{.key = key, .alone_s = transfer.alone_s(), .bytes = transfer.bytes()};
                 transfer.start(step.await(ranks_.world().completions(), about));
               },
               {.cost = cost, .key = key});
  }

  /// Tasks that do something with some planes of a chunk each.
  void add_some_planes(std::string_view name, std::size_t chunk, tasks::DatumId reads, tasks::DatumId writes,
                       double cost, void (Stages::*function)(const detail::Planes&, std::size_t)) {
    const Range& range = plan_.z(chunk);
    for (std::size_t z = range.begin; z < range.end; z += stages_.planes_together()) {
      const detail::Planes planes{{z, std::min(z + stages_.planes_together(), range.end)}, chunk};
      const tasks::DatumId done = graph_.add_datum(writes);
      graph_.add(kind(name), {{reads, tasks::AccessMode::read}, {done, tasks::AccessMode::write}},
                 [this, planes, function](Step& step) { (stages_.*function)(planes, step.worker()); },
                 {.cost = cost * transform_cost, .key = static_cast<std::uint32_t>(z)});
    }
  }

  void add_planes(std::size_t chunk, tasks::DatumId ready, tasks::DatumId done) {
    if (stages_.has_planes()) return add_some_planes("plane", chunk, ready, done, 4.0, &Stages::whole_planes);
    if (fields_.in > 0) {
      const tasks::DatumId written = graph_.add_datum();
      add_some_planes("y to points", chunk, ready, written, 1.0, &Stages::y_to_points);
      ready = graph_.add_datum();
      add_exchange("rows to points", written, ready, buffers_.rows_in(chunk), chunk, 1.0);
    }
    if (fields_.out == 0) return add_some_planes("rows", chunk, ready, done, 2.0, &Stages::all_rows);
    const tasks::DatumId written = graph_.add_datum();
    add_some_planes("rows", chunk, ready, written, 2.0, &Stages::all_rows);
    ready = graph_.add_datum();
    add_exchange("rows to modes", written, ready, buffers_.rows_out(chunk), chunk, 1.0);
    add_some_planes("y to modes", chunk, ready, done, 1.0, &Stages::y_to_modes);
  }

  PassFields fields_;
  std::string_view label_;
  tasks::Scheduler& scheduler_;
  GridCommunicators& ranks_;
  Stages stages_;
  const ExchangePlan& plan_;
  PassBuffers<Real>& buffers_;
  bool exchanges_columns_;
  tasks::Graph graph_;
  tasks::Activation all_;
};

template <class Real>
Pass<Real>::Pass(const Pencils& pencils, const PassFields& fields, const PassWork<Real>& work,
                 tasks::Scheduler& scheduler, Rigor rigor, GridCommunicators& ranks, const Division& division,
                 std::span<Complex> memory) {
  const ProcessGrid& expected = ranks.grid();
  if (pencils.grid() != expected) {
    throw base::PreconditionError(
        fmt::format("pencils of {} x {} ranks in a pass of {} x {}: columns x rows must agree",
                    pencils.grid().column_size, pencils.grid().row_size, expected.column_size, expected.row_size));
  }
  tasks_ = std::make_unique<Tasks>(pencils, fields, work, scheduler, rigor, ranks, division, memory);
}
template <class Real>
Pass<Real>::~Pass() = default;
template <class Real>
void Pass<Real>::run(const tasks::StepContext& step) {
  tasks_->run(step);
}
template <class Real>
void Pass<Real>::time_exchanges() {
  tasks_->time_exchanges();
}
template <class Real>
const Division& Pass<Real>::division() const noexcept {
  return tasks_->division();
}
template <class Real>
std::size_t Pass<Real>::bytes() const noexcept {
  return tasks_->bytes();
}

template class PassWork<double>;
template class PassWork<float>;
template class Pass<double>;
template class Pass<float>;

}  // namespace tacit::fft
