// How tracers move.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/dns/tracers/tracers.hpp"

#include <algorithm>
#include <array>

#include "tacit/base/exact_sum.hpp"
#include "tacit/base/random.hpp"
#include "tacit/tasks/parallel_for.hpp"

namespace tacit::dns {
namespace {

base::Vec3 first_place(std::uint64_t seed, std::uint64_t id, const base::Vec3& box) {
  return {box.x * base::uniform(seed, id, 0), box.y * base::uniform(seed, id, 1), box.z * base::uniform(seed, id, 2)};
}

/// The substages of kernels::Substage for dx/dt = v, without decay, in a moving frame, which the last one leaves.
void move(kernels::Substage substage, double dt, const base::Vec3& frame, Tracer& tracer) {
  using kernels::Substage;
  base::Vec3& x = tracer.position;
  const base::Vec3 v = tracer.velocity - frame;
  switch (substage) {
    case Substage::rk2_first:
      tracer.sum = x + 0.5 * dt * v;
      x = x + dt * v;
      return;
    case Substage::rk4_first:
      tracer.sum = x + dt / 6.0 * v;
      tracer.base = x;
      x = x + 0.5 * dt * v;
      return;
    case Substage::rk4_second:
      tracer.sum = tracer.sum + dt / 3.0 * v;
      x = tracer.base + 0.5 * dt * v;
      return;
    case Substage::rk4_third:
      tracer.sum = tracer.sum + dt / 3.0 * v;
      x = tracer.base + dt * v;
      return;
    case Substage::rk2_last:
      x = tracer.sum + 0.5 * dt * v + dt * frame;
      return;
    case Substage::rk4_last:
      x = tracer.sum + dt / 6.0 * v + dt * frame;
      return;
  }
}

/// The ranks whose parts of the periodic box touch that of this one.
std::vector<comm::RankId> ranks_beside(const fft::Pencils& pencils) {
  const auto [row, column] = pencils.grid();
  std::vector<comm::RankId> ranks;
  for (const std::size_t c : {column - 1, std::size_t{0}, std::size_t{1}}) {
    for (const std::size_t r : {row - 1, std::size_t{0}, std::size_t{1}}) {
      const std::size_t rank = (pencils.place_in_column() + c) % column * row + (pencils.place_in_row() + r) % row;
      ranks.push_back(comm::RankId{static_cast<std::uint32_t>(rank)});
    }
  }
  return ranks;
}

std::uint64_t id_of(const Tracer& tracer) { return tracer.id; }

/// The least distance of grid points.
double spacing_of(const Flow& flow) {
  const fft::Shape& n = flow.pencils().modes().points();
  const base::Vec3& box = flow.parameters().box;
  double least = box[0] / static_cast<double>(n[0]);
  for (std::size_t axis = 1; axis < 3; ++axis) least = std::min(least, box[axis] / static_cast<double>(n[axis]));
  return least;
}

}  // namespace

Tracers::Tracers(const Flow& flow, const TracerParameters& parameters, tasks::Scheduler& scheduler,
                 const engine::Log* log, Begin /*begin*/)
    : flow_(flow),
      scheduler_(scheduler),
      count_(parameters.count),
      spline_(flow, scheduler),
      migration_(flow.ranks().world(), scheduler, ranks_beside(flow.pencils()),
                 {.arrivals = exchange::Arrivals::by_arrival}) {
  const fft::Pencils& pencils = flow.pencils();
  const fft::ProcessGrid& grid = pencils.grid();
  if (log != nullptr) log_.emplace(*log, spacing_of(flow), static_cast<std::uint32_t>(own_place()), scheduler);
  for (std::size_t place = 0; place < grid.row_size; ++place) {
    row_place_of_.insert(row_place_of_.end(), pencils.y_of(place).size(), place);
  }
  for (std::size_t place = 0; place < grid.column_size; ++place) {
    column_base_of_.insert(column_base_of_.end(), pencils.z_of(place).size(), place * grid.row_size);
  }
}

Tracers::Tracers(const Flow& flow, const TracerParameters& parameters, tasks::Scheduler& scheduler,
                 const engine::Log* log)
    : Tracers(flow, parameters, scheduler, log, Begin{}) {
  const fft::Range ids = own_ids();
  tracers_.resize(ids.size());
  for (std::uint64_t id = ids.begin; id < ids.end; ++id) {
    Tracer& tracer = tracers_[id - ids.begin];
    tracer.id = id;
    tracer.start = tracer.position = first_place(parameters.seed, id, flow.parameters().box);
  }
  measure();
  for (Tracer& tracer : tracers_) tracer.first_velocity = tracer.velocity;
}

Tracers::Tracers(const Flow& flow, const TracerParameters& parameters, tasks::Scheduler& scheduler,
                 const io::FileReader& checkpoint, const engine::Log* log)
    : Tracers(flow, parameters, scheduler, log, Begin{}) {
  load(checkpoint);
}

fft::Range Tracers::ids_of(std::size_t rank) const noexcept {
  return fft::split(count_, flow_.pencils().grid().ranks(), rank);
}

std::size_t Tracers::own_place() const noexcept {
  const fft::Pencils& pencils = flow_.pencils();
  return pencils.place_in_column() * pencils.grid().row_size + pencils.place_in_row();
}

fft::Range Tracers::own_ids() const noexcept { return ids_of(own_place()); }

std::vector<Tracer> Tracers::with_own_ids() const {
  std::vector<Tracer> tracers = tracers_;
  const std::size_t ranks = flow_.pencils().grid().ranks();
  if (ranks == 1) return tracers;
  const auto owner_of = [&](const Tracer& tracer) {
    // The even division has parts of two sizes; a guess from the mean size is off by one at most.
    auto rank = static_cast<std::size_t>(tracer.id * ranks / count_);
    while (tracer.id < ids_of(rank).begin) --rank;
    while (tracer.id >= ids_of(rank).end) ++rank;
    return comm::RankId{static_cast<std::uint32_t>(rank)};
  };
  migration_.migrate(tracers, owner_of, id_of);
  std::ranges::sort(tracers, {}, &Tracer::id);
  return tracers;
}

void Tracers::settle() {
  if (flow_.pencils().grid().ranks() == 1) return;
  const fft::Shape& n = flow_.pencils().modes().points();
  const base::Vec3& box = flow_.parameters().box;
  const auto owner_of = [&](const Tracer& tracer) {
    const std::size_t rank = column_base_of_[grid_place(tracer.position.z, n[2], box.z).cell] +
                             row_place_of_[grid_place(tracer.position.y, n[1], box.y).cell];
    return comm::RankId{static_cast<std::uint32_t>(rank)};
  };
  migration_.migrate(tracers_, owner_of, id_of);
}

void Tracers::measure() {
  settle();
  spline_.update();
  tasks::parallel_for(scheduler_, 0, tracers_.size(),
                      [this](std::size_t i) { tracers_[i].velocity = spline_.at(tracers_[i].position); });
}

void Tracers::begin_log(double time, const io::LogReader* before) {
  if (before != nullptr) {
    log_->find_in(*before, count_);
    return;
  }
  measure();
  log_->write_all(tracers_, time);
}

void Tracers::log(double time) {
  measure();
  log_->write_due(tracers_, time);
}

void Tracers::advance(kernels::Substage substage, double dt, double time) {
  measure();
  const bool is_first = substage == kernels::Substage::rk2_first || substage == kernels::Substage::rk4_first;
  if (log_ && is_first) log_->write_due(tracers_, time);
  tasks::parallel_for(scheduler_, 0, tracers_.size(),
                      [this, substage, dt](std::size_t i) { move(substage, dt, flow_.frame(), tracers_[i]); });
}

TracerMeans Tracers::means() const {
  std::array<base::ExactSum, 3> sums;
  auto& [square_displacement, correlation, first_square] = sums;
  for (const Tracer& tracer : tracers_) {
    const base::Vec3 moved = tracer.position - tracer.start;
    square_displacement.add(base::dot(moved, moved));
    correlation.add(base::dot(tracer.first_velocity, tracer.velocity));
    first_square.add(base::dot(tracer.first_velocity, tracer.first_velocity));
  }
  flow_.reduce(sums);
  const double all = first_square.value();
  return {.square_displacement = square_displacement.value() / static_cast<double>(count_),
          .correlation = all > 0.0 ? correlation.value() / all : 0.0};
}

std::size_t Tracers::bytes() const noexcept { return spline_.bytes() + tracers_.capacity() * sizeof(Tracer); }

}  // namespace tacit::dns
