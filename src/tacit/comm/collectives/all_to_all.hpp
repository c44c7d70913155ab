// Every rank has something for every other: the transpose of a matrix of blocks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "tacit/comm/collectives/detail/make.hpp"
#include "tacit/comm/collectives/handle.hpp"

namespace tacit::comm {

/// Block j of rank i becomes block i of rank j.
///
///     comm::AllToAll<Complex> transpose(world, 4096);          // elements of a block
///     pack(transpose.input());                                 // blocks by rank; other memory for every call
///     transpose.run();
///     unpack(transpose.output());
///
/// On a node a block is copied once: by its receiver, from where the sender has written it, or, where blocks are long
/// and all ranks share memory, by its sender to where the receiver reads it. Memory of the user costs a second copy.
/// Each rank turns to its peers in a random order of its own, which the communicator keeps, and with Pull::chunk it
/// reads a chunk from each in turn, so that not all read from one at a time.
template <Element T>
class AllToAll : public CollectiveHandle<detail::Exchange> {
 public:
  /// Memory of the library. @param count  elements of a block, the same on all ranks
  AllToAll(Communicator& communicator, std::size_t count, const CollectiveOptions& options = {}, const Pull& pull = {})
      : CollectiveHandle(make(communicator, count, {}, {}, options, pull)), elements_(communicator.size() * count) {}
  /// Memory of the user, which outlives this. @param in, out  shape (ranks, count); not the same
  AllToAll(Communicator& communicator, std::span<const T> in, std::span<T> out, const CollectiveOptions& options = {},
           const Pull& pull = {})
      : CollectiveHandle(make(communicator, in.size() / communicator.size(), in, out, options, pull)),
        elements_(in.size()) {
    TACIT_EXPECT(in.size() == out.size() && in.size() % communicator.size() == 0);
  }

  /// Where what we bring to the next call is written. @pre the library's memory
  [[nodiscard]] std::span<T> input() { return {reinterpret_cast<T*>(core_->input()), elements_}; }
  /// In which pieces it reads: as asked for, or as measured.
  [[nodiscard]] const Pull& pull() const noexcept { return core_->pull(); }
  /// What we got in the last call: maybe other memory for every call.
  [[nodiscard]] std::span<T> output() noexcept { return {reinterpret_cast<T*>(core_->output().data()), elements_}; }

 private:
  static std::unique_ptr<detail::Exchange> make(Communicator& communicator, std::size_t count, std::span<const T> in,
                                                std::span<T> out, const CollectiveOptions& options, const Pull& pull) {
    const std::size_t block = detail::length_of(count, sizeof(T));
    static_cast<void>(detail::length_of(communicator.size(), block));
    return detail::exchange_of<T>(communicator, detail::routes_all_to_all(communicator.size(), block), count, options,
                                  in, out, pull);
  }
  std::size_t elements_;
};

/// The same with blocks of any sizes, which stay from call to call.
///
///     comm::AllToAllV<Particle> migrate(world, counts);        // counts[j]: elements for rank j
///     pack(migrate.input());                                   // blocks by rank, one behind the other
///     migrate.run();
///     for (const Particle& p : migrate.output()) ...           // from rank 0, from rank 1, ...
///
/// Making it waits for the other ranks: all learn what each sends to each.
template <Element T>
class AllToAllV : public CollectiveHandle<detail::Exchange> {
 public:
  /// Memory of the library. @param counts  elements for each rank
  /// @throws DeadlineError if a rank does not make it
  AllToAllV(Communicator& communicator, std::span<const std::size_t> counts, const CollectiveOptions& options = {},
            const Pull& pull = {})
      : AllToAllV(communicator, detail::gather_counts(communicator, counts), {}, {}, options, pull) {}
  /// Memory of the user, which outlives this.
  /// @param in   blocks by rank, one behind the other
  /// @param out  what the others have for us, in the same order; exactly as long
  AllToAllV(Communicator& communicator, std::span<const std::size_t> counts, std::span<const T> in, std::span<T> out,
            const CollectiveOptions& options = {}, const Pull& pull = {})
      : AllToAllV(communicator, detail::gather_counts(communicator, counts), in, out, options, pull) {
    TACIT_EXPECT(in.size() == sent_ && out.size() == received());
  }

  [[nodiscard]] std::span<T> input() { return {reinterpret_cast<T*>(core_->input()), sent_}; }
  [[nodiscard]] std::span<T> output() noexcept { return {reinterpret_cast<T*>(core_->output().data()), received()}; }
  /// In which pieces it reads: as asked for, or as measured.
  [[nodiscard]] const Pull& pull() const noexcept { return core_->pull(); }
  /// Elements that each rank sends to us.
  [[nodiscard]] std::span<const std::size_t> counts_received() const noexcept { return counts_received_; }

 private:
  using Counts = std::vector<std::vector<std::size_t>>;
  AllToAllV(Communicator& communicator, Counts counts, std::span<const T> in, std::span<T> out,
            const CollectiveOptions& options, const Pull& pull);
  [[nodiscard]] std::size_t received() const noexcept {
    return std::accumulate(counts_received_.begin(), counts_received_.end(), std::size_t{0});
  }
  std::size_t sent_ = 0;
  std::vector<std::size_t> counts_received_;
};

template <Element T>
AllToAllV<T>::AllToAllV(Communicator& communicator, Counts counts, std::span<const T> in, std::span<T> out,
                        const CollectiveOptions& options, const Pull& pull)
    : CollectiveHandle(detail::exchange_of<T>(
          communicator, detail::routes_all_to_all("all-to-all-v", detail::in_bytes(counts, sizeof(T))), 0, options, in,
          out, pull)) {
  const std::vector<std::size_t>& own = counts[number(communicator.rank())];
  sent_ = std::accumulate(own.begin(), own.end(), std::size_t{0});
  for (const std::vector<std::size_t>& row : counts) counts_received_.push_back(row[number(communicator.rank())]);
}

}  // namespace tacit::comm
