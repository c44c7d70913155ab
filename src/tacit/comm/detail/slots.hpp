// Messages through memory that both ends can address: one copy into a slot of the receiver's, then a flag.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <vector>

#include "tacit/base/ticks.hpp"
#include "tacit/comm/detail/copy_choice.hpp"
#include "tacit/comm/layout.hpp"

namespace tacit::comm::detail {

/// Two cache lines that the peer writes and we read.
///
/// Everything that a side polls lies here, so that one line travels per message: the flag and the length of a message,
/// the message itself if it is short, and, in the first slot of a window, how many messages the peer grants to our send
/// window of the same number. In an exchange both ways the grant thus comes along with the message.
struct alignas(128) SlotHead {
  static constexpr std::size_t inline_bytes = 96;
  static constexpr std::size_t in_first_line = 32;

  std::atomic<std::uint64_t> granted{0};  ///< messages that our send window may have sent, from the first on
  std::atomic<std::uint64_t> arrived{0};  ///< number of the message in the slot, from 1; written last
  std::uint64_t bytes = 0;                ///< its length, and `is_left`
  std::atomic<std::uint64_t> fetched{0};  ///< number of the message of our send window that was fetched last
  std::byte payload[inline_bytes];        // not initialised: a message is written before its flag

  /// In `bytes`: the message is in the sender's memory.
  static constexpr std::uint64_t is_left = std::uint64_t{1} << 63U;
};
static_assert(sizeof(SlotHead) == 128 && std::atomic<std::uint64_t>::is_always_lock_free);

/// Who copies a message that was left in its sender's memory: whoever claims it first. In place of the payload of
/// slots whose data lies elsewhere.
struct Claim {
  enum class By : std::uint32_t { none, receiver, sender, sender_is_done };
  std::atomic<By> by{By::none};
  std::uint64_t ticks = 0;  ///< that the receiver's copy took
};
static_assert(sizeof(Claim) <= SlotHead::inline_bytes);

/// Where message n goes: slot (n - 1) modulo depth.
struct Slot {
  SlotHead* head = nullptr;
  std::byte* data = nullptr;
  /// @pre the data is not in the head
  [[nodiscard]] Claim& claim() const noexcept { return *std::launder(reinterpret_cast<Claim*>(head->payload)); }
};

/// Which processor reads what is sent, as far as we know.
enum class Reader : std::uint8_t { here, elsewhere };

/// The sending end. Memory order: the message is copied, then its number is stored (release) for the receiver to load
/// (acquire); the receiver reads the message, then stores its grant (release), which we load (acquire) before the slot
/// is written again.
///
/// A long message may also stay where it is: then the receiver copies it, and says so in our head (release). If it does
/// not come for it in the time that the copy takes, we copy it after all: a send never waits for the receiver's wait.
class SlotSender {
 public:
  SlotSender() = default;
  /// @param can_leave  whether the receiver can read `memory`
  SlotSender(const Layout& memory, const SlotHead* mine, Reader reader, bool can_leave = false) noexcept
      : memory_(memory),
        mine_(mine),
        readable_(can_leave ? memory.data : nullptr),
        reader_(reader),
        choice_(can_leave && reader == Reader::elsewhere) {}
  void join(std::vector<Slot> slots) { slots_ = std::move(slots); }
  /// From where the next messages are copied. @pre nothing is pending
  void send_from(const Layout& memory) noexcept { memory_ = memory; }

  /// Where the next message may be written: the slot itself where it is granted, so that `start` copies nothing; but
  /// not where a copy costs less than stores to what the peer's cache holds.
  /// @param bytes  of the message at most
  [[nodiscard]] std::byte* place(std::size_t bytes) noexcept {
    if (granted_ == sent_) granted_ = mine_->granted.load(std::memory_order_acquire);
    is_in_place_ = granted_ != sent_ && !(is_long(bytes) && (choice_.is_trying() || choice_.way() == Way::past));
    return is_in_place_ ? slots_[next_].data : memory_.data;
  }

  [[nodiscard]] bool start(std::size_t bytes) noexcept {
    bytes_ = bytes;
    is_pending_ = true;
    return test();
  }
  [[nodiscard]] bool test() noexcept {
    if (!is_pending_) return true;
    if (is_left_) return is_fetched();
    if (granted_ == sent_) {
      granted_ = mine_->granted.load(std::memory_order_acquire);
      if (granted_ == sent_) return false;
    }
    publish();
    return !is_pending_;
  }
  /// Before the window goes: a message that was left and not fetched is copied. The memory may be read until the peer
  /// has closed, too.
  void finish() noexcept {
    if (is_left_) static_cast<void>(is_copied_after_all());
  }
  [[nodiscard]] Layout memory() const noexcept { return memory_; }
  [[nodiscard]] bool is_usable_here() const noexcept { return true; }
  [[nodiscard]] int error() const noexcept { return 0; }
  [[nodiscard]] std::string explain() const { return {}; }

 private:
  void publish() noexcept {
    const Slot slot = slots_[next_];
    next_ = next_ + 1 == slots_.size() ? 0 : next_ + 1;
    if (is_in_place_) {
      is_in_place_ = false;
      if (is_long(bytes_)) choice_.count();
    } else if (is_long(bytes_)) {
      if (choice_.way() == Way::left && memory_.data == readable_) return leave(slot);
      choice_.copy(bytes_, [&](bool past_caches) { copy_long(slot.data, past_caches); });
    } else {
      copy_to(slot.data);
    }
    slot.head->bytes = bytes_;
    slot.head->arrived.store(++sent_, std::memory_order_release);
    is_pending_ = false;
  }

  void leave(const Slot& slot) noexcept {
    left_ = slot;
    is_left_ = true;
    new (slot.head->payload) Claim;
    slot.head->bytes = bytes_ | SlotHead::is_left;
    slot.head->arrived.store(++sent_, std::memory_order_release);
    patient_until_ = base::ticks() + choice_.patience(bytes_);
  }
  [[nodiscard]] bool is_fetched() noexcept {
    if (mine_->fetched.load(std::memory_order_acquire) != sent_) {
      return base::ticks() > patient_until_ && is_copied_after_all();
    }
    choice_.note_fetched(bytes_, [this] { return left_.claim().ticks; });
    is_left_ = is_pending_ = false;
    return true;
  }
  /// False where the receiver is at it.
  [[nodiscard]] bool is_copied_after_all() noexcept {
    Claim& claim = left_.claim();
    auto none = Claim::By::none;
    if (!claim.by.compare_exchange_strong(none, Claim::By::sender, std::memory_order_acq_rel)) return false;
    copy_to(left_.data);
    claim.by.store(Claim::By::sender_is_done, std::memory_order_release);
    choice_.note_late();
    is_left_ = is_pending_ = false;
    return true;
  }

  [[nodiscard]] bool is_long(std::size_t bytes) const noexcept {
    return reader_ == Reader::elsewhere && bytes >= CopyChoice::long_message;
  }
  void copy_to(std::byte* to) const noexcept {
    if (memory_.is_contiguous()) {
      copy_bytes(to, memory_.data, bytes_);
    } else {
      gather(memory_, bytes_, to);
    }
  }
  void copy_long(std::byte* to, bool past_caches) const noexcept {
    if (past_caches) {
      gather_past_caches(memory_, bytes_, to);
    } else {
      copy_to(to);
    }
  }

  Layout memory_;
  const SlotHead* mine_ = nullptr;  // holds what the peer grants
  std::vector<Slot> slots_;         // the peer's
  std::size_t next_ = 0;
  std::size_t bytes_ = 0;
  std::uint64_t sent_ = 0;
  std::uint64_t granted_ = 0;            // as seen last
  const std::byte* readable_ = nullptr;  // the memory that the receiver can read
  Slot left_;                            // of the message that was left
  std::int64_t patient_until_ = 0;       // ticks
  Reader reader_ = Reader::elsewhere;
  CopyChoice choice_;
  bool is_pending_ = false;
  bool is_in_place_ = false;  // the next message lies in its slot already
  bool is_left_ = false;      // the pending message is in our memory, for the receiver to fetch
};

/// The receiving end.
class SlotReceiver {
 public:
  SlotReceiver() = default;
  /// @param copied_to  memory of the user that a message is copied to when it is taken; no data: it stays in its slot
  SlotReceiver(std::vector<Slot> slots, const Layout& copied_to)
      : slots_(std::move(slots)), copied_to_(copied_to), data_(slots_.front().data) {}
  /// @param source  the memory of the sender, if we can read it
  void join(SlotHead* theirs, const std::byte* source = nullptr) noexcept {
    theirs_ = theirs;
    source_ = source;
  }

  void grant() noexcept { theirs_->granted.store(++granted_, std::memory_order_release); }
  [[nodiscard]] bool test() noexcept {
    const Slot slot = slots_[next_];
    if (slot.head->arrived.load(std::memory_order_acquire) != received_ + 1) {
      // A short message may reach into the second line: both are asked for at once.
      __builtin_prefetch(slot.head->payload + SlotHead::in_first_line);
      return false;
    }
    if ((slot.head->bytes & SlotHead::is_left) != 0) [[unlikely]]
      return test_left(slot);
    take(slot);
    return true;
  }
  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] bool is_usable_here() const noexcept { return true; }
  [[nodiscard]] int error() const noexcept { return 0; }
  [[nodiscard]] std::string explain() const { return {}; }

 private:
  /// Fetches a message that its sender has left, unless that is copying it.
  [[nodiscard]] bool test_left(const Slot& slot) noexcept {
    Claim& claim = slot.claim();
    auto by = Claim::By::none;
    if (claim.by.compare_exchange_strong(by, Claim::By::receiver, std::memory_order_acq_rel)) {
      fetch_from_sender(slot, claim);
      return true;
    }
    if (by != Claim::By::sender_is_done) return false;
    take(slot);
    return true;
  }
  void fetch_from_sender(const Slot& slot, Claim& claim) noexcept {
    const std::int64_t begin = base::ticks();
    count(slot);
    if (copied_to_.data == nullptr) {
      data_ = slot.data;
      copy_bytes(slot.data, source_, bytes_);
    } else {
      scatter(source_, bytes_, copied_to_);
    }
    claim.ticks = static_cast<std::uint64_t>(base::ticks() - begin);
    theirs_->fetched.store(received_, std::memory_order_release);
  }
  void count(const Slot& slot) noexcept {
    bytes_ = slot.head->bytes & ~SlotHead::is_left;
    next_ = next_ + 1 == slots_.size() ? 0 : next_ + 1;
    ++received_;
  }
  void take(const Slot& slot) noexcept {
    count(slot);
    if (copied_to_.data == nullptr) {
      data_ = slot.data;
      fetch(slot.data, bytes_);
    } else {
      scatter(slot.data, bytes_, copied_to_);
    }
  }

  /// Asks for all lines of a message at once: the core's loads alone keep fewer under way. A third less time at 8 and
  /// at 64 KB between far cores.
  static void fetch(const std::byte* data, std::size_t bytes) noexcept {
    constexpr std::size_t longest = 65536;
    constexpr std::size_t line = 64;
    if (bytes <= SlotHead::inline_bytes || bytes > longest) return;
    for (std::size_t i = 0; i < bytes; i += line) __builtin_prefetch(data + i);
  }

  std::vector<Slot> slots_;
  Layout copied_to_;
  SlotHead* theirs_ = nullptr;         // where the peer looks for grants
  const std::byte* source_ = nullptr;  // the peer's memory, if we can read it
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t next_ = 0;
  std::uint64_t granted_ = 0;
  std::uint64_t received_ = 0;
};

}  // namespace tacit::comm::detail
