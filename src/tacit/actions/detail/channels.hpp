// The channels of this rank, whatever they carry: who waits for them, and what ends when a rank is lost.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tacit/base/completion.hpp"

namespace tacit::actions::detail {

/// A channel without the type of its values.
class ChannelBase {
 public:
  ChannelBase() = default;
  ChannelBase(const ChannelBase&) = delete;
  ChannelBase& operator=(const ChannelBase&) = delete;

  /// Ends all that waits for a value.
  virtual void fail(const std::exception_ptr& error) noexcept = 0;
  /// Ends the wait of a task without touching its memory any more. @return  whether it waited here
  virtual bool cancel(base::Token token) noexcept = 0;
  /// "generation 7 of channel 3, 'rows'", of that task, or of some future (Token::none); nothing if none waits here.
  [[nodiscard]] virtual std::optional<std::string> describe(base::Token token) const = 0;

 protected:
  ~ChannelBase() = default;
};

/// Threads: any.
class Channels {
 public:
  void add(ChannelBase& channel);
  void remove(ChannelBase& channel) noexcept;

  /// Counts futures that wait for values. @return  how many do now
  std::size_t count_waiting(std::ptrdiff_t change) noexcept;
  [[nodiscard]] std::size_t waiting() const noexcept { return waiting_.load(std::memory_order_acquire); }

  /// Has a task told that its value has come, or (error not 0) will not.
  void complete(const base::Completion& completion);
  /// As CompletionSource::poll.
  std::size_t take(std::span<base::Completion> completions) noexcept;
  void cancel(base::Token token) noexcept;
  [[nodiscard]] std::optional<std::string> describe(base::Token token) const;

  /// Ends all waits. The first error counts, and is that of all waits that begin later.
  void fail(const std::exception_ptr& error) noexcept;
  /// Null while no rank is lost.
  [[nodiscard]] std::exception_ptr error() const;

 private:
  mutable std::mutex mutex_;  // is taken before that of a channel
  std::vector<ChannelBase*> channels_;
  std::exception_ptr error_;
  std::atomic<std::size_t> waiting_{0};
  mutable std::mutex ended_mutex_;  // is taken after that of a channel
  std::vector<base::Completion> ended_;
  std::atomic<std::size_t> ended_count_{0};
};

}  // namespace tacit::actions::detail
