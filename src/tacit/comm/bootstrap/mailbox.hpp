// Messages of the set-up that have come and have not been taken yet.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>

#include "tacit/comm/bootstrap/bootstrap.hpp"

namespace tacit::comm {

/// Messages by sender and key. Safe for threads.
class Mailbox {
 public:
  void put(RankId from, const SetupKey& key, Bytes message) {
    const std::lock_guard guard(mutex_);
    messages_.emplace(std::pair(from, key), std::move(message));
  }
  [[nodiscard]] std::optional<Bytes> take(RankId from, const SetupKey& key) {
    const std::lock_guard guard(mutex_);
    const auto found = messages_.find({from, key});
    if (found == messages_.end()) return std::nullopt;
    std::optional<Bytes> message(std::move(found->second));
    messages_.erase(found);
    return message;
  }

 private:
  std::mutex mutex_;
  std::multimap<std::pair<RankId, SetupKey>, Bytes> messages_;
};

}  // namespace tacit::comm
