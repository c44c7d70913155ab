// A message that goes, or comes, as several of MPI's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <memory>

#include "tacit/comm/providers/mpi/pool.hpp"

namespace tacit::comm::mpi {

/// A stretch of memory in pieces of one length, some of which are under way at once.
///
///     pieces.begin(from, to);
///     while (!pieces.advance([&](std::size_t at, std::size_t bytes, MPI_Request* request) {
///       return MPI_Isend(memory + at, bytes, ..., request);
///     })) ...
class Pieces {
 public:
  explicit Pieces(RequestPool& pool) : pool_(&pool) {}
  Pieces(const Pieces&) = delete;
  Pieces& operator=(const Pieces&) = delete;
  ~Pieces() {
    for_started([this](Pending& pending) {
      if (pending.is_pooled()) pool_->remove(pending);
    });
    pool_->release(places_);
  }

  /// Room for stretches of up to `bytes`.
  void divide(std::size_t bytes, std::size_t piece) {
    constexpr std::size_t at_once = 64;
    piece_ = piece;
    places_ = std::min(at_once, bytes / piece + 1);
    ring_ = std::make_unique<Pending[]>(places_);
    pool_->reserve(places_);
  }
  /// Of the memory, bytes `from` to `to`.
  void begin(std::size_t from, std::size_t to) noexcept {
    from_ = from;
    to_ = to;
    count_ = (to - from + piece_ - 1) / piece_;
    started_ = ended_ = 0;
  }
  /// Starts what can be started, by `start`, which returns MPI's code. @return whether all is over, or an error
  template <class Start>
  [[nodiscard]] bool advance(Start&& start) noexcept {
    while (ended_ < count_ && error == MPI_SUCCESS) {
      while (started_ < count_ && started_ - ended_ < places_) start_next(start);
      Pending& oldest = ring_[ended_ % places_];
      if (!oldest.test(*pool_)) return false;
      error = oldest.error;
      oldest.request = MPI_REQUEST_NULL;
      ++ended_;
    }
    return true;
  }
  /// Calls `function` with MPI's request of each piece that is under way, which the pool gives up.
  template <class Function>
  void give_up(Function&& function) noexcept {
    for_started([&](Pending& pending) {
      if (pending.is_pooled()) pool_->remove(pending);
      if (pending.request != MPI_REQUEST_NULL) function(pending.request);
    });
    ended_ = started_;
  }

  int error = MPI_SUCCESS;

 private:
  template <class Start>
  void start_next(Start& start) noexcept {
    const std::size_t at = from_ + started_ * piece_;
    Pending& next = ring_[started_++ % places_];
    next.begin(start(at, std::min(piece_, to_ - at), &next.request));
  }
  template <class Function>
  void for_started(Function&& function) noexcept {
    for (std::size_t i = ended_; i < started_; ++i) function(ring_[i % places_]);
  }

  RequestPool* pool_;
  std::unique_ptr<Pending[]> ring_;
  std::size_t piece_ = 1;
  std::size_t places_ = 0;
  std::size_t from_ = 0;
  std::size_t to_ = 0;
  std::size_t count_ = 0;
  std::size_t started_ = 0;
  std::size_t ended_ = 0;
};

}  // namespace tacit::comm::mpi
