// Distributing, stealing and counting the chunks of a loop.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/tasks/parallel_for.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#include "tacit/tasks/detail/frame_pool.hpp"
#include "tacit/tasks/detail/future_state.hpp"
#include "tacit/tasks/detail/spin_lock.hpp"

namespace tacit::tasks::detail {

namespace {

constexpr std::size_t chunks_per_worker = 8;
constexpr std::size_t iterations_per_look = 1024;  // with a fixed schedule, between looks whether the loop has failed
constexpr std::size_t most_chunks = 0xffffffffU;   // positions in a Share are 32 bits
// The others' last chunks are about as long as the caller's: waiting in place for so many tries, about 1 us, saves the
// way through the worker's loop.
constexpr int tries_in_place = 100;

/// Chunks [first, last) that wait, in one word so that owner and thieves agree by compare and swap. A value never
/// comes back: its first chunk is done.
struct Share {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  [[nodiscard]] bool is_empty() const noexcept { return first >= last; }
};

class Loop;

/// What one worker has of a loop; any number of threads may take from it. And a job that helps, on any worker.
struct alignas(frame_alignment) Seat : Job {
  std::atomic<Share> share;
  Loop* loop = nullptr;
};
static_assert(std::atomic<Share>::is_always_lock_free);

/// One loop and its seats, in one block of the pool. It lives until the last job that helps has run, perhaps after the
/// loop has ended: such a late job finds no chunk and so does not touch the body.
///
/// A thread counts itself before it takes part, so once all seats were seen empty, `taking_part_` counts all threads
/// that may still hold a chunk or be about to put chunks into their own seat.
class Loop {
 public:
  Loop(Scheduler& scheduler, std::size_t begin, std::size_t end, const ChunkBody& body, const LoopOptions& options,
       std::size_t chunk);
  static std::size_t bytes(std::size_t workers) noexcept { return first_seat() + (workers + 1) * sizeof(Seat); }
  /// The caller's part; returns when no chunk is left or under way.
  void run();
  /// After `run` has thrown: drops what has not begun and waits for the rest.
  void abandon() noexcept;
  void release() noexcept;
  /// What ended the loop early. @pre it is over: a helper that is late must not be the last to hold what its caller
  /// has caught
  [[nodiscard]] std::exception_ptr take_error() noexcept { return std::exchange(error_, nullptr); }
  /// How many jobs that help are not over yet.
  [[nodiscard]] std::uint32_t helpers_left() const noexcept { return references_.load(std::memory_order_relaxed) - 1; }

 private:
  static std::size_t first_seat() noexcept {
    return (sizeof(Loop) + frame_alignment - 1) / frame_alignment * frame_alignment;
  }
  [[nodiscard]] Share dealt(std::size_t seat) const noexcept;
  void call_helpers(std::size_t helpers) noexcept;
  static void help(Job& job) noexcept;
  void take_part() noexcept;
  void do_fixed(std::size_t own) const;
  void do_stealing(std::size_t own) const;
  void do_chunk(std::size_t chunk) const;
  [[nodiscard]] bool steal(std::size_t own) const noexcept;
  void stop(std::exception_ptr error) noexcept;
  [[nodiscard]] bool is_over() const noexcept;
  [[nodiscard]] std::size_t own_seat() const noexcept;

  Scheduler* scheduler_;
  std::size_t begin_;
  std::size_t end_;
  ChunkBody body_;
  LoopOptions options_;
  std::size_t chunk_;
  std::size_t chunks_;
  std::size_t workers_;
  Seat* seats_;  // shape (workers_ + 1): one per worker, and one for threads that are none
  std::exception_ptr error_;
  SpinLock error_lock_;
  std::atomic<bool> is_stopped_{false};
  std::atomic<std::uint32_t> taking_part_{0};
  std::atomic<std::uint32_t> references_{1};
};

Loop::Loop(Scheduler& scheduler, std::size_t begin, std::size_t end, const ChunkBody& body, const LoopOptions& options,
           std::size_t chunk)
    : scheduler_(&scheduler),
      begin_(begin),
      end_(end),
      body_(body),
      options_(options),
      chunk_(chunk),
      chunks_((end - begin - 1) / chunk + 1),
      workers_(scheduler.workers()),
      seats_(reinterpret_cast<Seat*>(reinterpret_cast<std::byte*>(this) + first_seat())) {
  for (std::size_t i = 0; i <= workers_; ++i) {
    Seat& seat = *std::construct_at(seats_ + i);
    static_cast<Job&>(seat) = {.run = &help, .kind = options.job.kind, .key = options.job.key};
    seat.loop = this;
    seat.share.store(dealt(i), std::memory_order_relaxed);
  }
}

/// Dynamic: chunk numbers. Fixed: k stands for chunk number seat + k workers.
Share Loop::dealt(std::size_t seat) const noexcept {
  if (seat == workers_) return {};
  if (options_.schedule == Schedule::fixed) {
    return {0, static_cast<std::uint32_t>((chunks_ + workers_ - 1 - seat) / workers_)};
  }
  return {static_cast<std::uint32_t>(seat * chunks_ / workers_),
          static_cast<std::uint32_t>((seat + 1) * chunks_ / workers_)};
}

void Loop::run() {
  const std::size_t useful = std::min(chunks_, workers_);
  const auto over = [this] { return is_over(); };
  if (Scheduler::current() == nullptr) {
    // The thread that made the scheduler becomes worker 0, so that its part appears in the trace.
    call_helpers(useful - 1);
    references_.fetch_add(1, std::memory_order_relaxed);
    if (work_until(*scheduler_, over, &seats_[workers_])) return;
    scheduler_->submit(seats_[workers_]);
  } else if (Scheduler::current() == scheduler_) {
    call_helpers(useful - 1);
  } else {
    call_helpers(useful);
    if (work_until(*scheduler_, over)) return;
  }
  take_part();
  for (int tries = 0; tries < tries_in_place; ++tries) {
    if (is_over()) return;
    relax();
  }
  if (work_until(*scheduler_, [this] { return is_over(); })) return;
  while (!is_over()) std::this_thread::yield();
}

void Loop::abandon() noexcept {
  stop(nullptr);
  while (!is_over()) std::this_thread::yield();
  release();
}

void Loop::call_helpers(std::size_t helpers) noexcept {
  references_.fetch_add(static_cast<std::uint32_t>(helpers), std::memory_order_relaxed);
  for (std::size_t i = 0; i < helpers; ++i) scheduler_->submit(seats_[i]);
}

void Loop::help(Job& job) noexcept {
  Loop& loop = *static_cast<Seat&>(job).loop;
  loop.take_part();
  loop.release();
}

void Loop::release() noexcept {
  if (references_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  const std::size_t size = bytes(workers_);
  std::destroy_at(this);  // seats need no destruction
  give_frame(this, size);
}

void Loop::take_part() noexcept {
  taking_part_.fetch_add(1, std::memory_order_acq_rel);
  std::exception_ptr error;
  try {
    options_.schedule == Schedule::fixed ? do_fixed(own_seat()) : do_stealing(own_seat());
  } catch (...) {
    error = std::current_exception();
  }
  if (error) stop(std::move(error));
  taking_part_.fetch_sub(1, std::memory_order_acq_rel);
}

std::size_t Loop::own_seat() const noexcept {
  if (Scheduler::current() != scheduler_) return workers_;
  return std::min<std::size_t>(Scheduler::current_worker(), workers_);
}

/// The own share, and then those that have not been begun.
void Loop::do_fixed(std::size_t own) const {
  for (std::size_t i = 0; i <= workers_; ++i) {
    const std::size_t seat = (own + i) % (workers_ + 1);
    if (seats_[seat].share.load(std::memory_order_acquire).is_empty()) continue;
    const Share share = seats_[seat].share.exchange({}, std::memory_order_acq_rel);
    std::size_t at_once = 0;
    for (std::size_t k = share.first; k < share.last; k += at_once) {
      if (is_stopped_.load(std::memory_order_acquire)) return;
      at_once = std::min(std::max<std::size_t>(iterations_per_look / chunk_, 1), share.last - k);
      body_({begin_ + (seat + k * workers_) * chunk_, chunk_, workers_ * chunk_, at_once, end_});
    }
  }
}

void Loop::do_stealing(std::size_t own) const {
  std::atomic<Share>& mine = seats_[own].share;
  do {
    Share left = mine.load(std::memory_order_acquire);
    while (!left.is_empty()) {
      if (is_stopped_.load(std::memory_order_acquire)) return mine.store({}, std::memory_order_release);
      if (!mine.compare_exchange_weak(left, {left.first + 1, left.last}, std::memory_order_acq_rel)) continue;
      do_chunk(left.first);
      left = mine.load(std::memory_order_acquire);
    }
  } while (steal(own));
}

/// Moves half of another seat's chunks to the own seat, which is empty; false: none are left.
bool Loop::steal(std::size_t own) const noexcept {
  for (std::size_t i = 1; i <= workers_; ++i) {
    std::atomic<Share>& from = seats_[(own + i) % (workers_ + 1)].share;
    Share left = from.load(std::memory_order_acquire);
    while (!left.is_empty()) {
      const std::uint32_t middle = left.first + (left.last - left.first) / 2;
      if (!from.compare_exchange_weak(left, {left.first, middle}, std::memory_order_acq_rel)) continue;
      seats_[own].share.store({middle, left.last}, std::memory_order_release);
      return true;
    }
  }
  return false;
}

void Loop::do_chunk(std::size_t chunk) const { body_({begin_ + chunk * chunk_, chunk_, chunk_, 1, end_}); }

/// Keeps the first error and drops the chunks that have not begun. A thread that is just moving some to its seat sees
/// is_stopped_ next and drops them itself.
void Loop::stop(std::exception_ptr error) noexcept {
  {
    const std::lock_guard guard(error_lock_);
    if (!error_) error_ = std::move(error);
  }
  is_stopped_.store(true, std::memory_order_release);
  for (std::size_t i = 0; i <= workers_; ++i) seats_[i].share.exchange({}, std::memory_order_acq_rel);
}

bool Loop::is_over() const noexcept {
  for (std::size_t i = 0; i <= workers_; ++i) {
    if (!seats_[i].share.load(std::memory_order_acquire).is_empty()) return false;
  }
  return taking_part_.load(std::memory_order_acquire) == 0;
}

std::size_t chunk_of(std::size_t count, std::size_t workers, const LoopOptions& options) noexcept {
  const std::size_t parts = options.schedule == Schedule::fixed ? workers : workers * chunks_per_worker;
  const std::size_t chunk = options.chunk != 0 ? options.chunk : (count - 1) / parts + 1;
  return std::max(chunk, (count - 1) / most_chunks + 1);
}

/// Helpers whose loop has ended before they began stay in the caller's queue as long as all others are busy. A thread
/// that runs loop after loop would fill the memory with them, so it runs them itself, many at a time.
void clear_late_helpers(Scheduler& scheduler, std::uint32_t late) {
  constexpr std::uint32_t many = 64;
  constinit thread_local static std::uint32_t sum = 0;
  sum += late;
  if (sum < many || (Scheduler::current() != nullptr && Scheduler::current() != &scheduler)) return;
  std::uint32_t left = std::exchange(sum, 0);
  static_cast<void>(work_until(scheduler, [&left] { return left-- == 0; }));
}

/// All of a loop, as a job of the only worker.
struct Whole : Job {
  const ChunkBody* body = nullptr;
  Chunks chunks;
  std::exception_ptr error;
  bool is_done = false;

  static void call(Job& job) noexcept {
    auto& whole = static_cast<Whole&>(job);
    try {
      (*whole.body)(whole.chunks);
    } catch (...) {
      whole.error = std::current_exception();
    }
    whole.is_done = true;
  }
};

/// Where there is one worker, and nobody to share with. The thread that made the scheduler does it as worker 0, so that
/// it appears in the trace, as it does with more workers.
void run_alone(Scheduler& scheduler, const ChunkBody& body, const Chunks& all, const JobOptions& options) {
  if (Scheduler::current() != nullptr) return body(all);
  Whole whole{{.run = &Whole::call, .kind = options.kind, .key = options.key}, &body, all, nullptr};
  if (!work_until(
          scheduler, [&whole] { return whole.is_done; }, &whole))
    return body(all);
  if (whole.error) std::rethrow_exception(std::move(whole.error));
}

}  // namespace

void run_loop(Scheduler& scheduler, std::size_t begin, std::size_t end, const ChunkBody& body,
              const LoopOptions& options) {
  if (begin >= end) return;
  const std::size_t workers = scheduler.workers();
  const std::size_t chunk = chunk_of(end - begin, workers, options);
  const Chunks all{begin, chunk, chunk, (end - begin - 1) / chunk + 1, end};
  if (workers == 1) return run_alone(scheduler, body, all, options.job);
  if (chunk >= end - begin) return body(all);
  Loop* const loop = ::new (take_frame(Loop::bytes(workers))) Loop(scheduler, begin, end, body, options, chunk);
  try {
    loop->run();
  } catch (...) {  // a stall: others may still run the body, which must outlive them
    loop->abandon();
    throw;
  }
  std::exception_ptr error = loop->take_error();
  const std::uint32_t late = loop->helpers_left();
  loop->release();
  if (error) std::rethrow_exception(std::move(error));
  clear_late_helpers(scheduler, late);
}

}  // namespace tacit::tasks::detail
