// Records of tracers, in tasks of some hundred of them.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/dns/tracers/tracer_log.hpp"

#include <cstring>

#include "tacit/trace/trace.hpp"

namespace tacit::dns {

TracerLog::TracerLog(const engine::Log& log, double spacing, std::uint32_t rank, tasks::Scheduler& scheduler)
    : log_(log),
      spacing_(spacing),
      rank_(rank),
      scheduler_(scheduler),
      due_(scheduler.workers()),
      parts_(4 * scheduler.workers()) {
  const tasks::TaskKind kind = graph_.kind("log", trace::Category::output);
  for (std::size_t part = 0; part < parts_; ++part) {
    const auto tracers = graph_.add_data<std::span<Tracer>>();
    graph_.add(kind, tasks::writes(tracers),
               [this, part](tasks::StepContext& step) { write_part(part, step.worker()); },
               {.key = static_cast<std::uint32_t>(part)});
  }
  all_ = graph_.activate_all();
}

io::LogSchema TracerLog::schema() {
  using io::Number;
  return {{{.name = "x", .type = Number::float64, .count = 3, .unit = "length", .rate = "v"},
           {.name = "v", .type = Number::float32, .count = 3, .unit = "velocity"}}};
}

void TracerLog::write_all(std::span<Tracer> tracers, double time) {
  last_.clear();
  time_ = time;
  io::LogBatch batch = log_.writer->reserve(tracers.size());
  for (Tracer& tracer : tracers) {
    last_.try_emplace(tracer.id);
    tracer.logged_by = Tracer::no_rank;  // without room, in the first step
    if (batch) write(tracer, batch);
  }
}

void TracerLog::find_in(const io::LogReader& log, std::uint64_t count) {
  for (std::uint64_t id = 0; id < count; ++id) {
    const auto record = log.last_record(id);
    if (!record) continue;
    Fields said;
    std::memcpy(&said, record->fields, sizeof said);
    last_[id] = {.offset = record->offset,
                 .time = record->time,
                 .position = {said.x[0], said.x[1], said.x[2]},
                 .velocity = {said.v[0], said.v[1], said.v[2]}};
  }
}

void TracerLog::write_due(std::span<Tracer> tracers, double time) {
  tracers_ = tracers;
  time_ = time;
  for (const Tracer& tracer : tracers) {
    if (tracer.logged_by != rank_) last_.try_emplace(tracer.id);  // tasks find all, and add none
  }
  scheduler_.run(graph_, all_, {});
}

void TracerLog::write_part(std::size_t part, std::uint32_t worker) {
  const std::size_t begin = part * tracers_.size() / parts_;
  const std::size_t end = (part + 1) * tracers_.size() / parts_;
  std::vector<std::size_t>& due = due_[worker].tracers;
  due.clear();
  for (std::size_t i = begin; i < end; ++i) {
    if (is_due(tracers_[i])) due.push_back(i);
  }
  io::LogBatch batch = log_.writer->reserve(due.size());
  if (!batch) return;  // they stay due
  for (const std::size_t i : due) write(tracers_[i], batch);
}

bool TracerLog::is_due(Tracer& tracer) const {
  if (tracer.logged_by != rank_) return true;
  const Last& last = last_.at(tracer.id);
  const base::Vec3 off = tracer.position - last.position - (time_ - last.time) * last.velocity;
  return log_.policy.is_due(++tracer.steps_since_logged, norm(off) / spacing_);
}

void TracerLog::write(Tracer& tracer, io::LogBatch& batch) {
  const auto single = [](double value) { return static_cast<float>(value); };
  const base::Vec3& x = tracer.position;
  const base::Vec3& v = tracer.velocity;
  const Fields said{.x = {x.x, x.y, x.z}, .v = {single(v.x), single(v.y), single(v.z)}};
  Last& last = last_.at(tracer.id);
  last = {.offset = batch.write(tracer.id, last.offset, time_, said),
          .time = time_,
          .position = x,
          .velocity = {said.v[0], said.v[1], said.v[2]}};
  tracer.logged_by = rank_;
  tracer.steps_since_logged = 0;
}

}  // namespace tacit::dns
