// Collects requests, and asks MPI for all of them in one call.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/providers/mpi/pool.hpp"

#include "tacit/comm/backoff.hpp"

namespace tacit::comm::mpi {

class RequestPool::Hold {
 public:
  explicit Hold(RequestPool& pool) noexcept : pool_(&pool) {
    while (pool.is_held_.test_and_set(std::memory_order_acquire)) yield_processor();
  }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;
  ~Hold() { pool_->is_held_.clear(std::memory_order_release); }

 private:
  RequestPool* pool_;
};

/// The first question goes to MPI itself: most requests end at once. Later ones look at what the last pass has found,
/// and make the next pass only if no other thread has made one since.
bool Pending::test(RequestPool& pool) noexcept {
  if (step_ == Step::failed) return true;
  if (step_ == Step::alone) {
    int is_over = 0;
    error = MPI_Test(&request, &is_over, &status);
    if (error != MPI_SUCCESS || is_over != 0) return true;
    step_ = Step::pooled;
    seen_ = pool.passes();
    pool.add(*this);
    return false;
  }
  if (is_done_.load(std::memory_order_acquire)) return true;
  if (seen_ == pool.passes()) pool.pass();
  seen_ = pool.passes();
  return is_done_.load(std::memory_order_acquire);
}

void RequestPool::reserve(std::size_t requests) {
  const Hold hold(*this);
  room_ += requests;
  pending_.reserve(room_);
  requests_.reserve(room_);
  ended_.resize(room_);
  statuses_.resize(room_);
}

void RequestPool::release(std::size_t requests) noexcept {
  const Hold hold(*this);
  room_ -= requests;
}

void RequestPool::add(Pending& pending) noexcept {
  Pending* first = incoming_.load(std::memory_order_relaxed);
  do {
    pending.next_ = first;
  } while (!incoming_.compare_exchange_weak(first, &pending, std::memory_order_release, std::memory_order_relaxed));
}

/// Moves what has come to the arrays, which have room for all requests that there can be.
void RequestPool::accept() noexcept {
  Pending* pending = incoming_.exchange(nullptr, std::memory_order_acquire);
  for (; pending != nullptr; pending = pending->next_) {
    pending_.push_back(pending);
    requests_.push_back(pending->request);
  }
}

/// From here on the request is its owner's.
void RequestPool::end(std::size_t i, int error) noexcept {
  Pending& pending = *pending_[i];
  pending_[i] = nullptr;
  pending.error = error;
  pending.request = MPI_REQUEST_NULL;
  pending.is_done_.store(true, std::memory_order_release);
}

void RequestPool::drop_ended() noexcept {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    if (pending_[i] == nullptr) continue;
    pending_[kept] = pending_[i];
    requests_[kept++] = requests_[i];
  }
  pending_.resize(kept);
  requests_.resize(kept);
}

void RequestPool::pass() noexcept {
  if (is_held_.test_and_set(std::memory_order_acquire)) return;
  accept();
  int count = 0;
  const int size = static_cast<int>(requests_.size());
  const int code = MPI_Testsome(size, requests_.data(), &count, ended_.data(), statuses_.data());
  if (code != MPI_SUCCESS && code != MPI_ERR_IN_STATUS) {
    for (std::size_t i = 0; i < pending_.size(); ++i) end(i, code);
  }
  for (int i = 0; i < count && (code == MPI_SUCCESS || code == MPI_ERR_IN_STATUS); ++i) {
    const auto at = static_cast<std::size_t>(ended_[static_cast<std::size_t>(i)]);
    const MPI_Status& status = statuses_[static_cast<std::size_t>(i)];
    pending_[at]->status = status;
    end(at, code == MPI_SUCCESS ? MPI_SUCCESS : status.MPI_ERROR);
  }
  if (count != 0 || code != MPI_SUCCESS) drop_ended();
  passes_.fetch_add(1, std::memory_order_release);
  is_held_.clear(std::memory_order_release);
}

void RequestPool::remove(Pending& pending) noexcept {
  const Hold hold(*this);
  accept();
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    if (pending_[i] != &pending) continue;
    pending.request = requests_[i];
    pending_[i] = nullptr;
  }
  drop_ended();
  pending.step_ = Pending::Step::alone;
}

}  // namespace tacit::comm::mpi
