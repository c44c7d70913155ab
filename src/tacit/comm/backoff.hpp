// How a wait spends its time: it spins, then yields, and ends at its deadline.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tacit/base/clock.hpp"

namespace tacit::comm {

namespace detail {
class PeerWatch;
struct LivenessRecord;
}  // namespace detail

/// Whether every rank of the node has a processor of its own.
enum class Processors : std::uint8_t { own, shared };

/// Leaves the next few cycles to the other hardware thread of the core.
inline void relax() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Yields the processor.
void yield_processor() noexcept;

/// One wait. `pause()` is called while what is waited for has not come.
///
/// It spins first: a flag from another core takes 50 to 300 ns, a yield as long as that by itself. Where ranks share
/// processors the peer may need ours to go on, so the spinning ends sooner there. It ends at once where a look at what
/// is awaited turns out to be a look at a network: that takes longer than a yield, and the system, which carries the
/// message, may need the processor.
class Backoff {
 public:
  /// @param seconds  until the deadline, counted from the first time that the clock is looked at
  /// @param watch    notices that a rank is lost; null: none
  /// @param peer     the only rank that can end the wait; null: unknown
  Backoff(Processors processors, double seconds, detail::PeerWatch* watch = nullptr,
          const detail::LivenessRecord* peer = nullptr) noexcept
      : spins_(processors == Processors::own ? 6000 : 200), seconds_(seconds), watch_(watch), peer_(peer) {}

  /// @return  false when the deadline has passed, a rank is lost, or the peer has left and what it did before is seen
  [[nodiscard]] bool pause() noexcept {
    if (turns_ < spins_) [[likely]] {
      ++turns_;
      if ((turns_ & ~between_looks) == first_look) [[unlikely]] {
        look_at_clock();
      } else if (turns_ > eager) {
        relax();
      }
      return true;
    }
    return yield();
  }

 private:
  static constexpr std::uint32_t eager = 1000;  // turns without a rest: about 1 us, in which most flags come
  // Turns 32 and 48 look at the clock: later than a flag from a near core, and long before one from a far core.
  static constexpr std::uint32_t first_look = 32;
  static constexpr std::uint32_t between_looks = 16;
  void look_at_clock() noexcept;
  [[nodiscard]] bool yield() noexcept;

  std::uint32_t turns_ = 0;
  std::uint32_t spins_;
  bool has_peer_left_ = false;
  double seconds_;
  detail::PeerWatch* watch_;
  const detail::LivenessRecord* peer_;
  std::int64_t first_look_ns_ = 0;
  std::int64_t end_ns_ = 0;
};

}  // namespace tacit::comm
