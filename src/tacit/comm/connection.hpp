// A connection from one rank to another, on which windows are made.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tacit/comm/communicator.hpp"
#include "tacit/comm/rank.hpp"

namespace tacit::comm {

namespace detail {
class ConnectionCore;
}

/// One end of a connection; the target makes the other. A rank may connect to itself: then one object is both ends.
///
/// Window i that sends at one end belongs to window i that receives at the other, counted in the order in which they
/// are made. All are made before the first is used. Connections may be used by different threads at once; so may the
/// windows of one once it is open, each by one at a time.
class Connection {
 public:
  /// Neither blocks nor waits for the peer.
  /// @throws ProviderError if no transport reaches the target
  Connection(Communicator& communicator, const Target& target);
  /// @pre its windows are gone
  ~Connection();
  Connection(Connection&&) noexcept;
  Connection& operator=(Connection&&) noexcept;

  [[nodiscard]] const Target& target() const noexcept;
  [[nodiscard]] ProviderId provider() const noexcept;

  /// Waits until the peer has made its windows, and compares them with ours. The first use of a window does it, too.
  /// @throws MismatchError that names both ranks if they differ in number, size, type, depth or transport;
  ///         DeadlineError
  void open();

  /// For windows.
  [[nodiscard]] detail::ConnectionCore& core() noexcept { return *core_; }

 private:
  std::unique_ptr<detail::ConnectionCore> core_;
};

}  // namespace tacit::comm
