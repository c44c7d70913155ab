// Asks MPI for many requests at once: each single question would make it look at the network again.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tacit::comm::mpi {

/// A request that an end tests. Between `begin` and the first true `test` its memory belongs to MPI.
///
///     pending.begin(MPI_Isend(..., &pending.request));
///     while (!pending.test(pool)) ...                     // then pending.error and pending.status say how it ended
struct Pending {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status{};
  int error = MPI_SUCCESS;

  void begin(int code) noexcept {
    error = code;
    is_done_.store(false, std::memory_order_relaxed);
    step_ = code == MPI_SUCCESS ? Step::alone : Step::failed;
  }
  /// @pre begun, and not yet over. The caller may call MPI.
  [[nodiscard]] bool test(class RequestPool& pool) noexcept;
  [[nodiscard]] bool is_pooled() const noexcept { return step_ == Step::pooled; }

 private:
  friend class RequestPool;
  enum class Step : std::uint8_t { alone, pooled, failed };
  std::atomic<bool> is_done_{false};
  Step step_ = Step::alone;
  std::uint64_t seen_ = 0;  ///< the last pass of the pool after which its end was asked for
  Pending* next_ = nullptr;
};

/// The requests of one process that did not end at once. A pass over all of them costs one look at the network, and
/// serves all who ask until they ask again. Safe for threads; nothing is allocated but by `reserve`.
class RequestPool {
 public:
  /// Room for so many requests more.
  void reserve(std::size_t requests);
  /// Gives room back, of requests that are gone.
  void release(std::size_t requests) noexcept;
  void add(Pending& pending) noexcept;
  /// Takes a request out that will not be tested again.
  void remove(Pending& pending) noexcept;
  /// Asks MPI, unless another thread does.
  void pass() noexcept;
  [[nodiscard]] std::uint64_t passes() const noexcept { return passes_.load(std::memory_order_acquire); }

 private:
  class Hold;
  void accept() noexcept;
  void end(std::size_t i, int error) noexcept;
  void drop_ended() noexcept;

  std::atomic<Pending*> incoming_{nullptr};
  std::atomic<std::uint64_t> passes_{1};
  std::atomic_flag is_held_;  // guards what follows
  std::vector<Pending*> pending_;
  std::vector<MPI_Request> requests_;  // theirs, as MPI wants them
  std::vector<int> ended_;
  std::vector<MPI_Status> statuses_;
  std::size_t room_ = 0;
};

}  // namespace tacit::comm::mpi
