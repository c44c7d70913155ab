// The interface of every collective: start, test, wait, await, run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "tacit/base/completion.hpp"
#include "tacit/comm/collectives/detail/collective.hpp"

namespace tacit::comm {

/// A collective that was made once and is started many times. All ranks of a communicator make the same ones in the
/// same order, and start each equally often; one thread at a time uses it. Making it does not wait for other ranks, but
/// for an all-to-all-v; its first use does.
template <class Core>
class CollectiveHandle {
 public:
  /// Begins the next call; does not block. Memory of the user is on loan until the end of it.
  /// @pre the call before is over
  /// @throws MismatchError, DeadlineError at the first use; ProviderError
  void start() { core_->start(); }
  /// Whether the call is over. True means waited for.
  [[nodiscard]] bool test() { return core_->test(); }
  /// Waits for the end of the call on this rank.
  /// @param deadline_s  0: that of the communicator
  /// @throws DeadlineError that names a rank that has not begun; ProviderError
  void wait(double deadline_s = 0.0) { core_->wait(deadline_s); }
  /// start and wait; faster than these two.
  void run(double deadline_s = 0.0) { core_->run(deadline_s); }
  /// Instead of waiting: Communicator::completions() reports the token when the call is over.
  void await(base::Token token) { core_->await(token); }
  /// Messages that this rank sends to other nodes in a call; in the flat pattern, to other ranks.
  [[nodiscard]] std::size_t messages() const noexcept { return core_->messages(); }
  /// The options in use: as given, or as measured (Tuning::measured).
  [[nodiscard]] const CollectiveOptions& options() const noexcept { return core_->options(); }

 protected:
  explicit CollectiveHandle(std::unique_ptr<Core> core) : core_(std::move(core)) {}
  std::unique_ptr<Core> core_;
};

}  // namespace tacit::comm
