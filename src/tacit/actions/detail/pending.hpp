// Calls that wait for their answers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "tacit/actions/record.hpp"
#include "tacit/comm/rank.hpp"
#include "tacit/tasks/coroutine.hpp"

namespace tacit::actions::detail {

/// A call of this rank. Destroyed when it has ended.
class PendingCall : public tasks::detail::Pooled {
 public:
  /// @param object  the key of one that can move; else 0
  PendingCall(comm::RankId to, std::uint16_t action, std::uint64_t object) noexcept
      : to_(to), action_(action), object_(object) {}
  PendingCall(const PendingCall&) = delete;
  PendingCall& operator=(const PendingCall&) = delete;
  virtual ~PendingCall() = default;

  [[nodiscard]] comm::RankId to() const noexcept { return to_; }
  [[nodiscard]] std::uint16_t action() const noexcept { return action_; }
  [[nodiscard]] std::uint64_t object() const noexcept { return object_; }
  /// Whether its answer may come from a rank, and will not if that is lost: objects that move may be anywhere.
  [[nodiscard]] bool may_end_at(comm::RankId rank) const noexcept { return object_ != 0 || to_ == rank; }
  /// Takes the value. @throws RecordError if it is none; nothing is set then
  virtual void finish(Reader& answer) = 0;
  virtual void fail(std::exception_ptr error) noexcept = 0;

 private:
  comm::RankId to_;
  std::uint16_t action_;
  std::uint64_t object_;
};

template <class T>
class PendingValue final : public PendingCall {
 public:
  PendingValue(tasks::Scheduler& scheduler, comm::RankId to, std::uint16_t action, std::uint64_t object)
      : PendingCall(to, action, object), promise_(scheduler) {}
  [[nodiscard]] tasks::Future<T> future() const { return promise_.future(); }
  void finish(Reader& answer) override {
    if constexpr (std::is_void_v<T>) {
      answer.end();
      promise_.set_value();
    } else {
      T value = Codec<T>::read(answer);
      answer.end();
      promise_.set_value(std::move(value));
    }
  }
  void fail(std::exception_ptr error) noexcept override { promise_.set_error(std::move(error)); }

 private:
  tasks::Promise<T> promise_;
};

/// The calls of this rank by the numbers that travel: a place, and how often it was used, so that an answer that comes
/// twice, or was made up, meets no call. Threads: any.
class PendingCalls {
 public:
  /// What is told of a call.
  struct Waiting {
    comm::RankId to{};
    std::uint16_t action = 0;
    std::uint64_t object = 0;
  };
  /// @return  its number, never 0
  [[nodiscard]] std::uint64_t add(PendingCall& call);
  /// The call, which is the caller's now; null if none waits under that number for that rank.
  [[nodiscard]] PendingCall* take(std::uint64_t number, comm::RankId from) noexcept;
  /// All that may wait for a rank.
  [[nodiscard]] std::vector<PendingCall*> take_all(comm::RankId to);
  [[nodiscard]] std::size_t count() const noexcept { return count_.load(std::memory_order_acquire); }
  /// Some call that waits, and how many do; nothing if there is none, or another thread is at it.
  [[nodiscard]] std::optional<Waiting> find_any() const noexcept;

 private:
  struct Place {
    PendingCall* call = nullptr;
    std::uint32_t uses = 1;
  };
  PendingCall* empty(std::uint32_t place) noexcept;
  mutable std::mutex lock_;
  std::vector<Place> places_;
  std::vector<std::uint32_t> free_;
  std::atomic<std::size_t> count_{0};
};

}  // namespace tacit::actions::detail
