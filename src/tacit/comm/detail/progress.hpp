// What has to be called again and again for messages to travel.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tacit::comm::detail {

/// A transport without a thread of its own: whoever waits, for whatever, calls it meanwhile.
class Progress {
 public:
  Progress() = default;
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  virtual ~Progress() = default;
  /// Carries on what can be carried on; never blocks. Safe for threads.
  virtual void progress() noexcept = 0;
};

}  // namespace tacit::comm::detail
