// What a request of the shim stands for: a message of a declared channel, or a request of MPI.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <cstddef>
#include <deque>

#include "tacit/comm/c/shim/datatype.hpp"
#include "tacit/comm/layout.hpp"

namespace tacit::comm::shim {

class Attached;
class SendChannel;
class ReceiveChannel;

}  // namespace tacit::comm::shim

/// A message that is under way. It is over when its part by a window and its part by MPI are.
struct TACIT_request {
  tacit::comm::shim::Attached* owner = nullptr;  ///< null: MPI's alone
  tacit::comm::shim::SendChannel* send = nullptr;
  tacit::comm::shim::ReceiveChannel* receive = nullptr;
  TACIT_request* next = nullptr;  ///< of the same channel, or of those that are free
  tacit::comm::shim::Buffer buffer = {};
  tacit::comm::Layout layout = {};  ///< where is_plain
  bool is_plain = true;             ///< dense, or a vector
  bool is_window_over = true;
  bool is_type_ours = false;  ///< a copy, to free
  MPI_Request mpi = MPI_REQUEST_NULL;
  MPI_Status status = {};
  int error = MPI_SUCCESS;
};

namespace tacit::comm::shim {

using Request = TACIT_request;

/// Begins the part of a message that goes through MPI. @throws ProviderError
void send_by_mpi(Request& request, int peer, int tag, MPI_Comm ranks);
void receive_by_mpi(Request& request, int peer, int tag, MPI_Comm ranks);

/// Hands requests out again and again.
class Requests {
 public:
  [[nodiscard]] Request& take() {
    if (free_ == nullptr) return all_.emplace_back();
    Request& request = *free_;
    free_ = request.next;
    request = {};
    return request;
  }
  void give_back(Request& request) noexcept {
    if (request.is_type_ours) MPI_Type_free(&request.buffer.type);
    request.next = free_;
    free_ = &request;
  }

 private:
  std::deque<Request> all_;  // they stay where they are
  Request* free_ = nullptr;
};

/// Requests in the order in which they were made.
class Queue {
 public:
  [[nodiscard]] bool is_empty() const noexcept { return head_ == nullptr; }
  [[nodiscard]] Request& front() noexcept { return *head_; }
  void push(Request& request) noexcept {
    (head_ == nullptr ? head_ : tail_->next) = &request;
    tail_ = &request;
  }
  void pop() noexcept {
    Request* first = head_;
    head_ = first->next;
    first->next = nullptr;
  }

 private:
  Request* head_ = nullptr;
  Request* tail_ = nullptr;
};

}  // namespace tacit::comm::shim
