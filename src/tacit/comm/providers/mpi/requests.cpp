// Starts, tests and ends MPI's requests.
// SPDX-License-Identifier: Apache-2.0
//
// Requests are waited for by other functions than those that start them, which the analyser of MPI does not follow.
// NOLINTBEGIN(clang-analyzer-optin.mpi.MPI-Checker)
#include "tacit/comm/providers/mpi/requests.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

namespace tacit::comm::mpi {
namespace {

int count_of(std::size_t bytes) { return static_cast<int>(bytes); }

/// In place of the messages granted: there will be no more.
constexpr std::uint64_t last_note = std::numeric_limits<std::uint64_t>::max();

/// Whether there are notes of a window. Both ends say the same.
bool has_notes(const Offer& theirs, std::size_t capacity) { return theirs.piece != 0 && capacity > theirs.piece; }

/// Takes a request from the pool.
MPI_Request taken(Pending& pending, RequestPool& pool) noexcept {
  if (pending.is_pooled()) pool.remove(pending);
  return std::exchange(pending.request, MPI_REQUEST_NULL);
}

/// Adds a receive, of which MPI takes back what has not begun to come.
void cancel(MPI_Request request, std::vector<MPI_Request>& left) noexcept {
  if (request == MPI_REQUEST_NULL) return;
  MPI_Cancel(&request);
  left.push_back(request);
}

}  // namespace

bool End::let_go() noexcept {
  if (has_mpi_ended()) return true;  // it uses no memory any more
  const Context::Entry entry(context);
  if (!entry) return false;
  if (!is_given_up_) give_up(left_);
  is_given_up_ = true;
  for (MPI_Request& request : left_) {
    int is_over = 0;
    if (MPI_Test(&request, &is_over, MPI_STATUS_IGNORE) != MPI_SUCCESS) request = MPI_REQUEST_NULL;
  }
  std::erase(left_, MPI_REQUEST_NULL);
  return left_.empty() && drain();
}

SenderState::SenderState(Context& its_context, const WindowSpec& spec, RankId to)
    : End(its_context),
      memory(spec.memory),
      peer_(to),
      to_(static_cast<int>(number(to))),
      capacity_(spec.bytes),
      rest_(its_context.pool()) {
  if (spec.owner == Owner::library || !memory.is_contiguous()) buffer_ = std::make_unique<std::byte[]>(spec.bytes);
  if (spec.owner == Owner::library) memory = Layout::contiguous(buffer_.get(), spec.bytes);
  context.pool().reserve(1);
}

SenderState::~SenderState() {
  static_cast<void>(taken(pending_, context.pool()));  // still there if MPI has ended meanwhile
  context.pool().release(1);
}

/// A send cannot be taken back: MPI reads until it is over.
void SenderState::give_up(std::vector<MPI_Request>& left) noexcept {
  left.push_back(taken(pending_, context.pool()));
  rest_.give_up([&](MPI_Request& request) { left.push_back(request); });
}

/// The receiver may live on for long: only the memory of a note is kept for it.
bool SenderState::drain() noexcept {
  buffer_.reset();
  first_.reset();
  if (!has_notes(theirs_, capacity_)) return true;
  while (noted_ != last_note && error == MPI_SUCCESS) {
    if (!take_note()) return error != MPI_SUCCESS;
  }
  return true;
}

Offer SenderState::offer() {
  own_.piece = context.piece(peer_, capacity_);
  if (own_.piece != 0) own_.tag = context.next_tag(peer_);
  return own_;
}

void SenderState::join(const Offer& theirs) {
  theirs_ = theirs;
  theirs_.piece = std::min(own_.piece, theirs.piece);
  if (theirs_.piece == 0) return;
  first_ = std::make_unique<std::byte[]>(theirs_.piece);
  note_ = std::make_unique<std::uint64_t>(0);
  rest_.divide(capacity_, theirs_.piece);
}

/// Ends the present message. @return true: it is over
bool SenderState::fail(int code) noexcept {
  error = code;
  step_ = Step::idle;
  return true;
}

/// @return  false: no note has come, or there was an error
bool SenderState::take_note() noexcept {
  int code = MPI_SUCCESS;
  if (note_request_ == MPI_REQUEST_NULL) {
    code = MPI_Irecv(note_.get(), sizeof(*note_), MPI_BYTE, to_, own_.tag, context.ranks(), &note_request_);
  }
  int has_come = 0;
  if (code == MPI_SUCCESS) code = MPI_Test(&note_request_, &has_come, MPI_STATUS_IGNORE);
  if (code != MPI_SUCCESS) error = code;
  if (code != MPI_SUCCESS || has_come == 0) return false;
  noted_ = *note_;
  return true;
}

/// Whether the receiver is known to wait for a message.
bool SenderState::is_noted(std::uint64_t message) noexcept {
  while (noted_ < message) {
    if (!take_note()) return false;
  }
  return noted_ != last_note;
}

/// @return  false: it cannot begin yet, or there was an error
bool SenderState::begin() noexcept {
  const std::size_t piece = theirs_.piece;
  const bool is_granted = piece != 0 && bytes_ > piece && is_noted(messages_ + 1);
  if (error != MPI_SUCCESS || (!is_granted && bytes_ > context.longest())) return false;
  if (!memory.is_contiguous()) gather(memory, bytes_, buffer_.get());
  ++messages_;
  step_ = Step::sending;
  is_first_gone_ = false;
  if (is_granted || (piece != 0 && bytes_ == piece)) {
    begin_pieces();
  } else {
    pending_.begin(
        MPI_Isend(source(), count_of(bytes_), MPI_BYTE, to_, theirs_.tag, context.ranks(), &pending_.request));
  }
  return true;
}

void SenderState::begin_pieces() noexcept {
  const std::uint64_t length = bytes_;
  const std::size_t data = theirs_.piece - sizeof(length);
  std::memcpy(first_.get(), source(), data);
  std::memcpy(first_.get() + data, &length, sizeof(length));
  pending_.begin(
      MPI_Isend(first_.get(), count_of(theirs_.piece), MPI_BYTE, to_, theirs_.tag, context.ranks(), &pending_.request));
  rest_.begin(data, bytes_);
}

int SenderState::start_piece(std::size_t at, std::size_t bytes, MPI_Request* request) noexcept {
  return MPI_Isend(source() + at, count_of(bytes), MPI_BYTE, to_, theirs_.rest_tag, context.ranks(), request);
}

bool SenderState::start(std::size_t bytes) noexcept {
  bytes_ = bytes;
  step_ = Step::wanted;
  return test();
}

bool SenderState::test() noexcept {
  if (step_ == Step::idle) return true;
  if (has_mpi_ended()) return fail(MPI_ERR_OTHER);
  const Context::Entry entry(context);
  if (!entry) return false;
  if (step_ == Step::wanted && !begin()) return error != MPI_SUCCESS && fail(error);
  const bool is_rest_gone = rest_.advance([this](std::size_t at, std::size_t bytes, MPI_Request* request) noexcept {
    return start_piece(at, bytes, request);
  });
  if (!is_first_gone_) is_first_gone_ = pending_.test(context.pool());
  if (!is_first_gone_ || !is_rest_gone) return false;
  error = pending_.error != MPI_SUCCESS ? pending_.error : rest_.error;
  step_ = Step::idle;
  return true;
}

ReceiverState::ReceiverState(Context& its_context, const WindowSpec& spec, RankId from)
    : End(its_context),
      from_(static_cast<int>(number(from))),
      capacity_(spec.bytes),
      is_in_place_(spec.owner == Owner::user && spec.depth == 1 && spec.memory.is_contiguous()),
      buffers_(spec.depth),
      rest_(its_context.pool()) {
  own_ = {.tag = context.next_tag(from), .piece = context.piece(from, capacity_)};
  if (own_.piece != 0) own_.rest_tag = context.next_tag(from);
  if (spec.owner == Owner::user && !is_in_place_) copied_to_ = spec.memory;
  if (!is_in_place_) memory_ = std::make_unique<std::byte[]>(spec.bytes * spec.depth);
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    buffers_[i].data = is_in_place_ ? spec.memory.data : memory_.get() + i * spec.bytes;
  }
  data = buffers_.front().data;
  context.pool().reserve(buffers_.size());
}

ReceiverState::~ReceiverState() {
  for (Buffer& buffer : buffers_) static_cast<void>(taken(buffer.pending, context.pool()));
  context.pool().release(buffers_.size());
}

void ReceiverState::give_up(std::vector<MPI_Request>& left) noexcept {
  rest_.give_up([&](MPI_Request& request) { cancel(request, left); });
  for (Buffer& buffer : buffers_) cancel(taken(buffer.pending, context.pool()), left);
  left.push_back(note_request_);
  if (!has_notes(theirs_, capacity_)) return;
  MPI_Request request = MPI_REQUEST_NULL;
  last_note_ = last_note;
  MPI_Isend(&last_note_, sizeof(last_note_), MPI_BYTE, from_, theirs_.tag, context.ranks(), &request);
  left.push_back(request);
}

void ReceiverState::join(const Offer& theirs) {
  theirs_ = theirs;
  theirs_.piece = std::min(own_.piece, theirs.piece);
  if (theirs_.piece == 0) return;
  is_long_ = capacity_ > theirs_.piece;
  is_always_noted_ = capacity_ > context.longest();
  note_ = std::make_unique<std::uint64_t>(0);
  rest_.divide(capacity_, theirs_.piece);
}

/// In the order of the grants, in which MPI matches them.
void ReceiverState::start_granted() noexcept {
  const std::size_t longest = std::min(capacity_, context.longest());  // what is longer begins with a piece
  while (started_ < granted_ && error == MPI_SUCCESS) {
    Buffer& buffer = buffers_[started_++ % buffers_.size()];
    Pending& pending = buffer.pending;
    pending.begin(
        MPI_Irecv(buffer.data, count_of(longest), MPI_BYTE, from_, own_.tag, context.ranks(), &pending.request));
    error = pending.error;
  }
  if ((is_long_ || is_always_noted_) && noted_ < started_ && error == MPI_SUCCESS) give_note();
}

/// While the last note has not gone, the next one waits for another call.
void ReceiverState::give_note() noexcept {
  int is_gone = 1;
  if (note_request_ != MPI_REQUEST_NULL) error = MPI_Test(&note_request_, &is_gone, MPI_STATUS_IGNORE);
  if (error != MPI_SUCCESS || is_gone == 0) return;
  *note_ = noted_ = started_;
  error = MPI_Isend(note_.get(), sizeof(*note_), MPI_BYTE, from_, theirs_.tag, context.ranks(), &note_request_);
}

void ReceiverState::grant() noexcept {
  ++granted_;
  const Context::Entry entry(context);
  if (entry) start_granted();
}

/// @return whether all or a first piece has come: `coming_` bytes come in all; or there was an error
bool ReceiverState::take_first(Buffer& buffer) noexcept {
  if (!buffer.pending.test(context.pool())) return false;
  error = buffer.pending.error;
  if (error != MPI_SUCCESS) return true;
  int count = 0;
  MPI_Get_count(&buffer.pending.status, MPI_BYTE, &count);
  coming_ = static_cast<std::size_t>(count);
  has_first_ = true;
  if (theirs_.piece == 0 || coming_ != theirs_.piece) return true;
  std::uint64_t length = 0;
  const std::size_t there = theirs_.piece - sizeof(length);
  std::memcpy(&length, buffer.data + there, sizeof(length));
  coming_ = length;
  rest_.begin(there, coming_);
  return true;
}

int ReceiverState::start_piece(std::size_t at, std::size_t bytes_of_it, MPI_Request* request) noexcept {
  std::byte* to = buffers_[taken_ % buffers_.size()].data + at;
  return MPI_Irecv(to, count_of(bytes_of_it), MPI_BYTE, from_, own_.rest_tag, context.ranks(), request);
}

bool ReceiverState::test() noexcept {
  if (has_mpi_ended()) {
    error = MPI_ERR_OTHER;
    return true;
  }
  const Context::Entry entry(context);
  if (!entry) return false;
  start_granted();
  if (taken_ == started_) return error != MPI_SUCCESS;
  Buffer& buffer = buffers_[taken_ % buffers_.size()];
  if (error != MPI_SUCCESS) return true;
  if (!has_first_ && !take_first(buffer)) return false;
  if (error != MPI_SUCCESS) return true;
  const bool is_here = rest_.advance([this](std::size_t at, std::size_t length, MPI_Request* request) noexcept {
    return start_piece(at, length, request);
  });
  if (!is_here) return false;
  error = rest_.error;
  if (error != MPI_SUCCESS) return true;
  has_first_ = false;
  ++taken_;
  bytes = coming_;
  data = buffer.data;
  is_long_ = theirs_.piece != 0 && bytes > theirs_.piece;
  if (copied_to_.data != nullptr) scatter(data, bytes, copied_to_);
  return true;
}

}  // namespace tacit::comm::mpi
// NOLINTEND(clang-analyzer-optin.mpi.MPI-Checker)
