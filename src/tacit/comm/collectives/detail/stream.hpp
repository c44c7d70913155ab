// The stream of a collective between two nodes: one message, or a part of one, in each direction per call.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "tacit/comm/connections/connection_core.hpp"

namespace tacit::comm::detail {

/// A pair of windows, of which either may be missing. Nothing here blocks or throws after `open`.
class Stream {
 public:
  /// @param sends, receives  bytes of a message or part; nothing: there is none
  Stream(CommunicatorCore& communicator, RankId peer, std::uint32_t key, std::string_view kind,
         std::optional<std::size_t> sends, std::optional<std::size_t> receives);

  /// @throws MismatchError, DeadlineError
  void open();
  [[nodiscard]] RankId peer() const noexcept { return connection_.target().rank; }
  [[nodiscard]] bool sends() const noexcept { return send_.has_value(); }
  [[nodiscard]] bool receives() const noexcept { return receive_.has_value(); }

  /// What the next message is written to. @pre the one before is gone
  [[nodiscard]] std::byte* outgoing() noexcept { return send_->memory().data; }
  void post() noexcept { post(send_bytes_); }
  /// The first `bytes` of it.
  void post(std::size_t bytes) noexcept {
    is_pending_ = !dispatch(send_->raw(), [bytes](auto& sender) noexcept { return sender.start(bytes); });
  }
  /// Whether nothing that was posted waits for its grant, or for the transport. To be asked again and again: a message
  /// whose grant comes late goes when this is called.
  [[nodiscard]] bool is_idle() noexcept {
    if (is_pending_) is_pending_ = !dispatch(send_->raw(), [](auto& sender) noexcept { return sender.test(); });
    return !is_pending_;
  }
  /// Takes the next message if it has come.
  [[nodiscard]] bool has_come() noexcept {
    return dispatch(receive_->raw(), [](auto& receiver) noexcept { return receiver.test(); });
  }
  [[nodiscard]] const std::byte* incoming() noexcept { return receive_->data(); }
  /// Grants the next message; the one that was taken is no longer valid.
  void grant() noexcept {
    dispatch(receive_->raw(), [](auto& receiver) noexcept { receiver.grant(); });
  }
  /// Whether this thread can carry the stream on.
  [[nodiscard]] bool is_usable_here() noexcept;
  [[nodiscard]] int error() const noexcept;
  [[nodiscard]] std::string explain() const;

 private:
  std::size_t send_bytes_ = 0;
  bool is_pending_ = false;
  ConnectionCore connection_;
  std::optional<SendEnd> send_;
  std::optional<ReceiveEnd> receive_;
};

}  // namespace tacit::comm::detail
