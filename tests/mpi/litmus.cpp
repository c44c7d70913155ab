// A litmus test of the memory order of slots: what follows from a flag or a grant must be seen behind it.
// SPDX-License-Identifier: Apache-2.0
//
// usage: comm_litmus [MESSAGES [SEED [LONGEST]]]: so many, or as many as go in 100 s; a message that has not come after
// LONGEST seconds (20) never does
//
// Two threads on two cores exchange messages of random lengths in both directions through windows whose heads lie in
// adjacent pairs of cache lines, from and to memory at random alignments. What the protocol relies on, and what is
// looked at:
//
//     message passing, flag        write message, store number  |  load number, read message: every byte and the length
//     message passing, grant       read message, store grant    |  load grant, write the next message: none too early
//     a message that is left       claim it, read it at the sender's, store its number  |  claim it, or load its
//     number;
//                                  write the next message
//     two flags in one line        a message and the grant for the reply lie in one head; each side writes one
//     adjacent lines               windows that have nothing to do with each other: no write is lost
//
// It does not rely on the order of a store and a later load of another place ("store buffering"): no side decides by
// what the other has not written yet, and none sleeps. So there is no such shape here.
//
// Slots that are wrong on purpose are found out by interleavings.cpp, in whatever order threads would come; those whose
// order of memory is wrong by this file under a thread sanitizer.
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <iostream>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tacit/base/clock.hpp"
#include "tacit/comm/detail/slot_link.hpp"

namespace {

using namespace tacit;
using comm::RankId;
using comm::detail::Piece;

/// Memory in one strip: what is allocated next lies next, as in the arena of a rank.
class Strip final : public comm::detail::SharedMemory {
 public:
  enum class Sides : std::uint8_t { one_process, two };
  /// @param sides  one process: messages land in the user's memory, without a copy on the receiver's side
  explicit Strip(Sides sides) : sides_(sides), memory_(length) {}
  Piece allocate(std::size_t bytes) override {
    std::byte* data = memory_.data()->bytes.data() + used_;
    used_ += (bytes + sizeof(Line) - 1) / sizeof(Line) * sizeof(Line);
    if (used_ > length * sizeof(Line)) throw std::runtime_error("the strip is too short");
    return {data, {.address = data}};
  }
  void release(const Piece& /*piece*/) noexcept override {}
  std::byte* resolve(RankId /*peer*/, const comm::detail::Place& place) override { return place.address; }
  bool is_same_process(RankId /*peer*/) const override { return sides_ == Sides::one_process; }

 private:
  struct alignas(128) Line {
    std::array<std::byte, 128> bytes{};
  };
  static constexpr std::size_t length = 65536;
  Sides sides_;
  std::vector<Line> memory_;
  std::size_t used_ = 0;
};

/// The messages of one direction of a window, drawn alike for both ends.
struct Stream {
  std::uint64_t seed = 0;
  std::size_t bytes = 0;
  std::uint32_t depth = 1;
  std::size_t align_out = 0;  ///< of the user's memory at the sending end [byte]
  std::size_t align_in = 0;
  bool is_in_slot = false;   ///< the receiver reads it where the sender has put it
  bool is_blocked = false;   ///< the receiver's memory is in blocks with gaps
  bool is_readable = false;  ///< the receiver can read the sender's memory: messages may be left there
};

constexpr std::size_t block = 8;
constexpr std::size_t stride = 11;
constexpr std::size_t longest = 40'000;  // bytes of a message
static_assert(longest > comm::detail::CopyChoice::long_message);

Stream draw(std::mt19937_64& random, std::uint32_t depth) {
  constexpr std::array<std::size_t, 5> bounds{8, 40, 96, 300, 6000};
  const std::size_t bound = bounds[random() % bounds.size()];
  const bool is_long = random() % 32 == 0;
  Stream stream{.seed = random(),
                .bytes = is_long ? longest : 1 + random() % bound,
                .depth = depth,
                .align_out = random() % 64,
                .align_in = random() % 64,
                .is_in_slot = random() % 2 == 0,
                .is_readable = random() % 4 != 0};
  stream.is_blocked = !stream.is_in_slot && random() % 2 == 0;
  if (stream.is_blocked) stream.bytes = (stream.bytes + block - 1) / block * block;
  return stream;
}

/// Byte i of message n: any two messages of a stream differ in it.
std::byte letter(const Stream& stream, std::uint64_t n, std::size_t i) {
  return static_cast<std::byte>(((stream.seed + n * 0x9E3779B97F4A7C15U) >> (8 * (i % 7))) + i);
}

/// Messages are of any length up to that of the window.
std::size_t length_of(const Stream& stream, std::uint64_t n) {
  return n % 3 == 0 ? stream.bytes : (stream.seed + n * 7919) % (stream.bytes + 1);
}

std::atomic<bool> is_wrong = false;  // the other side need not wait any more
double longest_wait_s = 20.0;        // before the threads start

/// Spins, and lets others run where there are more threads than cores. Slots that are wrong may lose a message, or a
/// grant, so that what message `n` waits for never comes.
template <class Question>
void wait_until(std::uint64_t n, Question&& is_over) {
  constexpr std::uint32_t spins = 3000;
  std::optional<base::Stopwatch> time;  // of waits that take long: the clock would keep others apart
  for (std::uint32_t turn = 0; !is_over(); ++turn) {
    if (is_wrong.load(std::memory_order_relaxed)) throw std::runtime_error("");
    if (turn < spins) continue;
    sched_yield();
    if (!time) time.emplace();
    if (turn % spins == 0 && time->seconds() > longest_wait_s) {
      throw std::runtime_error("message " + std::to_string(n) + " is wrong: it does not come, or not its grant");
    }
  }
}

/// Throws if the message is another one than the n-th.
void check(const Stream& stream, std::uint64_t n, const std::byte* from, std::size_t bytes) {
  bool is_right = bytes == length_of(stream, n);
  for (std::size_t i = 0; is_right && i < bytes; ++i) {
    const std::size_t at = stream.is_blocked ? i / block * stride + i % block : i;
    is_right = from[at] == letter(stream, n, i);
  }
  if (is_right) return;
  throw std::runtime_error("message " + std::to_string(n) + " is wrong: " + std::to_string(bytes) + " B instead of " +
                           std::to_string(length_of(stream, n)) + ", or other bytes");
}

/// A window in each direction, as one side has it.
class WindowPair {
 public:
  WindowPair(comm::detail::SlotLink& link, std::uint32_t index, const Stream& out, const Stream& in)
      : out_(out), in_(in), source_(longest + 64), target_(2 * longest + 64) {
    const auto source = comm::Layout::contiguous(source_.data() + out.align_out, out.bytes);
    std::byte* target = target_.data() + in.align_in;
    const auto memory = in.is_blocked ? comm::Layout{target, in.bytes / block, block, stride}
                                      : comm::Layout::contiguous(target, in.bytes);
    const auto owner = [](bool is_library) { return is_library ? comm::Owner::library : comm::Owner::user; };
    sender_ = link.offer_sender({index, out.depth, out.bytes, owner(out.is_readable), source}, for_receiver_);
    receiver_ = link.offer_receiver({index, in.depth, in.bytes, owner(in.is_in_slot), memory}, for_sender_);
  }
  void join(comm::detail::SlotLink& link, const WindowPair& other) {
    link.join(sender_, other.for_sender_);
    link.join(receiver_, other.for_receiver_);
  }

  void grant() { receiver_.grant(); }
  void send() {
    ++sent_;
    const std::size_t bytes = length_of(out_, sent_);
    std::byte* to = sender_.memory().data;
    for (std::size_t i = 0; i < bytes; ++i) to[i] = letter(out_, sent_, i);
    if (!sender_.start(bytes)) wait_until(sent_, [this] { return sender_.test(); });
    std::memset(to, 0, bytes);  // it is ours again
  }
  void receive() {
    wait_until(received_ + 1, [this] { return receiver_.test(); });
    const std::byte* message = in_.is_in_slot ? receiver_.data() : target_.data() + in_.align_in;
    check(in_, ++received_, message, receiver_.bytes());
    receiver_.grant();
  }
  [[nodiscard]] std::uint32_t depth() const { return out_.depth; }
  [[nodiscard]] std::uint64_t sent() const { return sent_; }

 private:
  Stream out_, in_;
  std::vector<std::byte> source_, target_;
  comm::Blob for_receiver_, for_sender_;
  comm::detail::SlotSender sender_;
  comm::detail::SlotReceiver receiver_;
  std::uint64_t sent_ = 0;
  std::uint64_t received_ = 0;
};

/// What one thread does: for each window send as many as may be under way, then take as many.
void exchange(std::deque<WindowPair>& pairs, std::uint64_t turns) {
  const std::uint32_t depth = pairs.front().depth();  // that of all windows
  for (WindowPair& pair : pairs) {
    for (std::uint32_t i = 0; i < depth; ++i) pair.grant();
  }
  for (std::uint64_t turn = 0; turn < turns; ++turn) {
    const std::uint64_t burst = 1 + turn % depth;  // the same on both sides
    for (WindowPair& pair : pairs) {
      for (std::uint64_t i = 0; i < burst; ++i) pair.send();
    }
    for (WindowPair& pair : pairs) {
      for (std::uint64_t i = 0; i < burst; ++i) pair.receive();
    }
  }
}

/// The n-th of the processors that this process may use.
void pin(std::size_t n) {
  cpu_set_t allowed, one;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0 || CPU_COUNT(&allowed) < 2) return;
  int cpu = 0;
  for (std::size_t left = n + 1;; ++cpu) {
    if (CPU_ISSET(cpu, &allowed) && --left == 0) break;
  }
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  pthread_setaffinity_np(pthread_self(), sizeof(one), &one);
}

/// A connection of random windows, used by two threads. @return  messages
std::uint64_t one_round(std::mt19937_64& random, std::uint64_t turns) {
  Strip strip(random() % 2 == 0 ? Strip::Sides::one_process : Strip::Sides::two);
  std::array<comm::detail::SlotLink, 2> links{comm::detail::SlotLink(strip, RankId{1}),
                                              comm::detail::SlotLink(strip, RankId{0})};
  std::array<std::deque<WindowPair>, 2> pairs;
  const auto windows = static_cast<std::uint32_t>(1 + random() % 4);
  const auto depth = static_cast<std::uint32_t>(1 + random() % 8);
  for (std::uint32_t i = 0; i < windows; ++i) {
    const Stream to = draw(random, depth);
    const Stream back = draw(random, depth);
    pairs[0].emplace_back(links[0], i, to, back);
    pairs[1].emplace_back(links[1], i, back, to);
  }
  for (std::uint32_t i = 0; i < windows; ++i) {
    pairs[0][i].join(links[0], pairs[1][i]);
    pairs[1][i].join(links[1], pairs[0][i]);
  }
  std::exception_ptr error;
  const auto side = [&](std::size_t i) {
    try {
      pin(i);
      exchange(pairs[i], turns);
    } catch (...) {
      if (!is_wrong.exchange(true)) error = std::current_exception();  // the other one ends because of it
    }
  };
  {
    const std::jthread other(side, 1);
    const std::jthread one(side, 0);
  }
  if (error) std::rethrow_exception(error);
  return pairs[0].front().sent() * windows * 2;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr double longest_s = 100.0;  // two cores take less than a second; shared with others, they may take long
  const std::uint64_t wanted = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
  std::mt19937_64 random(argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1);
  if (argc > 3) longest_wait_s = std::strtod(argv[3], nullptr);
  try {
    const base::Stopwatch time;
    std::uint64_t messages = 0;
    while (messages < wanted && time.seconds() < longest_s) messages += one_round(random, 500);
    std::cout << messages << " messages were right, in " << time.seconds() << " s" << std::endl;
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::cerr << error.what() << std::endl;
    return EXIT_FAILURE;
  }
}
