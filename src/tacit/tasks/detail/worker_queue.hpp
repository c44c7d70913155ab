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
  Item pop(Hands& hands);
  Job* pop_job(Hands& hands);
  /// Takes from this queue what `thief`, whose queue is empty, should run; all but the first goes to its queue.
  /// @param moved  increased by how many items were taken
  Item steal(WorkerQueue& thief, Hands& hands, std::uint64_t& moved);
  Job* steal_job(WorkerQueue& thief, Hands& hands, std::uint64_t& moved);

  /// Whether there may be something; exact when the queue is at rest.
  [[nodiscard]] bool has_work() const noexcept { return has_work_.load(std::memory_order_seq_cst); }
  /// The level of the most urgent task, or -1; exact for the owner, unless work was stolen in the meantime.
  [[nodiscard]] int top_level() const noexcept { return top_level_.load(std::memory_order_relaxed); }

 private:
  struct Stolen {
    std::array<Job*, 32> jobs;
    std::size_t job_count = 0;
    std::uint32_t list = no_node;  // of nodes of one level
    std::uint32_t list_count = 0;
    std::span<const std::uint32_t> roots;
    bool take_from(WorkerQueue& victim, Hands& hands, bool jobs_only);
  };
  void push_node(std::uint32_t node);
  void push_job(Job& job);
  void make_room();
  [[nodiscard]] int list_level() const noexcept;
  [[nodiscard]] int root_level() const noexcept;
  std::uint32_t pop_node();
  void take_half_of_jobs(Stolen& stolen);
  void take_half_of_list(int level, Stolen& stolen);
  void take_half_of_roots(Stolen& stolen);
  void receive(const Stolen& stolen, std::size_t first_job, std::uint32_t list, std::uint32_t list_count,
               std::span<const std::uint32_t> roots);
  void note_change();
  [[nodiscard]] std::size_t job_count() const noexcept { return jobs_end_ - jobs_begin_; }

  SpinLock lock_;
  bool closed_ = true;
  bool noted_ = false;  // what has_work_ says
  NodeLists lists_;
  std::uint64_t levels_ = 0;  // bit l: the list of level l is not empty
  std::span<const std::uint32_t> roots_;
  std::size_t jobs_begin_ = 0;
  std::size_t jobs_end_ = 0;
  std::vector<Job*> jobs_ = std::vector<Job*>(64);  // a ring; its size is a power of two
  std::atomic<int> top_level_{-1};
  std::array<std::uint32_t, priority_levels> head_{};
  std::array<std::uint32_t, priority_levels> count_{};
  alignas(128) std::atomic<bool> has_work_{false};  // on a line of its own: others look at it all the time
};

}  // namespace tacit::tasks::detail
