// The ends of a window: messages of MPI, and what they need while they are under way.
// SPDX-License-Identifier: Apache-2.0
//
// Open MPI asks the receiver before it sends a long message over TCP, and question and answer wait behind the data that
// are under way. A grant is that answer, given ahead: the receiver notes it to the sender, which sends a long message
// in pieces so short that MPI needs no handshake.
//
//     length < piece    one message
//     granted           the first `piece` bytes, whose last 8 are the length of all; the rest, from there, in pieces
//     not (yet) noted   one message, for which MPI asks; if MPI cannot count its bytes, it waits for the note
//
// So a message of MPI with exactly `piece` bytes is the beginning of a longer one. Notes are given while messages are
// long: the first to come if the window can have such, and each after a long one; where MPI cannot count the bytes of
// the longest, for all messages. A receiver that goes says so in a last note, until which the sender takes all of them:
// MPI would keep what is never received.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tacit/comm/provider.hpp"
#include "tacit/comm/providers/mpi/context.hpp"
#include "tacit/comm/providers/mpi/pieces.hpp"

namespace tacit::comm::mpi {

/// What one end sends to the other at set-up: the tag that messages to it have, that of the rest of long ones, and its
/// pieces.
struct Offer {
  int tag = 0;
  int rest_tag = 0;
  std::uint64_t piece = 0;  ///< 0: none
};

/// A request for each message: in Open MPI 4.1 a persistent one costs 1.3 to 1.6 times as much at 8 B, and the same at
/// 64 KB. @pre of the destructor: let_go()
class SenderState final : public End {
 public:
  SenderState(Context& context, const WindowSpec& spec, RankId to);
  ~SenderState() override;
  [[nodiscard]] Offer offer();
  void join(const Offer& theirs);

  [[nodiscard]] bool start(std::size_t bytes) noexcept;
  [[nodiscard]] bool test() noexcept;
  [[nodiscard]] bool writes_to_user() const noexcept override { return false; }

  Layout memory;
  int error = 0;

 private:
  [[nodiscard]] bool begin() noexcept;
  void begin_pieces() noexcept;
  [[nodiscard]] bool take_note() noexcept;
  [[nodiscard]] bool is_noted(std::uint64_t message) noexcept;
  [[nodiscard]] bool fail(int code) noexcept;
  void give_up(std::vector<MPI_Request>& left) noexcept override;
  [[nodiscard]] bool drain() noexcept override;
  [[nodiscard]] int start_piece(std::size_t at, std::size_t bytes, MPI_Request* request) noexcept;
  [[nodiscard]] const std::byte* source() const noexcept {
    return memory.is_contiguous() ? memory.data : buffer_.get();
  }

  RankId peer_;
  int to_;
  Offer theirs_;
  std::size_t capacity_;
  std::unique_ptr<std::byte[]> buffer_;  // of the library's memory, or where blocks are gathered
  std::unique_ptr<std::byte[]> first_;   // the first piece with the length of all
  Pending pending_;
  bool is_first_gone_ = false;
  Pieces rest_;
  std::size_t bytes_ = 0;
  std::uint64_t messages_ = 0;
  Offer own_;
  std::unique_ptr<std::uint64_t> note_;  // written by MPI: messages granted, or the last note
  MPI_Request note_request_ = MPI_REQUEST_NULL;
  std::uint64_t noted_ = 0;
  enum class Step : std::uint8_t { idle, wanted, sending } step_ = Step::idle;
};

class ReceiverState final : public End {
 public:
  ReceiverState(Context& context, const WindowSpec& spec, RankId from);
  ~ReceiverState() override;
  [[nodiscard]] Offer offer() const noexcept { return own_; }
  void join(const Offer& theirs);

  void grant() noexcept;
  [[nodiscard]] bool test() noexcept;
  [[nodiscard]] bool writes_to_user() const noexcept override { return is_in_place_; }

  std::byte* data = nullptr;
  std::size_t bytes = 0;
  int error = 0;

 private:
  struct Buffer {
    std::byte* data = nullptr;
    Pending pending = {};
  };
  void start_granted() noexcept;
  void give_note() noexcept;
  [[nodiscard]] bool take_first(Buffer& buffer) noexcept;
  [[nodiscard]] int start_piece(std::size_t at, std::size_t bytes, MPI_Request* request) noexcept;
  void give_up(std::vector<MPI_Request>& left) noexcept override;

  int from_;
  Offer own_;
  Offer theirs_;
  std::size_t capacity_;
  std::unique_ptr<std::byte[]> memory_;
  bool is_in_place_;  // messages come to memory of the user
  Layout copied_to_;  // no data: messages stay where they came
  std::vector<Buffer> buffers_;
  std::uint64_t granted_ = 0;
  std::uint64_t started_ = 0;
  std::uint64_t taken_ = 0;
  Pieces rest_;
  bool has_first_ = false;               // all of the next message, or its first piece
  std::size_t coming_ = 0;               // its length
  bool is_long_ = false;                 // the last message; before the first, the longest there can be
  bool is_always_noted_ = false;         // MPI cannot count the bytes of the longest
  std::unique_ptr<std::uint64_t> note_;  // read by MPI
  std::uint64_t last_note_ = 0;          // read by MPI, too
  MPI_Request note_request_ = MPI_REQUEST_NULL;
  std::uint64_t noted_ = 0;
};

}  // namespace tacit::comm::mpi
