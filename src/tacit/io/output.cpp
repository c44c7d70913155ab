// Files that have been committed, from the queue to their completion across ranks.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/io/output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <exception>
#include <utility>

#include "tacit/base/checksum.hpp"
#include "tacit/base/clock.hpp"
#include "tacit/comm/collectives/broadcast.hpp"
#include "tacit/comm/collectives/reduce.hpp"
#include "tacit/comm/communicator.hpp"
#include "tacit/io/detail/strategy_choice.hpp"
#include "tacit/io/detail/write_queue.hpp"
#include "tacit/tasks/parallel_for.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::io {
namespace {

/// What tells this run from any other; the first rank's on all.
std::uint64_t number_of_run(comm::Communicator& ranks) {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  const std::string text = fmt::format("{} {} {}", host.data(), ::getpid(), base::now_ns());
  std::uint64_t number = base::hash(std::as_bytes(std::span(text)));
  if (ranks.size() > 1) comm::Broadcast<std::uint64_t>(ranks, comm::RankId{0}, std::span(&number, 1)).run();
  return number;
}

}  // namespace

Output::Output(comm::Communicator& ranks, const Options& options)
    : ranks_(ranks),
      choice_(std::make_unique<detail::StrategyChoice>(ranks, options.writers, options.least_trial_bytes)),
      queue_(options.staging_memory == 0
                 ? nullptr
                 : std::make_unique<detail::WriteQueue>(options.staging_memory, options.recorder)),
      run_tag_(fmt::format("{:08x}", number_of_run(ranks) >> 32U)) {}

Output::~Output() = default;

const Strategy& Output::strategy_for(const std::filesystem::path& path, int compression) {
  return choice_->next(path, compression, finished());
}

void Output::note_time(const std::filesystem::path& path, int compression, const Strategy& strategy,
                       std::shared_ptr<const detail::FileTime> time) {
  choice_->note(path, compression, strategy, std::move(time), committed_);
}

std::map<std::string, std::string> Output::strategies() const { return choice_->used(); }

std::vector<std::string> Output::take_news() { return choice_->take_news(); }

std::string Output::next_tag() { return fmt::format("{}-{}", run_tag_, tags_++); }

void Output::note_commit(std::uint64_t own, std::shared_ptr<detail::QueuedFile> main,
                         std::function<void(detail::QueuedFile&)> complete) {
  ++committed_;
  if (queue_) open_.push_back({own, std::move(main), std::move(complete)});
}

std::uint64_t Output::written() const {
  std::uint64_t count = committed_ - open_.size();
  const std::uint64_t done = queue_ ? queue_->finished() : 0;
  // A main file that waits for the others has been written as far as it can be.
  for (const Committed& file : open_) {
    if (file.own > done) break;
    ++count;
  }
  return count;
}

void Output::note_written_by_all(std::uint64_t files) {
  written_by_all_ = std::max(written_by_all_, files);
  std::uint64_t number = committed_ - open_.size();
  for (Committed& file : open_) {
    if (++number > written_by_all_) break;
    if (!file.main) continue;
    queue_->push(file.main, std::move(file.complete));
    file.own = queue_->push_commit(std::move(file.main));
    file.main = nullptr;
  }
  const std::uint64_t done = queue_ ? queue_->finished() : 0;
  while (!open_.empty() && !open_.front().main && open_.front().own <= done &&
         committed_ - open_.size() < written_by_all_) {
    open_.pop_front();
  }
}

std::uint64_t Output::finished() const {
  std::uint64_t count = committed_ - open_.size();
  const std::uint64_t done = queue_ ? queue_->finished() : 0;
  for (const Committed& file : open_) {
    if (file.main || file.own > done) break;
    ++count;
  }
  return count;
}

bool Output::is_busy() const { return finished() < committed_; }

void Output::check() {
  if (!queue_) return;
  if (std::exception_ptr failure = queue_->take_failure()) std::rethrow_exception(std::move(failure));
}

void Output::await(double seconds) {
  if (queue_) queue_->drain(seconds);
}

void Output::finish() {
  struct State {
    std::uint64_t written = 0;
    std::uint64_t is_busy = 0;
  };
  struct Together {
    State operator()(const State& a, const State& b) const {
      return {std::min(a.written, b.written), a.is_busy | b.is_busy};
    }
  };
  State state;
  do {
    await(1.0);
    state = {written(), is_busy() ? 1U : 0U};
    if (ranks_.size() > 1) comm::AllReduce<State>(ranks_, std::span(&state, 1), Together{}).run();
    note_written_by_all(state.written);
  } while (state.is_busy != 0);
  check();
}

OutputCost Output::cost() const { return queue_ ? queue_->cost() : OutputCost{.file_bytes = bytes_at_once_}; }

bool Output::help() noexcept { return queue_ && queue_->has_some() && queue_->do_some(); }

std::size_t Output::threads() const noexcept { return scheduler_ != nullptr ? scheduler_->workers() : 1; }

void Output::for_each(std::size_t count, const std::function<void(std::size_t)>& body) const {
  if (scheduler_ != nullptr && count > 1) {
    return tasks::parallel_for(*scheduler_, 0, count, body, {.chunk = 1, .job = {.kind = copy_kind_}});
  }
  for (std::size_t i = 0; i < count; ++i) body(i);
}

Output::Help::Help(Output& output, tasks::Scheduler& scheduler) : output_(output), scheduler_(scheduler) {
  output.scheduler_ = &scheduler;
  output.copy_kind_ = scheduler.recorder().kind("copy output", trace::Category::output);
  if (output.queue_ == nullptr) return;
  output.queue_->set_helpers([&scheduler] { scheduler.wake_for_idle_work(); });
  scheduler.set_idle_work(output.queue_.get(), scheduler.recorder().kind("pack output", trace::Category::output));
}

Output::Help::~Help() {
  output_.scheduler_ = nullptr;
  if (output_.queue_ == nullptr) return;
  scheduler_.set_idle_work(nullptr);
  output_.queue_->set_helpers({});
}

}  // namespace tacit::io
