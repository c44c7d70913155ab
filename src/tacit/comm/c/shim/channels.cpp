// Sends and receives messages of declared channels, in order.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/c/shim/channels.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tacit/comm/bootstrap/mpi.hpp"

namespace tacit::comm::shim {
namespace {

WindowSpec spec_of(const Declaration& declared) { return {.depth = declared.messages, .bytes = declared.bytes}; }

/// The tag is a part of the type, so that ends of different tags do not pass for one window.
detail::Elements elements_of(const Declaration& declared) {
  detail::Elements elements{.count = declared.bytes, .bytes = 1};
  const std::string name = fmt::format("byte, tag {},", declared.tag);
  std::ranges::copy(name, elements.type.begin());
  return elements;
}

}  // namespace

// Requests are waited for by other functions than those that start them, which the analyser of MPI does not follow.
// NOLINTBEGIN(clang-analyzer-optin.mpi.MPI-Checker)
void send_by_mpi(Request& request, int peer, int tag, MPI_Comm ranks) {
  const Buffer& buffer = request.buffer;
  check_mpi(MPI_Isend(buffer.data, buffer.count, buffer.type, peer, tag, ranks, &request.mpi), "MPI_Isend");
}

void receive_by_mpi(Request& request, int peer, int tag, MPI_Comm ranks) {
  const Buffer& buffer = request.buffer;
  check_mpi(MPI_Irecv(buffer.data, buffer.count, buffer.type, peer, tag, ranks, &request.mpi), "MPI_Irecv");
}
// NOLINTEND(clang-analyzer-optin.mpi.MPI-Checker)

SendChannel::SendChannel(Connection& connection, const Declaration& declared)
    : declared_(declared), end_(connection.core(), spec_of(declared), elements_of(declared)) {}

bool SendChannel::start(Request& request, MPI_Comm ranks) {
  const std::size_t bytes = request.layout.bytes();
  const bool fits = request.is_plain && bytes > 0 && bytes <= declared_.bytes;
  if (!fits) {
    send_by_mpi(request, declared_.peer, declared_.tag, ranks);
    request.layout = {};
  }
  request.is_window_over = false;
  waiting_.push(request);
  advance();
  return fits;
}

void SendChannel::post(Request& request) { end_.post_from(request.layout, request.layout.bytes()); }

void SendChannel::advance() {
  while (!waiting_.is_empty()) {
    Request& first = waiting_.front();
    if (!is_first_posted_) post(first);
    is_first_posted_ = true;
    if (!end_.try_end()) return;
    is_first_posted_ = false;
    waiting_.pop();
    first.is_window_over = true;
  }
}

ReceiveChannel::ReceiveChannel(Connection& connection, const Declaration& declared)
    : declared_(declared), end_(connection.core(), spec_of(declared), elements_of(declared)) {}

void ReceiveChannel::grant_all() {
  for (std::uint32_t i = 0; i < declared_.messages; ++i) end_.init();
}

void ReceiveChannel::start(Request& request, MPI_Comm ranks) {
  request.is_window_over = false;
  waiting_.push(request);
  advance(ranks);
}

void ReceiveChannel::advance(MPI_Comm ranks) {
  while (!waiting_.is_empty() && end_.try_take()) {
    Request& first = waiting_.front();
    waiting_.pop();
    take(first, ranks);
    first.is_window_over = true;
    end_.init();
  }
}

void ReceiveChannel::take(Request& request, MPI_Comm ranks) {
  if (end_.bytes() > 0) return fill(request, ranks);
  receive_by_mpi(request, declared_.peer, declared_.tag, ranks);
}

/// A message that is longer than the buffer fills it, and is an error, as in MPI.
void ReceiveChannel::fill(Request& request, MPI_Comm ranks) {
  const std::size_t room = request.is_plain ? request.layout.bytes() : request.buffer.bytes();
  const std::size_t bytes = std::min(end_.bytes(), room);
  if (bytes < end_.bytes()) request.error = MPI_ERR_TRUNCATE;
  request.status.MPI_SOURCE = declared_.peer;
  request.status.MPI_TAG = declared_.tag;
  MPI_Status_set_elements_x(&request.status, MPI_BYTE, static_cast<MPI_Count>(bytes));
  if (request.is_plain) {
    scatter(end_.data(), bytes, request.layout);
    return;
  }
  int at = 0;
  check_mpi(MPI_Unpack(end_.data(), static_cast<int>(bytes), &at, request.buffer.data, request.buffer.count,
                       request.buffer.type, ranks),
            "MPI_Unpack");
}

}  // namespace tacit::comm::shim
