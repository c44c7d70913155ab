// A declared channel from one rank to another: a window, and the requests that wait for it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "tacit/comm/c/shim/operation.hpp"
#include "tacit/comm/connection.hpp"
#include "tacit/comm/connections/ends.hpp"

namespace tacit::comm::shim {

/// Peer and tag, and what was declared of them.
struct Declaration {
  int peer = 0;
  int tag = 0;
  std::size_t bytes = 0;
  std::uint32_t messages = 1;
};

/// The end that sends.
///
/// A message of none or more than the window's bytes, or of a type that is no layout, goes through MPI, on a
/// communicator of our own; the window carries an empty message in its place, so that the receiver knows where in the
/// order it stands.
class SendChannel {
 public:
  SendChannel(Connection& connection, const Declaration& declared);

  /// Sends now or as soon as the receiver grants it; never blocks.
  /// @return  whether a window carries it
  bool start(Request& request, MPI_Comm ranks);
  /// Carries on what could not be sent at once.
  void advance();
  [[nodiscard]] bool has_work() const noexcept { return !waiting_.is_empty(); }
  [[nodiscard]] const Declaration& declared() const noexcept { return declared_; }
  [[nodiscard]] std::string describe() const { return end_.describe(); }

 private:
  void post(Request& request);
  Declaration declared_;
  detail::SendEnd end_;
  Queue waiting_;
  bool is_first_posted_ = false;
};

/// The end that receives. Messages that come before their request wait in the window.
class ReceiveChannel {
 public:
  ReceiveChannel(Connection& connection, const Declaration& declared);

  /// Lets as many messages come as were declared. @pre the connection is open
  void grant_all();
  void start(Request& request, MPI_Comm ranks);
  /// Hands messages that have come to the waiting requests, in order.
  void advance(MPI_Comm ranks);
  [[nodiscard]] bool has_work() const noexcept { return !waiting_.is_empty(); }
  [[nodiscard]] const Declaration& declared() const noexcept { return declared_; }
  [[nodiscard]] std::string describe() const { return end_.describe(); }

 private:
  void take(Request& request, MPI_Comm ranks);
  void fill(Request& request, MPI_Comm ranks);
  Declaration declared_;
  detail::ReceiveEnd end_;
  Queue waiting_;
};

}  // namespace tacit::comm::shim
