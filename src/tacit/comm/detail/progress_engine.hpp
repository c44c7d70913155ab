// Progresses operations that could not complete at once, and reports the completion of those that are awaited.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tacit/base/completion.hpp"
#include "tacit/comm/detail/peer_watch.hpp"

namespace tacit::comm::detail {

/// One end of a window while it is listed with the engine. Until it is listed, and after it has ended, only the thread
/// that uses the window touches it; in between only the holder of the engine.
class Operation {
 public:
  enum class State : std::uint8_t { idle, listed, ended };

  Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  virtual ~Operation() = default;

  /// Tries to end; never blocks.
  [[nodiscard]] virtual bool advance() noexcept = 0;
  /// What it waits for; from any thread.
  [[nodiscard]] virtual std::string describe() const = 0;
  /// After its end: 0, or what went wrong.
  [[nodiscard]] virtual int error() const noexcept = 0;
  [[nodiscard]] virtual std::string explain() const = 0;
  /// Whether it can no longer complete: a rank is lost, or the peer has left.
  [[nodiscard]] virtual bool cannot_complete() const noexcept = 0;

 private:
  friend class ProgressEngine;
  Operation* next_ = nullptr;
  base::Token token_ = base::Token::none;

 protected:
  std::atomic<State> state_{State::idle};
  bool is_given_up_ = false;  // by the engine: it cannot complete
};

/// The error of an operation that cannot complete; codes of transports are positive.
inline constexpr int given_up = -1;

/// The operations of one Communicator that are under way. It is the source of their completions.
///
/// Every wait or poll progresses all of them, so that a send whose grant comes late goes out while its rank waits for
/// something else. An operation that completes at once is never listed.
class ProgressEngine final : public base::CompletionSource {
  /// Holds the engine for as long as it lives.
  class Hold {
   public:
    explicit Hold(const ProgressEngine& engine) noexcept;
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
    ~Hold() { engine_->is_held_.clear(std::memory_order_release); }

   private:
    const ProgressEngine* engine_;
  };

 public:
  explicit ProgressEngine(PeerWatch& watch) noexcept : watch_(&watch) {}

  /// Lists an idle operation. No lock, no allocation.
  /// @param token  none: its owner asks for its end; else poll() hands it out, and the operation is idle again
  void add(Operation& operation, base::Token token = base::Token::none) noexcept;
  /// Hands out the end of an operation that has been listed without a token, or has ended since.
  void set_token(Operation& operation, base::Token token) noexcept;
  /// Forgets an operation; afterwards it is idle.
  void remove(Operation& operation) noexcept;

  /// Calls `function` while no operation is progressed.
  template <class Function>
  void exclusively(Function&& function) {
    const Hold hold(*this);
    function();
  }

  [[nodiscard]] bool has_work() const noexcept {
    return incoming_.load(std::memory_order_relaxed) != nullptr || listed_.load(std::memory_order_relaxed) != nullptr ||
           watch_->carries();
  }
  /// Tries each listed operation once, unless another thread is at it.
  void progress() noexcept;
  /// The same, but waits until the other thread is done.
  void settle() noexcept;
  [[nodiscard]] PeerWatch& watch() const noexcept { return *watch_; }

  [[nodiscard]] std::string_view name() const override { return "comm"; }
  std::size_t poll(std::span<base::Completion> completions) override;
  void cancel(base::Token token) override;
  [[nodiscard]] std::string describe(base::Token token) const override;
  [[nodiscard]] std::string explain(const base::Completion& completion) const override;

 private:
  void carry_on() noexcept;
  void accept() noexcept;
  void advance_all() noexcept;
  void give_up_impossible() noexcept;
  void end(Operation& operation) noexcept;
  static bool unlink(Operation*& list, const Operation& operation) noexcept;
  [[nodiscard]] const Operation* find(base::Token token) const noexcept;

  PeerWatch* watch_;
  std::atomic<Operation*> incoming_{nullptr};  // newest first
  mutable std::atomic_flag is_held_;
  std::atomic<Operation*> listed_{nullptr};  // written by the holder of the engine
  Operation* ended_ = nullptr;               // with tokens, to hand out
  std::uint32_t turns_ = 0;
  std::vector<std::pair<base::Token, std::string>> errors_;
};

}  // namespace tacit::comm::detail
