// Exposed and hidden time of transfers, as the trace reports them, between bounds that the test has seen for itself.
// SPDX-License-Identifier: Apache-2.0
//
// A transfer ends when the test has seen what it waits for, never at a time. So nothing here depends on how fast the
// machine is, nor on what else runs on it: both bounds of a time are times that were measured around it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "fake_source.hpp"
#include "tacit/base/ticks.hpp"
#include "tacit/tasks/coroutine.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/trace/report.hpp"

namespace tacit::tasks {
namespace exposure_test {
namespace {

using testing::FakeSource;

constexpr std::size_t most_workers = 2;
/// What each transfer is said to take alone [s].
constexpr double alone_s = 0.04;

/// A scale that does not change while its recorder is asked.
base::TickScale fixed_scale() { return {base::ticks(), base::TickScale().ns_per_tick()}; }

/// How far the counters of two processors may be apart: they are read by different threads.
std::int64_t apart() { return static_cast<std::int64_t>(2000.0 / fixed_scale().ns_per_tick()); }

/// Computes for about so long [s].
void spin(double seconds) {
  const std::int64_t end = base::ticks() + static_cast<std::int64_t>(1e9 * seconds / fixed_scale().ns_per_tick());
  while (base::ticks() < end) {
  }
}

/// Ends a transfer when each worker has looked for work in vain a number of times while nothing but the transfer was to
/// come. From the second of these times on, which it notes, a worker waits for the transfer and for nothing else.
class Witness final : public IdleWork {
 public:
  Witness(FakeSource& source, std::size_t workers) : source_(source), workers_(workers) {}

  /// From now on there is nothing to do before the transfer has ended, and that is outstanding.
  void watch(base::Token token) {
    for (Seen& seen : seen_) seen.looks = 0;
    token_ = token;
    satisfied_ = 0;
    watches_.store(true, std::memory_order_release);
  }
  /// Since when a worker has certainly waited for the last transfer [ticks].
  [[nodiscard]] std::int64_t waits_since(std::size_t worker) const { return seen_[worker].since; }

  [[nodiscard]] bool has_some() const noexcept override {
    if (watches_.load(std::memory_order_acquire)) look(seen_[Scheduler::current_worker()]);
    return false;
  }
  bool do_some() noexcept override { return false; }

 private:
  static constexpr std::uint32_t enough_looks = 200;  // far more than `apart`, however fast they are
  struct alignas(128) Seen {
    std::atomic<std::uint32_t> looks = 0;
    std::atomic<std::int64_t> since = 0;
  };
  void look(Seen& seen) const noexcept {
    const std::uint32_t looks = ++seen.looks;
    if (looks == 2) seen.since = base::ticks();  // it asks whether a transfer is outstanding before each look
    if (looks != enough_looks || ++satisfied_ < workers_) return;
    watches_.store(false, std::memory_order_release);
    source_.finish(token_);
  }

  FakeSource& source_;
  std::size_t workers_;
  base::Token token_{};
  mutable std::atomic<bool> watches_ = false;
  mutable std::atomic<std::size_t> satisfied_ = 0;
  mutable std::array<Seen, most_workers> seen_;
};

/// What workers spend in the functions of tasks [ticks].
class Inside {
 public:
  template <class Act>
  void measure(std::size_t worker, Act act) {
    const std::int64_t begin = base::ticks();
    act();
    spent_[worker] += base::ticks() - begin;
  }
  [[nodiscard]] std::int64_t of(std::size_t worker) const { return spent_[worker]; }

 private:
  std::array<std::atomic<std::int64_t>, most_workers> spent_{};
};

/// What there is to do beside a transfer.
enum class Work : std::uint8_t {
  none,
  some,    ///< it ends before the transfer does
  enough,  ///< the transfer ends before it does
};

struct Load {
  std::string name;
  std::uint32_t exchanges = 1;  ///< one after the other
  Work work = Work::none;       ///< beside each
};

const Load loads[] = {
    {.name = "nothing to do", .work = Work::none},
    {.name = "some work", .work = Work::some},
    {.name = "enough work", .work = Work::enough},
    {.name = "a chain with nothing to do", .exchanges = 2, .work = Work::none},
    {.name = "a chain with some work", .exchanges = 2, .work = Work::some},
    {.name = "a chain with enough work", .exchanges = 2, .work = Work::enough},
};

constexpr std::uint32_t tasks_beside = 10;  // each exchange

struct Setting {
  std::size_t workers = 1;
  Polling polling = Polling::idle_workers;
  FakeSource::Descriptor descriptor = FakeSource::Descriptor::none;
  double poll_interval_s = 0.0;  ///< after each task
};

/// A run of a load, and what was seen of it beside the trace.
class ObservedRun {
 public:
  ObservedRun(const Load& load, const Setting& setting)
      : recorder(setting.workers, 1U << 12U, fixed_scale()),
        source("wire", setting.descriptor),
        load_(load),
        witness_(source, setting.workers),
        workers_(setting.workers) {
    const std::int64_t begin = base::ticks();
    {  // all waits are booked when the scheduler has ended
      Scheduler scheduler({.workers = workers_, .polling = setting.polling, .poll_interval_s = setting.poll_interval_s},
                          recorder);
      scheduler.attach(source);
      scheduler.set_idle_work(&witness_);
      for (std::uint32_t i = 0; i < load.exchanges; ++i) add_exchange(i);
      graph_.add("end", reads(ghosts_), [this](StepContext&) { note_waits(); });
      scheduler.run(graph_, graph_.activate_all(), {});
      scheduler.detach(source);
    }
    whole_ = base::ticks() - begin;
  }

  /// What the trace says that a worker has waited and polled [ticks].
  [[nodiscard]] std::int64_t exposed(std::size_t worker) {
    return sum(recorder.track(worker), "wait", trace::Category::wait) +
           sum(recorder.track(worker), "poll", trace::Category::poll);
  }
  /// It has at least waited so long, as it had nothing else, and at most so long, as it was in tasks otherwise.
  [[nodiscard]] std::int64_t least(std::size_t worker) const { return least_[worker]; }
  [[nodiscard]] std::int64_t most(std::size_t worker) const { return whole_ - inside_.of(worker); }
  [[nodiscard]] std::int64_t sum(const trace::Track& track, const char* name, trace::Category category) {
    return track.sum(recorder.kind(name, category)).ticks;
  }

  trace::Recorder recorder;
  FakeSource source;
  std::uint64_t polls_at_the_end_of_work = 0;  ///< by worker 0

 private:
  /// "begin", then "exchange" and, beside it, "work", which waits until that is posted; "begin" of the next one waits
  /// for the transfer.
  void add_exchange(std::uint32_t i) {
    const DatumId begun = graph_.add_datum();
    graph_.add("begin", reads(ghosts_) + writes(begun), [this](StepContext&) {
      note_waits();
      is_posted_ = false;
      left_ = tasks_beside;
    });
    graph_.add("exchange", reads(begun) + writes(ghosts_), [this, i](StepContext& step) { exchange(step, i); },
               {.cost = 100.0});
    for (std::uint32_t j = 0; load_.work != Work::none && j < tasks_beside; ++j) {
      graph_.add("work", reads(begun), [this](StepContext& step) { work(step); }, {.cost = 0.01});
    }
  }
  void exchange(StepContext& step, std::uint32_t key) {
    inside_.measure(step.worker(), [&] {
      token_ = step.await(source, {.key = key});
      source.post(token_, FakeSource::never, 0, alone_s);
      is_posted_ = true;
      if (load_.work == Work::none) witness_.watch(token_);
    });
  }
  void work(StepContext& step) {
    inside_.measure(step.worker(), [&] {
      while (!is_posted_) std::this_thread::yield();
      spin(50e-6);
      const std::uint32_t left = --left_;
      if (load_.work == Work::enough && left == tasks_beside / 2) source.finish(token_);
      if (load_.work == Work::some && left == 0) witness_.watch(token_);
      if (step.worker() == 0) polls_at_the_end_of_work = source.polls(0);
    });
  }
  /// After a transfer that was waited for.
  void note_waits() {
    const std::vector<std::int64_t> ends = source.handed_out();
    if (ends.empty() || load_.work == Work::enough) return;
    for (std::size_t w = 0; w < workers_; ++w) {
      least_[w] += std::max<std::int64_t>(ends.back() - witness_.waits_since(w) - apart(), 0);
    }
  }

  const Load& load_;
  Witness witness_;
  Inside inside_;
  std::size_t workers_;
  Graph graph_;
  DatumId ghosts_ = graph_.add_datum();
  base::Token token_{};
  std::atomic<bool> is_posted_ = false;
  std::atomic<std::uint32_t> left_ = 0;
  std::array<std::int64_t, most_workers> least_{};
  std::int64_t whole_ = 0;
};

class Exposure : public ::testing::TestWithParam<std::tuple<int, Polling, FakeSource::Descriptor>> {
 protected:
  [[nodiscard]] static Setting setting() {
    return {.workers = static_cast<std::size_t>(std::get<0>(GetParam())),
            .polling = std::get<1>(GetParam()),
            .descriptor = std::get<2>(GetParam())};
  }
};

std::string name_of(const ::testing::TestParamInfo<Exposure::ParamType>& info) {
  const char* const pollers[] = {"idle_workers", "one_worker", "thread"};
  return std::to_string(std::get<0>(info.param)) + "_" + pollers[static_cast<int>(std::get<1>(info.param))] +
         (std::get<2>(info.param) == FakeSource::Descriptor::none ? "_polled" : "_descriptor");
}

INSTANTIATE_TEST_SUITE_P(
    Settings, Exposure,
    ::testing::Combine(::testing::Values(1, 2),
                       ::testing::Values(Polling::idle_workers, Polling::one_worker, Polling::thread),
                       ::testing::Values(FakeSource::Descriptor::none, FakeSource::Descriptor::timer)),
    name_of);

/// Where nothing was to be done but to wait it is exposed, and the time of tasks is not.
void expect_between_bounds(ObservedRun& run, const Load& load, std::size_t workers) {
  for (std::size_t w = 0; w < workers; ++w) {
    EXPECT_GE(run.exposed(w), run.least(w)) << load.name << ", worker " << w;
    EXPECT_LE(run.exposed(w), run.most(w)) << load.name << ", worker " << w;
    if (load.work != Work::enough) {
      EXPECT_GT(run.least(w), 0) << load.name << ", worker " << w;
    }
  }
}

/// The report adds up what the tracks say, and what the source was asked.
void expect_sums(ObservedRun& run, const Load& load, std::size_t workers) {
  const trace::Report report = trace::make_report(run.recorder, 1.0);
  EXPECT_EQ(report.exposure.transfers, load.exchanges) << load.name;
  const double serial_s = load.exchanges * alone_s;
  // alone_s is a float: seven digits.
  EXPECT_NEAR(report.exposure.serial_s, serial_s, 1e-6 * serial_s) << load.name;
  std::int64_t exposed = run.sum(run.recorder.outside(), "poll", trace::Category::poll);
  std::uint64_t polls = 0;
  for (std::size_t w = 0; w < workers; ++w) exposed += run.exposed(w);
  for (std::size_t w = 0; w <= workers; ++w) polls += run.source.polls(w);
  const double exposed_s = run.recorder.scale().seconds(exposed) / static_cast<double>(workers);
  EXPECT_NEAR(report.exposure.exposed_s, exposed_s, 1e-12 * exposed_s) << load.name;
  EXPECT_NEAR(*report.exposure.hidden_fraction(), 1.0 - exposed_s / serial_s, 1e-6 * (1.0 + exposed_s / serial_s))
      << load.name;
  EXPECT_EQ(report.counters.polls, polls) << load.name;
  EXPECT_EQ(report.counters.completions, load.exchanges) << load.name;
}

TEST_P(Exposure, LiesBetweenWhatWasWaitedAndWhatWasNotWorked) {
  for (const Load& load : loads) {
    ObservedRun run(load, setting());
    expect_between_bounds(run, load, setting().workers);
    expect_sums(run, load, setting().workers);
    // A worker that always finds a task never waits. With one that also polls it is known that it does.
    if (load.work == Work::enough && setting().workers == 1 && setting().polling != Polling::thread) {
      EXPECT_EQ(run.sum(run.recorder.track(0), "wait", trace::Category::wait), 0) << load.name;
    }
  }
}

/// Between tasks a worker polls once per interval at most; what a poll costs, `tacit bench tasks` measures.
TEST(ExposureOfPolls, BetweenTasksKeepToTheirInterval) {
  const Load& enough = loads[2];
  constexpr double for_ever = 1e6;
  EXPECT_EQ(ObservedRun(enough, {.poll_interval_s = for_ever}).polls_at_the_end_of_work, 1U)
      << "the first is due at once";
  EXPECT_EQ(ObservedRun(enough, {.polling = Polling::thread}).polls_at_the_end_of_work, 0U);
  // After the exchange, and after each task until the transfer has ended.
  EXPECT_EQ(ObservedRun(enough, {.poll_interval_s = 0.0}).polls_at_the_end_of_work, 1U + tasks_beside / 2);
}

/// Where sources do not say what a transfer takes alone, the time from post to completion stands for it.
TEST(ExposureOfUnknownTransfers, IsTakenFromPostToCompletion) {
  trace::Recorder recorder(1, 64, fixed_scale());
  FakeSource source;
  std::int64_t before = 0;
  std::int64_t after = 0;
  {
    Scheduler scheduler(1, recorder);
    scheduler.attach(source);
    Graph graph;
    graph.add("exchange", {}, [&](StepContext& step) {
      before = base::ticks();
      const base::Token token = step.await(source, {.key = 7, .bytes = 4096});
      after = base::ticks();
      source.post(token, 1e-3);
    });
    scheduler.run(graph, graph.activate_all(), {});
    scheduler.detach(source);
  }
  const auto transfers = recorder.track(0).transfers();
  ASSERT_EQ(transfers.size(), 1U);
  EXPECT_EQ(transfers[0].key, 7U);
  EXPECT_EQ(transfers[0].bytes, 4096U);
  EXPECT_EQ(recorder.name(transfers[0].kind), "exchange");
  EXPECT_GE(transfers[0].posted, before);
  EXPECT_LE(transfers[0].posted, after);
  EXPECT_GE(transfers[0].completed, source.handed_out().at(0));
  EXPECT_LE(transfers[0].completed, base::ticks());
  EXPECT_DOUBLE_EQ(recorder.exposure().serial_s,
                   recorder.scale().seconds(transfers[0].completed - transfers[0].posted));
}

Task<int> exchange(FakeSource& source) {
  co_await completion(source, [&](base::Token token) { source.post(token, FakeSource::never, 0, alone_s); });
  co_return 1;
}

/// Coroutines that wait expose time as tasks do.
TEST(ExposureOfCoroutines, LiesBetweenWhatWasWaitedAndWhatWasNotWorked) {
  for (const Work work : {Work::none, Work::some, Work::enough}) {
    trace::Recorder recorder(1, 1U << 12U, fixed_scale());
    FakeSource source;
    Witness witness(source, 1);
    Inside inside;
    const std::int64_t begin = base::ticks();
    {
      Scheduler scheduler({.workers = 1, .poll_interval_s = 0.0}, recorder);
      scheduler.attach(source);
      scheduler.set_idle_work(&witness);
      const Future<int> waiting = spawn(scheduler, exchange(source));
      scheduler.work_until([&] { return source.outstanding() == 1; });
      if (work == Work::enough) source.finish(source.posted().at(0));
      for (int i = 0; work != Work::none && i < 5; ++i) {
        spawn(scheduler, [&] { inside.measure(0, [] { spin(50e-6); }); }).get();
      }
      if (work != Work::enough) witness.watch(source.posted().at(0));
      EXPECT_EQ(waiting.get(), 1);
      scheduler.detach(source);
    }
    const std::int64_t whole = base::ticks() - begin;
    const std::int64_t waited = recorder.track(0).sum(recorder.kind("wait", trace::Category::wait)).ticks;
    const std::int64_t polled = recorder.track(0).sum(recorder.kind("poll", trace::Category::poll)).ticks;
    EXPECT_LE(waited + polled, whole - inside.of(0));
    if (work == Work::enough) {
      EXPECT_EQ(waited, 0);
    } else {
      EXPECT_GE(waited, source.handed_out().at(0) - witness.waits_since(0));
    }
  }
}

}  // namespace
}  // namespace exposure_test
}  // namespace tacit::tasks
