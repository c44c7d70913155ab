// Slots in every order of steps of their two sides; litmus.cmake builds it with slots that are wrong on purpose, too.
// SPDX-License-Identifier: Apache-2.0
//
// usage: comm_interleavings [PREEMPTIONS]: how often a side is stopped in a run, beyond its own waits (default 3)
//
// Two sides exchange messages in both directions, as in litmus.cpp: what follows from a flag, a grant or a claim must
// be as it was promised. Each access to a flag and each copy is a step, before which the other side may go on; where a
// sender may lose its patience, it does and does not. `std::atomic` and the calls of copies in slots.hpp are replaced
// for that, nothing else.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "interleaved.hpp"
#include "tacit/comm/detail/slots.hpp"

namespace {

using namespace tacit;
using comm::detail::Reader;
using comm::detail::Slot;
using comm::detail::SlotHead;

/// What both directions of a window are like.
struct Case {
  const char* name;
  std::size_t bytes;    ///< of a message
  std::uint32_t depth;  ///< messages under way
  bool is_readable;     ///< long messages stay in the sender's memory
  bool is_in_slot;      ///< the receiver reads a message where it arrived
  std::uint32_t messages;
};

constexpr std::array cases{
    Case{"short messages", 24, 1, false, true, 3},
    Case{"short messages, two under way, copied when taken", 24, 2, false, false, 4},
    Case{"messages behind their heads", 120, 1, false, true, 3},
    Case{"messages that are left, read in their slots", interleaved::long_message, 1, true, true, 2},
    Case{"messages that are left, fetched into the receiver's memory", interleaved::long_message, 1, true, false, 2},
};

std::string what_is_wrong;  // of this run

[[noreturn]] void give_up(std::uint64_t message, const std::string& why) {
  what_is_wrong = "message " + std::to_string(message) + " is wrong: " + why;
  interleaved::scheduler->fail();
}

std::byte letter(std::size_t side, std::uint64_t n) { return static_cast<std::byte>(16 * (side + 1) + n); }

/// One rank: memory of the messages that it sends and receives, and its ends of the window.
class Side {
 public:
  Side(std::size_t index, const Case& what)
      : index_(index),
        what_(what),
        heads_(what.depth),
        slots_data_(what.depth, std::vector<std::byte>(what.bytes)),
        source_(what.bytes),
        target_(what.bytes) {
    const auto layout = [](std::vector<std::byte>& m) { return comm::Layout::contiguous(m.data(), m.size()); };
    sender_ = {layout(source_), &heads_[0], Reader::elsewhere, what.is_readable};
    receiver_ = {slots(), what.is_in_slot ? comm::Layout{} : layout(target_)};
  }
  void join(Side& other) {
    sender_.join(other.slots());
    receiver_.join(&other.heads_[0], what_.is_readable ? other.source_.data() : nullptr);
  }

  void exchange() {
    for (std::uint32_t i = 0; i < what_.depth; ++i) receiver_.grant();
    for (std::uint64_t n = 1; n <= what_.messages;) {
      const std::uint64_t end = std::min<std::uint64_t>(n + what_.depth, what_.messages + 1);
      for (std::uint64_t i = n; i < end; ++i) send(i);
      for (std::uint64_t i = n; i < end; ++i) receive(i);
      n = end;
    }
  }

 private:
  [[nodiscard]] std::vector<Slot> slots() {
    std::vector<Slot> all;
    for (std::size_t i = 0; i < heads_.size(); ++i) {
      const bool is_inline = what_.bytes <= SlotHead::inline_bytes;
      all.push_back({&heads_[i], is_inline ? heads_[i].payload : slots_data_[i].data()});
    }
    return all;
  }
  void wait_until(std::uint64_t n, bool (*is_over)(Side&)) {
    while (!is_over(*this)) {
      if (!interleaved::scheduler->give_way()) give_up(n, "it does not come, or not its grant");
    }
    interleaved::scheduler->note_progress();
  }
  void send(std::uint64_t n) {
    std::ranges::fill(source_, letter(index_, n));
    if (!sender_.start(what_.bytes)) wait_until(n, [](Side& side) { return side.sender_.test(); });
    std::ranges::fill(source_, std::byte{0});  // it is ours again
  }
  void receive(std::uint64_t n) {
    wait_until(n, [](Side& side) { return side.receiver_.test(); });
    const std::byte* from = what_.is_in_slot ? receiver_.data() : target_.data();
    interleaved::scheduler->step();  // a slot that is granted no more may be written now
    if (receiver_.bytes() != what_.bytes) give_up(n, "it has another length");
    const std::byte wanted = letter(1 - index_, n);
    if (!std::all_of(from, from + what_.bytes, [&](std::byte b) { return b == wanted; })) give_up(n, "other bytes");
    receiver_.grant();
  }

  std::size_t index_;
  Case what_;
  std::vector<SlotHead> heads_;
  std::vector<std::vector<std::byte>> slots_data_;
  std::vector<std::byte> source_, target_;
  comm::detail::SlotSender sender_;
  comm::detail::SlotReceiver receiver_;
};

/// @return  the number of runs; what_is_wrong is empty if all were right
std::uint64_t try_all(const Case& what, std::uint32_t preemptions) {
  interleaved::Scheduler scheduler(preemptions);
  std::uint64_t runs = 0;
  do {
    Side one(0, what), other(1, what);
    one.join(other);
    other.join(one);
    scheduler.run({[&] { one.exchange(); }, [&] { other.exchange(); }});
    ++runs;
  } while (what_is_wrong.empty() && scheduler.advance());
  return runs;
}

}  // namespace

int main(int argc, char** argv) {
  const auto preemptions = static_cast<std::uint32_t>(argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 3);
  for (const Case& what : cases) {
    const std::uint64_t runs = try_all(what, preemptions);
    if (!what_is_wrong.empty()) {
      std::cerr << what.name << ": " << what_is_wrong << ", in order " << runs << std::endl;
      return EXIT_FAILURE;
    }
    std::cout << what.name << ": right in all " << runs << " orders" << std::endl;
  }
  return EXIT_SUCCESS;
}
