// Busy loops, and the record of which task ran when.
// SPDX-License-Identifier: Apache-2.0
#include "micro/body.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "tacit/base/clock.hpp"

namespace tacit::bench {

struct Body::Record {
  explicit Record(std::uint32_t tasks) : place(tasks) {}
  std::atomic<std::uint64_t> calls{0};
  std::vector<std::atomic<std::uint64_t>> place;  ///< per task: the how manieth call it was; 0: none
  std::vector<std::atomic<bool>> is_held;         ///< per datum
  std::span<const Pair> locks;
  std::atomic<std::uint64_t> repeated{0};
  std::atomic<std::uint64_t> collisions{0};

  void note(std::uint32_t task) noexcept {
    const std::uint64_t call = 1 + calls.fetch_add(1, std::memory_order_acq_rel);
    if (task < place.size() && place[task].exchange(call) != 0) repeated.fetch_add(1);
  }
  void hold(Pair data) noexcept {
    if (is_held[data.first].exchange(true) || is_held[data.second].exchange(true)) collisions.fetch_add(1);
    busy_loop(20);  // long enough for an intruder to be seen
    is_held[data.first].store(false);
    is_held[data.second].store(false);
  }
};

void Body::Forget::operator()(Record* record) const noexcept { delete record; }

void busy_loop(std::uint32_t turns) noexcept {
  std::uint64_t x = turns | 1U;
  for (std::uint32_t i = 0; i < turns; ++i) {
    x *= x;
    asm volatile("" : "+r"(x));
  }
}

std::uint32_t turns_for(double seconds) {
  constexpr std::uint32_t trial = 1'000'000;  // some 1 ms
  double shortest = 1.0;
  for (int i = 0; i < 7; ++i) {
    const base::Stopwatch watch;
    busy_loop(trial);
    shortest = std::min(shortest, watch.seconds());
  }
  return static_cast<std::uint32_t>(trial * seconds / shortest);
}

void Body::spin(std::uint32_t turns) noexcept {
  mode_ = Mode::spin;
  turns_ = turns;
}

void Body::rest() noexcept { mode_ = Mode::empty; }

void Body::begin_check(std::uint32_t tasks) {
  record_.reset(new Record(tasks));
  mode_ = Mode::check;
}

void Body::watch_locks(std::span<const Pair> locks, std::uint32_t data) {
  record_->locks = locks;
  record_->is_held = std::vector<std::atomic<bool>>(data);
}

std::string Body::end_check(std::span<const Pair> order) {
  mode_ = Mode::empty;
  const auto record = std::move(record_);
  const auto& place = record->place;
  const auto missing = std::ranges::count_if(place, [](const auto& call) { return call.load() == 0; });
  if (missing > 0) return fmt::format("{} of {} tasks did not run", missing, place.size());
  if (record->repeated > 0) return fmt::format("{} tasks ran again", record->repeated.load());
  if (record->collisions > 0) return fmt::format("{} tasks shared a locked datum", record->collisions.load());
  for (const auto& [before, after] : order) {
    if (place[before] > place[after]) return fmt::format("task {} ran before task {}", after, before);
  }
  return {};
}

std::uint64_t Body::end_count() noexcept {
  mode_ = Mode::empty;
  return std::exchange(record_, nullptr)->calls.load();
}

void Body::act(std::uint32_t task) const noexcept {
  if (mode_ == Mode::spin) return busy_loop(turns_);
  record_->note(task);
  if (!record_->locks.empty()) record_->hold(record_->locks[task]);
}

}  // namespace tacit::bench
