// Starts, tests and ends MPI's requests.
// SPDX-License-Identifier: Apache-2.0
//
// Requests are waited for by other functions than those that start them, which the analyser of MPI does not follow.
// NOLINTBEGIN(clang-analyzer-optin.mpi.MPI-Checker)
#include <climits>
#include <utility>

#include "tacit/comm/error.hpp"
#include "tacit/comm/patience.hpp"
#include "tacit/comm/providers/mpi/context.hpp"

namespace tacit::comm::mpi {
namespace {

int count_of(std::size_t bytes) { return static_cast<int>(bytes); }

void require_countable(const WindowSpec& spec) {
  if (spec.bytes > INT_MAX) throw ProviderError("mpi: a message may have 2147483647 B at most");
}

}  // namespace

SenderState::SenderState(Context& its_context, const WindowSpec& spec, RankId to)
    : context(its_context), memory(spec.memory), to_(static_cast<int>(number(to))) {
  require_countable(spec);
  if (spec.owner == Owner::library || !memory.is_contiguous()) buffer_ = std::make_unique<std::byte[]>(spec.bytes);
  if (spec.owner == Owner::library) memory = Layout::contiguous(buffer_.get(), spec.bytes);
  context.pool().reserve(1);
}

SenderState::~SenderState() {
  if (pending_.is_pooled()) context.pool().remove(pending_);
  if (step_ != Step::sending) return;
  // MPI goes on reading, and a send cannot be taken back: the memory stays.
  static_cast<void>(buffer_.release());
  const Context::Entry entry(context);
  if (entry && pending_.request != MPI_REQUEST_NULL) MPI_Request_free(&pending_.request);
}

void SenderState::begin() noexcept {
  if (!memory.is_contiguous()) gather(memory, bytes_, buffer_.get());
  pending_.begin(MPI_Isend(source(), count_of(bytes_), MPI_BYTE, to_, tag_, context.ranks(), &pending_.request));
  step_ = Step::sending;
}

bool SenderState::start(std::size_t bytes) noexcept {
  bytes_ = bytes;
  step_ = Step::wanted;
  return test();
}

bool SenderState::test() noexcept {
  if (step_ == Step::idle) return true;
  const Context::Entry entry(context);
  if (!entry) return false;
  if (step_ == Step::wanted) begin();
  if (!pending_.test(context.pool())) return false;
  error = pending_.error;
  step_ = Step::idle;
  return true;
}

ReceiverState::ReceiverState(Context& its_context, const WindowSpec& spec, RankId from, int tag)
    : context(its_context),
      from_(static_cast<int>(number(from))),
      tag_(tag),
      capacity_(spec.bytes),
      buffers_(spec.depth) {
  require_countable(spec);
  const bool is_in_place = spec.owner == Owner::user && spec.depth == 1 && spec.memory.is_contiguous();
  if (spec.owner == Owner::user && !is_in_place) copied_to_ = spec.memory;
  if (!is_in_place) memory_ = std::make_unique<std::byte[]>(spec.bytes * spec.depth);
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    buffers_[i].data = is_in_place ? spec.memory.data : memory_.get() + i * spec.bytes;
  }
  data = buffers_.front().data;
  context.pool().reserve(buffers_.size());
}

ReceiverState::~ReceiverState() {
  for (Buffer& buffer : buffers_) {
    if (buffer.pending.is_pooled()) context.pool().remove(buffer.pending);
  }
  while (taken_ < started_) {
    if (!context.is_usable_here()) {  // MPI goes on writing: the memory stays
      static_cast<void>(memory_.release());
      return;
    }
    const Context::Entry entry(context);
    if (entry) {
      cancel_all();
    } else {
      yield_processor();  // another thread is in MPI, for a moment
    }
  }
}

void ReceiverState::cancel_all() noexcept {
  for (; taken_ < started_; ++taken_) {
    MPI_Request& request = buffers_[taken_ % buffers_.size()].pending.request;
    if (request == MPI_REQUEST_NULL) continue;  // it failed
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

/// In the order of the grants, in which MPI matches them.
void ReceiverState::start_granted() noexcept {
  while (started_ < granted_ && error == MPI_SUCCESS) {
    Buffer& buffer = buffers_[started_++ % buffers_.size()];
    Pending& pending = buffer.pending;
    pending.begin(
        MPI_Irecv(buffer.data, count_of(capacity_), MPI_BYTE, from_, tag_, context.ranks(), &pending.request));
    error = pending.error;
  }
}

void ReceiverState::grant() noexcept {
  ++granted_;
  const Context::Entry entry(context);
  if (entry) start_granted();
}

bool ReceiverState::test() noexcept {
  const Context::Entry entry(context);
  if (!entry) return false;
  start_granted();
  if (taken_ == started_) return error != MPI_SUCCESS;
  Buffer& buffer = buffers_[taken_ % buffers_.size()];
  if (error != MPI_SUCCESS) return true;
  if (!buffer.pending.test(context.pool())) return false;
  error = buffer.pending.error;
  if (error != MPI_SUCCESS) return true;
  ++taken_;
  int count = 0;
  MPI_Get_count(&buffer.pending.status, MPI_BYTE, &count);
  bytes = static_cast<std::size_t>(count);
  data = buffer.data;
  if (copied_to_.data != nullptr) scatter(data, bytes, copied_to_);
  return true;
}

}  // namespace tacit::comm::mpi
// NOLINTEND(clang-analyzer-optin.mpi.MPI-Checker)
