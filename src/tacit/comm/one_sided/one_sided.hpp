// Windows that others read and write without the help of the rank that has the memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "tacit/comm/layout.hpp"
#include "tacit/comm/one_sided/detail/memory_region.hpp"
#include "tacit/comm/window.hpp"

namespace tacit::comm {

/// The notification of a put: `value` is added to signal `signal`, after what was put.
using Notice = detail::Notice;

struct OneSidedOptions {
  std::uint32_t signals = 1;  ///< per rank; the same on all ranks
  Access access = Access::direct;
};

/// Memory of every rank of a communicator, which all of them may put into and get from, anywhere and at any time.
///
///     comm::OneSidedWindow<double> window(world, 1000);      // every rank exposes 1000
///     window.put(right, 500, edge, {.signal = 0});           // to the right, and its signal 0 counts it
///     window.wait_signal(0, 1);                              // what the left one has put is here
///     use(window.data().subspan(500, edge.size()));
///     window.fence();                                        // before anybody puts again
///
/// Every rank makes it, at the same point among its collectives, and destroys it, after a fence(); ranks may expose
/// different numbers of elements. The first use opens it; a rank that only lets others use its memory calls open().
///
/// Progress: ranks of one node load and store in each other's memory, and a rank may compute meanwhile, however long.
/// What comes from another node is served when some thread of the target waits for, tests or polls anything of its
/// communicator (a scheduler that the communicator's completions() are attached to does). With MPI_THREAD_FUNNELED or
/// less that must be the thread that started MPI.
///
/// Order: what one thread puts to one rank arrives in the order of its calls; two ranks that put to the same place at
/// once leave either's bytes. Threads: any number at once, but one at a time in fence(), in await_signal() of one
/// signal, and for no other rank in the destructor.
template <Element T>
class OneSidedWindow {
 public:
  /// Memory of the library, zero. @param count  elements that this rank exposes
  OneSidedWindow(Communicator& communicator, std::size_t count, const OneSidedOptions& options = {})
      : core_(make(communicator, count, nullptr, Owner::library, options)) {}
  /// Memory of the user, which must outlive the window; on all ranks or on none. Other processes reach it by messages,
  /// on the same node, too.
  OneSidedWindow(Communicator& communicator, std::span<T> memory, const OneSidedOptions& options = {})
      : core_(make(communicator, memory.size(), reinterpret_cast<std::byte*>(memory.data()), Owner::user, options)) {}

  /// Waits until all ranks have made theirs. @throws MismatchError that names both ranks, DeadlineError
  void open() { core_->open(); }

  /// The memory of this rank.
  [[nodiscard]] std::span<T> data() noexcept {
    return {reinterpret_cast<T*>(core_->own().data), core_->own().bytes / sizeof(T)};
  }
  /// Elements that a rank exposes.
  [[nodiscard]] std::size_t size(RankId rank) { return core_->bytes(rank) / sizeof(T); }
  /// The memory of a rank as this one can address it; empty where only put and get reach it.
  [[nodiscard]] std::span<T> view(RankId rank) {
    std::byte* address = core_->address(rank);
    return {reinterpret_cast<T*>(address), address == nullptr ? 0 : size(rank)};
  }

  /// Writes `from` to the memory of a rank, from element `offset` on; `from` is on loan until wait().
  /// @pre offset + from.size() <= size(rank)
  void put(RankId rank, std::size_t offset, std::span<const T> from) {
    core_->put(rank, detail::length_of(offset, sizeof(T)), bytes(from), from.size_bytes(), {.value = 0});
  }
  /// The same, and adds to a signal of that rank then. The data may be empty: then it only signals.
  /// @pre notice.signal < OneSidedOptions::signals
  void put(RankId rank, std::size_t offset, std::span<const T> from, const Notice& notice) {
    core_->put(rank, detail::length_of(offset, sizeof(T)), bytes(from), from.size_bytes(), notice);
  }
  /// Reads from the memory of a rank, from element `offset` on; `to` is on loan until wait().
  /// @pre offset + to.size() <= size(rank)
  void get(RankId rank, std::size_t offset, std::span<T> to) {
    core_->get(rank, detail::length_of(offset, sizeof(T)), reinterpret_cast<std::byte*>(to.data()), to.size_bytes());
  }

  /// Whether nothing is on loan any more: what was got is here, what was put is on its way.
  [[nodiscard]] bool test() { return core_->test(); }
  /// Waits for that. @param deadline_s  0: that of the communicator
  /// @throws DeadlineError, PeerError, ProviderError
  void wait(double deadline_s = 0.0) { core_->wait(deadline_s); }
  /// Waits until all that this rank has put is in the memory of its targets.
  void quiet(double deadline_s = 0.0) { core_->quiet(deadline_s); }
  /// Waits until all ranks are here and all that any of them has put is in place. Called by all.
  void fence(double deadline_s = 0.0) { core_->fence(deadline_s); }

  /// What the notices to a signal of this rank add up to; whose notices are in it, their puts are seen.
  [[nodiscard]] std::uint64_t signal(std::uint32_t index) { return core_->signal(index); }
  /// Waits until it is at least `value`. @return  the sum
  std::uint64_t wait_signal(std::uint32_t index, std::uint64_t value, double deadline_s = 0.0) {
    return core_->wait_signal(index, value, deadline_s);
  }
  /// Instead of waiting: Communicator::completions() reports the token then.
  /// @pre no other task awaits this signal
  void await_signal(std::uint32_t index, std::uint64_t value, base::Token token) {
    core_->await_signal(index, value, token);
  }

 private:
  static const std::byte* bytes(std::span<const T> elements) {
    return reinterpret_cast<const std::byte*>(elements.data());
  }
  static std::unique_ptr<detail::MemoryRegion> make(Communicator& communicator, std::size_t count, std::byte* memory,
                                                    Owner owner, const OneSidedOptions& options) {
    return std::make_unique<detail::MemoryRegion>(communicator,
                                                  detail::MemoryRegionSpec{.kind = "one-sided window",
                                                                           .elements = detail::elements_of<T>(count),
                                                                           .signals = options.signals,
                                                                           .access = options.access,
                                                                           .owner = owner,
                                                                           .memory = memory});
  }
  std::unique_ptr<detail::MemoryRegion> core_;
};

}  // namespace tacit::comm
