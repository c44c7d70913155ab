// What a worker says of its time: events in its track, and how many tasks it has finished.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/base/ticks.hpp"
#include "tacit/tasks/detail/pool.hpp"

namespace tacit::tasks {

/// Tells the others how many tasks it has finished; not after each, so that they do not fight for the line.
void Scheduler::Pool::publish(Worker& worker) {
  if (worker.finished.load(std::memory_order_relaxed) == worker.finished_here) return;
  worker.finished.store(worker.finished_here, std::memory_order_release);
}

/// Records the time since the last event; a track has no gaps. @pre no block is open
std::int64_t Scheduler::Pool::record(Worker& worker, trace::KindId kind, std::uint32_t key) {
  const std::int64_t now = base::ticks();
  worker.track->record({.begin = worker.mark, .end = now, .kind = kind, .key = key});
  return worker.mark = now;
}

void Scheduler::Pool::change_kind(Worker& worker, trace::KindId kind) {
  if (worker.stamps.is_open()) close_block(worker);
  give_back_batch(worker);
  worker.stamps.begin(kind);
}

/// Records the block since the last event, and what a task of it has taken on average. @pre it is open
std::int64_t Scheduler::Pool::close_block(Worker& worker) {
  const std::int64_t now = base::ticks();
  const trace::Event event = worker.stamps.close(worker.mark, now);
  worker.track->record(event);
  const std::span<const std::uint32_t> nodes = worker.stamps.take_nodes();
  if (!nodes.empty()) {  // else there may be no run, or one may be about to begin
    const float seconds = seconds_of(now - worker.mark) / static_cast<float>(event.count);
    for (const std::uint32_t node : nodes) activation->seconds_[node] = seconds;
  }
  if (worker.stamps.expected() == 0) give_back_batch(worker);
  return worker.mark = now;
}

/// Closes it, if it is open, before the worker does something else than tasks and jobs.
void Scheduler::Pool::interrupt_block(Worker& worker) {
  if (worker.stamps.is_open()) close_block(worker);
  worker.stamps.interrupt();
}

}  // namespace tacit::tasks
