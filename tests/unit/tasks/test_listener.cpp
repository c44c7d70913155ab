// Who listens for what may never come is idle; who awaits an operation waits.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>

#include "fake_source.hpp"
#include "tacit/tasks/listener.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::tasks {
namespace listener_test {
namespace {

/// Notes its end.
template <class Base>
struct Ended final : Base {
  void finished(const base::Completion& /*completion*/) noexcept override { is_over = true; }
  std::atomic<bool> is_over{false};
};

TEST(Listener, IsPolledForAndDoesNotWait) {
  trace::Recorder recorder(1);
  Scheduler scheduler(1, recorder);
  testing::FakeSource source;
  scheduler.attach(source);
  const auto poll_until_ended = [&](auto&& awaiter) {
    const base::Token token = scheduler.expect(source, awaiter);
    source.post(token, 0.002);
    scheduler.work_until([&] { return awaiter.is_over.load(); });
  };
  poll_until_ended(Ended<Listener>());
  const trace::KindId waiting = recorder.kind("wait", trace::Category::wait);
  const trace::KindId idle = recorder.kind("idle", trace::Category::idle);
  EXPECT_EQ(recorder.track(0).sum(waiting).ticks, 0);
  EXPECT_GT(recorder.track(0).sum(idle).ticks, 0);
  EXPECT_TRUE(recorder.track(0).transfers().empty());
  poll_until_ended(Ended<Awaiter>());
  EXPECT_GT(recorder.track(0).sum(waiting).ticks, 0);
  EXPECT_EQ(recorder.track(0).transfers().size(), 1U);
  scheduler.detach(source);
}

}  // namespace
}  // namespace listener_test
}  // namespace tacit::tasks
