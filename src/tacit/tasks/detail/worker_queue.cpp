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

inline void WorkerQueue::note(std::uint8_t contents) {
  changes_.store(changes_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  if (contents == noted_) return;
  noted_ = contents;
  // Sequentially consistent, so that of a thread that goes to sleep and one that pushes, one sees the other.
  contents_.store(contents, std::memory_order_seq_cst);
}

/// Tells thieves and the owner what there is now. Called under the lock.
void WorkerQueue::note_change() {
  const int top = std::max(list_level(), root_level());
  if (top_level_.load(std::memory_order_relaxed) != top) top_level_.store(top, std::memory_order_relaxed);
  note(static_cast<std::uint8_t>((jobs_begin_ != jobs_end_ ? contains_jobs : 0) | (top >= 0 ? contains_tasks : 0)));
}

/// The same where only jobs have come or gone.
void WorkerQueue::note_jobs() {
  note(static_cast<std::uint8_t>((jobs_begin_ != jobs_end_ ? contains_jobs : 0) | (noted_ & contains_tasks)));
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
  note_jobs();
}

void WorkerQueue::push_last(Job& job) {
  const std::lock_guard guard(lock_);
  make_room();
  this->job(--jobs_begin_) = &job;  // positions wrap around, which changes nothing
  note_jobs();
}

void WorkerQueue::grow() {
  std::vector<Job*> larger(2 * jobs_.size());
  for (std::size_t i = 0; i < job_count(); ++i) larger[i] = job(jobs_begin_ + i);
  jobs_end_ = job_count();
  jobs_begin_ = 0;
  jobs_ = std::move(larger);
  job_mask_ = jobs_.size() - 1;
}

void WorkerQueue::push_job(Job& job) {
  make_room();
  this->job(jobs_end_++) = &job;
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

/// Of the roots that follow `node`, just taken, those of its level.
std::span<const std::uint32_t> WorkerQueue::pop_more(std::uint32_t node, std::size_t most) {
  const std::size_t level = lists_.level[node];
  most = std::min(most, roots_.size() / 4);
  std::size_t count = 0;
  while (count < most && lists_.level[roots_[count]] == level) ++count;
  const std::span<const std::uint32_t> taken = roots_.first(count);
  roots_ = roots_.subspan(count);
  return taken;
}

Item WorkerQueue::pop(Hands& hands, std::size_t most, std::span<const std::uint32_t>& more) {
  const std::lock_guard guard(lock_);
  Item item;
  if (jobs_begin_ != jobs_end_) {
    item.job = job(--jobs_end_);
    hands.take(false);
    note_jobs();
    return item;
  }
  if (levels_ != 0 || !roots_.empty()) {
    const std::size_t roots = roots_.size();
    item.node = pop_node();
    if (most > 0 && roots_.size() != roots) more = pop_more(item.node, most);
  } else {
    return item;
  }
  hands.take(true);
  note_change();
  return item;
}

Job* WorkerQueue::pop_job(Hands& hands) {
  const std::lock_guard guard(lock_);
  if (jobs_begin_ == jobs_end_) return nullptr;
  Job* const newest = job(--jobs_end_);
  hands.take(false);
  note_jobs();
  return newest;
}

/// The oldest half: those lead to the most work.
void WorkerQueue::take_half_of_jobs(Stolen& stolen) {
  stolen.job_count = std::min((job_count() + 1) / 2, stolen.jobs.size());
  for (std::size_t i = 0; i < stolen.job_count; ++i) {
    stolen.jobs[i] = job(jobs_begin_++);
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

bool WorkerQueue::Stolen::take_from(WorkerQueue& victim, Hands& hands, Loot loot) {
  const std::lock_guard guard(victim.lock_);
  if (loot != Loot::tasks && victim.jobs_begin_ != victim.jobs_end_) {
    victim.take_half_of_jobs(*this);
  } else if (loot != Loot::jobs && (victim.levels_ != 0 || !victim.roots_.empty())) {
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

Item WorkerQueue::steal(WorkerQueue& thief, Hands& hands, std::uint64_t& moved, Loot loot) {
  Stolen stolen;
  if (!stolen.take_from(*this, hands, loot)) return {};
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

}  // namespace tacit::tasks::detail
