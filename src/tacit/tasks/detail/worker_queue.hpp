// What one worker may run next: tasks of the graph by priority, and jobs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacit/tasks/detail/spin_lock.hpp"
#include "tacit/tasks/job.hpp"

namespace tacit::tasks::detail {

inline constexpr std::uint32_t no_node = 0xffffffffU;
inline constexpr std::size_t priority_levels = 64;

/// Something to run: a node of the graph or a job, or nothing.
struct Item {
  std::uint32_t node = no_node;
  Job* job = nullptr;
  [[nodiscard]] explicit operator bool() const noexcept { return node != no_node || job != nullptr; }
};

/// What a worker is running. Changes under the lock of the queue from which it takes something, so that an
/// observer sees either the work in the queue or the worker busy.
struct Hands {
  std::atomic<bool> busy{false};  // has a task
  std::atomic<bool> idle{true};   // looks for work
  void take(bool task) noexcept {
    if (idle.load(std::memory_order_relaxed)) idle.store(false, std::memory_order_relaxed);
    if (task && !busy.load(std::memory_order_relaxed)) busy.store(true, std::memory_order_relaxed);
  }
};

/// What a thief is after.
enum class Loot : std::uint8_t { any, jobs, tasks };

/// What the queues of one run share: the lists of waiting nodes and their levels.
struct NodeLists {
  std::uint32_t* next = nullptr;        // shape (nodes): links; a node is in at most one list
  const std::uint8_t* level = nullptr;  // shape (nodes): below priority_levels, higher is more urgent
};

/// Queue of one worker, which takes the newest of the most urgent level; thieves take half of what is most urgent.
/// Jobs go before tasks.
///
/// Every call takes the lock once. Nothing is allocated for tasks; the ring of jobs grows.
class alignas(128) WorkerQueue {
 public:
  /// Keep thieves off, from here and to here, while the queues of a run are opened: hold all before opening the first.
  void hold() noexcept { lock_.lock(); }
  void let_go() noexcept { lock_.unlock(); }
  /// Begins a run. @pre held
  /// @param roots  nodes by falling level; must outlive the run
  void open(const NodeLists& lists, std::span<const std::uint32_t> roots);
  /// Drops all tasks; from now on pushed ones are dropped too.
  void close();

  void push(std::span<const std::uint32_t> nodes);
  void push(Job& job);
  /// Puts it behind the jobs that are there: the owner comes to it last, thieves first.
  void push_last(Job& job);
  Item pop(Hands& hands) {
    std::span<const std::uint32_t> more;
    return pop(hands, 0, more);
  }
  /// The same; with a task of those that were ready from the start also up to `most` of the next of its level, but no
  /// more than a quarter of what is there, so that thieves still find some.
  /// @param more  receives those; they are no longer in the queue
  Item pop(Hands& hands, std::size_t most, std::span<const std::uint32_t>& more);
  Job* pop_job(Hands& hands);
  /// Takes from this queue what `thief`, whose queue is empty, should run; all but the first goes to its queue.
  /// @param moved  increased by how many items were taken
  Item steal(WorkerQueue& thief, Hands& hands, std::uint64_t& moved, Loot loot = Loot::any);

  /// Whether there may be something; exact when the queue is at rest.
  [[nodiscard]] bool has_work() const noexcept { return contents_.load(std::memory_order_seq_cst) != 0; }
  [[nodiscard]] bool has_tasks() const noexcept { return has(contains_tasks); }
  [[nodiscard]] bool has_jobs() const noexcept { return has(contains_jobs); }
  /// How often it has changed: what is the same after a while has stood still.
  [[nodiscard]] std::uint32_t changes() const noexcept { return changes_.load(std::memory_order_relaxed); }
  /// The level of the most urgent task, or -1; exact for the owner, unless work was stolen in the meantime.
  [[nodiscard]] int top_level() const noexcept { return top_level_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::uint8_t contains_jobs = 1;
  static constexpr std::uint8_t contains_tasks = 2;
  [[nodiscard]] bool has(std::uint8_t what) const noexcept {
    return (contents_.load(std::memory_order_relaxed) & what) != 0;
  }
  struct Stolen {
    std::array<Job*, 32> jobs;
    std::size_t job_count = 0;
    std::uint32_t list = no_node;  // of nodes of one level
    std::uint32_t list_count = 0;
    std::span<const std::uint32_t> roots;
    bool take_from(WorkerQueue& victim, Hands& hands, Loot loot);
  };
  void push_node(std::uint32_t node);
  void push_job(Job& job);
  void make_room() {
    if (job_count() > job_mask_) grow();
  }
  void grow();
  void note_jobs();
  void note(std::uint8_t contents);
  [[nodiscard]] int list_level() const noexcept;
  [[nodiscard]] int root_level() const noexcept;
  std::uint32_t pop_node();
  std::span<const std::uint32_t> pop_more(std::uint32_t node, std::size_t most);
  void take_half_of_jobs(Stolen& stolen);
  void take_half_of_list(int level, Stolen& stolen);
  void take_half_of_roots(Stolen& stolen);
  void receive(const Stolen& stolen, std::size_t first_job, std::uint32_t list, std::uint32_t list_count,
               std::span<const std::uint32_t> roots);
  void note_change();
  [[nodiscard]] Job*& job(std::size_t position) noexcept { return jobs_[position & job_mask_]; }
  [[nodiscard]] std::size_t job_count() const noexcept { return jobs_end_ - jobs_begin_; }

  SpinLock lock_;
  bool closed_ = true;
  std::uint8_t noted_ = 0;  // what contents_ says
  std::atomic<std::uint32_t> changes_{0};
  NodeLists lists_;
  std::uint64_t levels_ = 0;  // bit l: the list of level l is not empty
  std::span<const std::uint32_t> roots_;
  std::size_t jobs_begin_ = 0;
  std::size_t jobs_end_ = 0;
  std::vector<Job*> jobs_ = std::vector<Job*>(64);  // a ring; its size is a power of two
  std::size_t job_mask_ = 63;                       // that size less 1
  std::atomic<int> top_level_{-1};
  std::array<std::uint32_t, priority_levels> head_{};
  std::array<std::uint32_t, priority_levels> count_{};
  alignas(128) std::atomic<std::uint8_t> contents_{0};  // on a line of its own: others look at it all the time
};

}  // namespace tacit::tasks::detail
