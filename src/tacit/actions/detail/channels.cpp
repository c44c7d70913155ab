// The list of channels, and tasks whose values have come.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/actions/detail/channels.hpp"

#include <algorithm>

namespace tacit::actions::detail {

void Channels::add(ChannelBase& channel) {
  const std::lock_guard guard(mutex_);
  channels_.push_back(&channel);
}

void Channels::remove(ChannelBase& channel) noexcept {
  const std::lock_guard guard(mutex_);
  std::erase(channels_, &channel);
}

std::size_t Channels::count_waiting(std::ptrdiff_t change) noexcept {
  const auto added = static_cast<std::size_t>(change);  // wraps where it is negative, and so does the sum
  return waiting_.fetch_add(added, std::memory_order_acq_rel) + added;
}

void Channels::complete(const base::Completion& completion) {
  const std::lock_guard guard(ended_mutex_);
  ended_.push_back(completion);
  ended_count_.store(ended_.size(), std::memory_order_release);
}

std::size_t Channels::take(std::span<base::Completion> completions) noexcept {
  if (ended_count_.load(std::memory_order_acquire) == 0) return 0;
  const std::lock_guard guard(ended_mutex_);
  const std::size_t count = std::min(completions.size(), ended_.size());
  const auto end = ended_.begin() + static_cast<std::ptrdiff_t>(count);
  std::copy(ended_.begin(), end, completions.begin());
  ended_.erase(ended_.begin(), end);
  ended_count_.store(ended_.size(), std::memory_order_release);
  return count;
}

void Channels::cancel(base::Token token) noexcept {
  const std::lock_guard guard(mutex_);
  for (ChannelBase* const channel : channels_) {
    if (channel->cancel(token)) return;
  }
}

std::optional<std::string> Channels::describe(base::Token token) const {
  const std::lock_guard guard(mutex_);
  for (const ChannelBase* const channel : channels_) {
    if (auto text = channel->describe(token)) return text;
  }
  return std::nullopt;
}

void Channels::fail(const std::exception_ptr& error) noexcept {
  const std::lock_guard guard(mutex_);
  if (!error_) error_ = error;
  for (ChannelBase* const channel : channels_) channel->fail(error_);
}

std::exception_ptr Channels::error() const {
  const std::lock_guard guard(mutex_);
  return error_;
}

}  // namespace tacit::actions::detail
