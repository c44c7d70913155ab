// The two ends of a window, without the type of their elements: what posts, grants and waits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "tacit/base/completion.hpp"
#include "tacit/base/error.hpp"
#include "tacit/comm/backoff.hpp"
#include "tacit/comm/detail/progress_engine.hpp"
#include "tacit/comm/providers/providers.hpp"

namespace tacit::comm::detail {

class ConnectionCore;

enum class Direction : std::uint8_t { send, receive };

/// The elements of a window, which must be the same at both ends.
struct Elements {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;         ///< of one
  std::array<char, 48> type = {};  ///< its name, ended by a zero
  [[nodiscard]] bool operator==(const Elements&) const = default;
};

/// What both ends have: their connection and what they are on it.
class WindowEnd : public Operation {
 public:
  [[nodiscard]] const WindowSpec& spec() const noexcept { return spec_; }
  [[nodiscard]] ConnectionCore& connection() const noexcept { return *connection_; }
  [[nodiscard]] std::string explain() const final;
  [[nodiscard]] bool cannot_complete() const noexcept final;
  /// Called by the connection when the other end is known.
  virtual void join(AnyLink& link, const Blob& theirs) = 0;

 protected:
  WindowEnd(ConnectionCore& connection, const WindowSpec& spec) : connection_(&connection), spec_(spec) {}

  void require_open() {
    if (!is_open_) [[unlikely]]
      open();
  }
  /// Waits until `is_over()`; carries other operations on meanwhile.
  template <class Question>
  void wait_until(Question&& is_over, double deadline_s) {
    if (is_over()) [[likely]]
      return;
    const double longest_s = deadline_s > 0.0 ? deadline_s : default_deadline_s_;
    Backoff backoff(processors_, longest_s, &engine_->watch(), peer_);
    while (!is_over()) {
      if (engine_->has_work()) engine_->progress();
      if (backoff.pause()) continue;
      engine_->settle();  // another thread may have had the engine whenever we asked
      if (is_over()) return;
      throw_cannot_complete(longest_s);
    }
  }
  /// For a user who polls instead of waiting: progresses other operations, and checks every so often whether this one
  /// can still complete.
  void doubt() {
    if (engine_->has_work()) engine_->progress();
    constexpr std::uint32_t turns = 64;  // the clock costs 25 ns, a question 1 ns
    if (++doubts_ % turns == 0) [[unlikely]]
      doubt_indeed();
  }
  [[noreturn]] void throw_error() const;
  /// @throws PeerError if a rank is lost or the peer has left; else DeadlineError
  [[noreturn]] void throw_cannot_complete(double deadline_s) const;
  [[nodiscard]] virtual std::string explain_end() const = 0;

  ConnectionCore* connection_;
  WindowSpec spec_;
  bool is_open_ = false;
  Processors processors_ = Processors::own;
  double default_deadline_s_ = 0.0;
  ProgressEngine* engine_ = nullptr;
  const LivenessRecord* peer_ = nullptr;  // where its departure ends our waits

 private:
  void open();
  void doubt_indeed();
  [[nodiscard]] std::string explain_cannot_complete() const;
  bool has_peer_left_ = false;
  std::uint32_t doubts_ = 0;
};

class SendEnd final : public WindowEnd {
 public:
  SendEnd(ConnectionCore& connection, WindowSpec spec, const Elements& elements);
  ~SendEnd() override;

  [[nodiscard]] Layout memory();
  /// Memory to fill for the next message: where the receiver will read it, if we can write there and it is granted
  /// already. @pre nothing is under way; the window has memory of the library
  /// @param bytes  of the message at most
  [[nodiscard]] std::byte* prepare(std::size_t bytes) {
    require_open();
    TACIT_EXPECT(state_.load(std::memory_order_relaxed) == State::idle);
    return dispatch(sender_, [bytes](auto& sender) noexcept {
      if constexpr (requires { sender.place(bytes); }) {
        return sender.place(bytes);
      } else {
        return sender.memory().data;
      }
    });
  }
  /// @pre nothing is under way
  /// @throws ArgumentError if that is longer than the window
  void post(std::size_t bytes) {
    require_open();
    require_fits(bytes);
    TACIT_EXPECT(state_.load(std::memory_order_relaxed) == State::idle);
    ++posted_;
    const bool is_over = dispatch(sender_, [bytes](auto& sender) noexcept { return sender.start(bytes); });
    if (!is_over) [[unlikely]] {
      engine_->add(*this);
    } else if (error() != 0) [[unlikely]] {
      throw_error();
    }
  }
  /// The same from memory that may be another for each message. @pre the window has memory of the library
  void post_from(const Layout& memory, std::size_t bytes) {
    require_open();
    require_fits(bytes);
    dispatch(sender_, [&](auto& sender) {
      if constexpr (requires { sender.send_from(memory); }) {
        sender.send_from(memory);
      } else {
        gather(memory, bytes, sender.memory().data);
      }
    });
    post(bytes);
  }
  /// Whether the memory may be used again. @throws PeerError as `wait`
  [[nodiscard]] bool test() {
    if (try_end()) [[likely]]
      return true;
    doubt();
    return false;
  }
  void wait(double deadline_s) {
    wait_until([this] { return try_end(); }, deadline_s);
  }
  [[nodiscard]] bool try_end() {
    if (state_.load(std::memory_order_relaxed) == State::idle) [[likely]]
      return true;
    if (state_.load(std::memory_order_acquire) != State::ended) engine_->progress();
    if (state_.load(std::memory_order_acquire) != State::ended) return false;
    state_.store(State::idle, std::memory_order_relaxed);
    if (error() != 0) throw_error();
    return true;
  }
  /// Has the end of what was posted reported.
  void await(base::Token token);

  /// For a collective, which carries its ends on itself. @pre the connection is open; nothing else uses this end
  [[nodiscard]] AnySender& raw() noexcept { return sender_; }

  [[nodiscard]] bool advance() noexcept override;
  [[nodiscard]] std::string describe() const override;
  [[nodiscard]] int error() const noexcept override {
    return is_given_up_ ? given_up : dispatch(sender_, [](const auto& sender) noexcept { return sender.error(); });
  }
  void join(AnyLink& link, const Blob& theirs) override;

 private:
  [[nodiscard]] std::string explain_end() const override;
  void require_fits(std::size_t bytes) const {
    if (bytes > spec_.bytes) [[unlikely]]
      throw_too_long(bytes);
  }
  [[noreturn]] void throw_too_long(std::size_t bytes) const;
  std::size_t element_bytes_;
  AnySender sender_;
  std::uint64_t posted_ = 0;
};

class ReceiveEnd final : public WindowEnd {
 public:
  ReceiveEnd(ConnectionCore& connection, WindowSpec spec, const Elements& elements);
  ~ReceiveEnd() override;

  /// @pre fewer than `depth` messages are granted and not taken
  void init() {
    require_open();
    if (state_.load(std::memory_order_acquire) == State::listed) [[unlikely]] {
      engine_->exclusively([this] { grant(); });  // it may be asked for the message before this one
    } else {
      grant();
    }
  }
  /// Takes the next message if it has come. @pre one is granted
  /// @throws PeerError as `wait`
  [[nodiscard]] bool test() {
    if (try_take()) return true;
    doubt();
    return false;
  }
  void wait(double deadline_s) {
    wait_until([this] { return try_take(); }, deadline_s);
  }
  [[nodiscard]] bool try_take() {
    if (state_.load(std::memory_order_relaxed) != State::idle) [[unlikely]]
      return test_listed();
    TACIT_EXPECT(taken_ < granted_);
    const bool is_over = dispatch(receiver_, [this](auto& receiver) noexcept {
      if (receiver.test()) return true;
      if (!receiver.is_usable_here()) [[unlikely]]
        engine_->add(*this);  // another thread must ask
      return false;
    });
    if (is_over) take();
    return is_over;
  }
  /// Has the coming of the next message reported.
  void await(base::Token token);

  /// Of the message that was taken last.
  [[nodiscard]] std::byte* data() noexcept {
    return dispatch(receiver_, [](auto& receiver) noexcept { return receiver.data(); });
  }
  [[nodiscard]] std::size_t bytes() noexcept {
    return dispatch(receiver_, [](auto& receiver) noexcept { return receiver.bytes(); });
  }

  /// For a collective, which carries its ends on itself. @pre the connection is open; nothing else uses this end
  [[nodiscard]] AnyReceiver& raw() noexcept { return receiver_; }

  [[nodiscard]] bool advance() noexcept override;
  [[nodiscard]] std::string describe() const override;
  [[nodiscard]] int error() const noexcept override {
    if (is_given_up_) return given_up;
    return dispatch(receiver_, [](const auto& receiver) noexcept { return receiver.error(); });
  }
  void join(AnyLink& link, const Blob& theirs) override;

 private:
  void grant() {
    TACIT_EXPECT(granted_ - taken_ < spec_.depth);
    ++granted_;
    dispatch(receiver_, [](auto& receiver) noexcept { receiver.grant(); });
  }
  void take() {
    ++taken_;
    if (error() != 0) [[unlikely]]
      throw_error();
  }
  [[nodiscard]] bool test_listed();
  [[nodiscard]] std::string explain_end() const override;
  AnyReceiver receiver_;
  std::uint64_t granted_ = 0;
  std::uint64_t taken_ = 0;
};

}  // namespace tacit::comm::detail
