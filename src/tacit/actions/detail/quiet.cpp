// Whether any action is left anywhere.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "tacit/actions/detail/core.hpp"
#include "tacit/comm/error.hpp"

namespace tacit::actions::detail {

namespace {
enum Count : std::uint8_t { created, finished, failed, unanswered };

/// Waits for the end of a sum. Awaited, it ends also when a rank is lost.
struct Sum final : tasks::Awaiter {
  void finished(const base::Completion& end) noexcept override {
    completion = end;
    is_over.store(true, std::memory_order_release);
  }
  [[nodiscard]] std::string describe() const override { return "quiet"; }
  base::Completion completion;
  std::atomic<bool> is_over{false};
};
}  // namespace

/// Sums the counts of all ranks; actions run meanwhile.
void Core::reduce_counts() {
  sums_before_ = sums_;
  // What has finished before what was created: an action that is created meanwhile only adds to the difference.
  counts_[finished] = finished_.load(std::memory_order_acquire);
  counts_[created] = created_.load(std::memory_order_acquire);
  counts_[failed] = has_failed_.load(std::memory_order_acquire) ? 1 : 0;
  counts_[unanswered] = unanswered_count_.load(std::memory_order_acquire);
  Sum sum;
  reduce_->start();
  reduce_->await(scheduler_.expect(world_.completions(), sum));
  scheduler_.work_until([&sum] { return sum.is_over.load(std::memory_order_acquire); });
  if (sum.completion.error != 0) throw comm::PeerError(world_.completions().explain(sum.completion));
}

/// Two sums in a row that are equal: whatever has been created has finished before the second began, and nothing was
/// created since the first (Mattern 1987, "Algorithms for distributed termination detection", section 4).
void Core::quiet() {
  std::ranges::fill(sums_, ~std::uint64_t{0});  // as no rank has
  const auto is_idle = [this] {
    return (pending_.count() == 0 && running_.load(std::memory_order_acquire) == 0) || has_failed_.load();
  };
  do {
    scheduler_.work_until(is_idle);
    reduce_counts();
    if (sums_[failed] > 0) {
      for (const Peer& peer : peers_) {
        if (peer.calls.has_failed()) std::rethrow_exception(peer.calls.error());
      }
      throw base::Error(
          fmt::format("{}: the actions of another rank have failed; it says why", comm::describe(world_.own())));
    }
  } while (sums_[created] != sums_[finished] || sums_ != sums_before_);
  const std::uint64_t of_others = sums_[unanswered] - counts_[unanswered];
  std::exception_ptr own;
  {
    const std::lock_guard guard(errors_mutex_);
    own = std::exchange(unanswered_, nullptr);
    unanswered_count_.store(0, std::memory_order_relaxed);
  }
  if (own) std::rethrow_exception(own);
  if (of_others > 0) {
    throw base::Error(fmt::format("{}: {} actions without an answer have thrown on other ranks, which say what",
                                  comm::describe(world_.own()), of_others));
  }
}

}  // namespace tacit::actions::detail
