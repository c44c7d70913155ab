// How a wait spends its time: it spins, then yields, and ends at its deadline.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tacit/base/clock.hpp"

namespace tacit::comm {

/// Whether every rank of the node has a processor of its own.
enum class Processors : std::uint8_t { own, shared };

/// Lets the other hardware thread of the core, or nobody, have the next few cycles.
inline void relax() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Gives the processor to whoever else wants it.
void yield_processor() noexcept;

/// One wait. `pause()` is called while what is waited for has not come.
///
/// It spins first: a flag from another core takes 50 to 300 ns, a yield as long as that by itself. Where ranks share
/// processors the peer may need ours to go on, so the spinning ends sooner there.
class Patience {
 public:
  /// @param seconds  until the deadline, counted from the first time that the clock is looked at
  Patience(Processors processors, double seconds) noexcept
      : spins_(processors == Processors::own ? 6000 : 200), seconds_(seconds) {}

  /// @return  false when the deadline has passed
  [[nodiscard]] bool pause() noexcept {
    if (turns_ < spins_) [[likely]] {
      if (++turns_ > eager) relax();
      return true;
    }
    return yield();
  }

 private:
  static constexpr std::uint32_t eager = 1000;  // turns without a rest: about 1 us, in which most flags come
  [[nodiscard]] bool yield() noexcept;

  std::uint32_t turns_ = 0;
  std::uint32_t spins_;
  double seconds_;
  std::int64_t end_ns_ = 0;
};

}  // namespace tacit::comm
