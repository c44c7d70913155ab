// What one worker may run next: tasks of the graph by priority, and jobs.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/tasks/detail/worker_queue.hpp"

#include <algorithm>
#include <bit>
#include <mutex>

namespace tacit::tasks::detail {

namespace {

/// A thief cuts lists at most here, so that the owner does not wait for long.
constexpr std::uint32_t most_stolen = 64;

}  // namespace

void WorkerQueue::open(const NodeLists& lists, std::span<const std::uint32_t> roots) {
  lists_ = lists;
  roots_ = roots;
  closed_ = false;
  note_change();
}

void WorkerQueue::close() {
  const std::lock_guard guard(lock_);
  closed_ = true;
  levels_ = 0;
  roots_ = {};
  note_change();
}

/// Tells thieves and the owner what there is now. Called under the lock.
void WorkerQueue::note_change() {
  const int top = std::max(list_level(), root_level());
  if (top_level_.load(std::memory_order_relaxed) != top) top_level_.store(top, std::memory_order_relaxed);
  const bool any = top >= 0 || jobs_begin_ != jobs_end_;
  if (any == noted_) return;
  noted_ = any;
  // Sequentially consistent, so that of a thread that goes to sleep and one that pushes, one sees the other.
  has_work_.store(any, std::memory_order_seq_cst);
}

int WorkerQueue::list_level() const noexcept {
  return static_cast<int>(priority_levels) - 1 - std::countl_zero(levels_);
}

int WorkerQueue::root_level() const noexcept { return roots_.empty() ? -1 : lists_.level[roots_.front()]; }

void WorkerQueue::push_node(std::uint32_t node) {
  const std::size_t level = lists_.level[node];
  const std::uint64_t bit = std::uint64_t{1} << level;
  const bool first = (levels_ & bit) == 0;
  lists_.next[node] = first ? no_node : head_[level];
  count_[level] = first ? 1 : count_[level] + 1;
  head_[level] = node;
  levels_ |= bit;
}

void WorkerQueue::push(std::span<const std::uint32_t> nodes) {
  const std::lock_guard guard(lock_);
  if (closed_) return;
  for (const std::uint32_t node : nodes) push_node(node);
  note_change();
}

void WorkerQueue::push(Job& job) {
  const std::lock_guard guard(lock_);
  push_job(job);
  note_change();
}

void WorkerQueue::push_last(Job& job) {
  const std::lock_guard guard(lock_);
  make_room();
  jobs_[--jobs_begin_ & (jobs_.size() - 1)] = &job;  // positions wrap around, which changes nothing
  note_change();
}

void WorkerQueue::make_room() {
  if (job_count() < jobs_.size()) return;
  std::vector<Job*> larger(2 * jobs_.size());
  for (std::size_t i = 0; i < job_count(); ++i) larger[i] = jobs_[(jobs_begin_ + i) & (jobs_.size() - 1)];
  jobs_end_ = job_count();
  jobs_begin_ = 0;
  jobs_ = std::move(larger);
}

void WorkerQueue::push_job(Job& job) {
  make_room();
  jobs_[jobs_end_++ & (jobs_.size() - 1)] = &job;
}

/// @pre there is a task
std::uint32_t WorkerQueue::pop_node() {
  if (levels_ == 0 || list_level() < root_level()) {
    const std::uint32_t node = roots_.front();
    roots_ = roots_.subspan(1);
    return node;
  }
  const auto l = static_cast<std::size_t>(list_level());
  const std::uint32_t node = head_[l];
  head_[l] = lists_.next[node];
  if (--count_[l] == 0) levels_ &= ~(std::uint64_t{1} << l);
  return node;
}

Item WorkerQueue::pop(Hands& hands) {
  const std::lock_guard guard(lock_);
  Item item;
  if (jobs_begin_ != jobs_end_) {
    item.job = jobs_[--jobs_end_ & (jobs_.size() - 1)];
  } else if (levels_ != 0 || !roots_.empty()) {
    item.node = pop_node();
  } else {
    return item;
  }
  hands.take(item.node != no_node);
  note_change();
  return item;
}

Job* WorkerQueue::pop_job(Hands& hands) {
  const std::lock_guard guard(lock_);
  if (jobs_begin_ == jobs_end_) return nullptr;
  Job* const job = jobs_[--jobs_end_ & (jobs_.size() - 1)];
  hands.take(false);
  note_change();
  return job;
}

/// The oldest half: those lead to the most work.
void WorkerQueue::take_half_of_jobs(Stolen& stolen) {
  stolen.job_count = std::min((job_count() + 1) / 2, stolen.jobs.size());
  for (std::size_t i = 0; i < stolen.job_count; ++i) {
    stolen.jobs[i] = jobs_[jobs_begin_++ & (jobs_.size() - 1)];
    __builtin_prefetch(stolen.jobs[i]);  // all at once, not one after the other when they run
  }
}

/// The older half of a short list, which the owner would reach last; of a long one the newest few.
void WorkerQueue::take_half_of_list(int level, Stolen& stolen) {
  const auto l = static_cast<std::size_t>(level);
  const std::uint32_t kept = count_[l] / 2;
  if (kept == 0) {
    stolen.list = head_[l];
    stolen.list_count = 1;
    levels_ &= ~(std::uint64_t{1} << l);
    return;
  }
  const std::uint32_t walked = std::min(kept, most_stolen);
  std::uint32_t last = head_[l];
  for (std::uint32_t i = 1; i < walked; ++i) last = lists_.next[last];
  const std::uint32_t rest = lists_.next[last];
  if (walked == kept) {
    stolen.list = rest;
    stolen.list_count = count_[l] - kept;
    count_[l] = kept;
  } else {
    stolen.list = head_[l];
    stolen.list_count = walked;
    head_[l] = rest;
    count_[l] -= walked;
  }
  lists_.next[last] = no_node;
}

void WorkerQueue::take_half_of_roots(Stolen& stolen) {
  const std::size_t kept = roots_.size() / 2;
  stolen.roots = roots_.subspan(kept);
  roots_ = roots_.first(kept);
}

bool WorkerQueue::Stolen::take_from(WorkerQueue& victim, Hands& hands, bool jobs_only) {
  const std::lock_guard guard(victim.lock_);
  if (victim.jobs_begin_ != victim.jobs_end_) {
    victim.take_half_of_jobs(*this);
  } else if (!jobs_only && (victim.levels_ != 0 || !victim.roots_.empty())) {
    if (victim.list_level() >= victim.root_level()) {
      victim.take_half_of_list(victim.list_level(), *this);
    } else {
      victim.take_half_of_roots(*this);
    }
  } else {
    return false;
  }
  hands.take(job_count == 0);
  victim.note_change();
  return true;
}

/// Adds what was stolen. Called without locks, by the owner.
void WorkerQueue::receive(const Stolen& stolen, std::size_t first_job, std::uint32_t list, std::uint32_t list_count,
                          std::span<const std::uint32_t> roots) {
  const std::lock_guard guard(lock_);
  for (std::size_t i = first_job; i < stolen.job_count; ++i) push_job(*stolen.jobs[i]);
  if (closed_) list_count = 0, roots = {};
  for (std::uint32_t node = list; list_count > 0; --list_count) {
    const std::uint32_t next = lists_.next[node];
    push_node(node);
    node = next;
  }
  if (roots_.empty()) {
    roots_ = roots;
  } else {
    for (const std::uint32_t node : roots) push_node(node);
  }
  note_change();
}

Item WorkerQueue::steal(WorkerQueue& thief, Hands& hands, std::uint64_t& moved) {
  Stolen stolen;
  if (!stolen.take_from(*this, hands, false)) return {};
  Item item;
  if (stolen.job_count > 0) {
    item.job = stolen.jobs[0];
    moved += stolen.job_count;
    thief.receive(stolen, 1, no_node, 0, {});
  } else if (stolen.list_count > 0) {
    item.node = stolen.list;
    moved += stolen.list_count;
    thief.receive(stolen, 0, stolen.list_count > 1 ? lists_.next[stolen.list] : no_node, stolen.list_count - 1, {});
  } else {
    item.node = stolen.roots.front();
    moved += stolen.roots.size();
    thief.receive(stolen, 0, no_node, 0, stolen.roots.subspan(1));
  }
  return item;
}

Job* WorkerQueue::steal_job(WorkerQueue& thief, Hands& hands, std::uint64_t& moved) {
  Stolen stolen;
  if (!stolen.take_from(*this, hands, true)) return nullptr;
  moved += stolen.job_count;
  thief.receive(stolen, 1, no_node, 0, {});
  return stolen.jobs[0];
}

}  // namespace tacit::tasks::detail
