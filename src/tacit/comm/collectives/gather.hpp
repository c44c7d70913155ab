// All-gather, gather and scatter, copied or in place.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "tacit/comm/collectives/detail/make.hpp"
#include "tacit/comm/collectives/handle.hpp"

namespace tacit::comm {

/// Gives every rank what all ranks have.
///
///     comm::AllGather<double> weights(world, mine, all);      // all.size() == ranks * mine.size()
///     weights.run();                                          // all is now by rank
template <Element T>
class AllGather : public CollectiveHandle<detail::Exchange> {
 public:
  /// @param in   as many elements on every rank
  /// @param out  shape (ranks, in.size()); both outlive this
  AllGather(Communicator& communicator, std::span<const T> in, std::span<T> out, const CollectiveOptions& options = {})
      : CollectiveHandle(detail::exchange_of<T>(
            communicator, detail::routes_all_gather("all-gather", in.size_bytes(), detail::Routes::Reading::copies),
            in.size(), options, in, out)) {
    TACIT_EXPECT(out.size() == communicator.size() * in.size());
  }
};

/// The same without a copy: every rank writes its block where the others read it.
///
///     comm::AllGatherView<double> weights(world, 1000);
///     fill(weights.input());                                  // other memory for every call
///     weights.run();
///     use(weights.block(RankId{3}));                          // valid until the next start
///
/// Data of other nodes is copied once for all ranks of ours.
template <Element T>
class AllGatherView : public CollectiveHandle<detail::Exchange> {
 public:
  /// @param count  elements of a block, the same on all ranks
  AllGatherView(Communicator& communicator, std::size_t count, const CollectiveOptions& options = {})
      : CollectiveHandle(detail::exchange_of<T>(
            communicator,
            detail::routes_all_gather("view", detail::length_of(count, sizeof(T)), detail::Routes::Reading::views),
            count, options, std::span<const T>(), std::span<T>())),
        count_(count),
        pieces_(core_->pieces_by_source()) {}

  /// Where our block of the next call is written. It may wait for ranks that read the call before the last.
  [[nodiscard]] std::span<T> input() { return {reinterpret_cast<T*>(core_->input()), count_}; }
  /// What a rank brought to the last call. @pre a call is over, and no other has been started
  [[nodiscard]] std::span<const T> block(RankId rank) const noexcept {
    return {reinterpret_cast<const T*>(core_->view(pieces_[number(rank)])), count_};
  }

 private:
  std::size_t count_;
  std::vector<std::size_t> pieces_;  // by rank
};

/// Gives the root what all ranks have.
template <Element T>
class Gather : public CollectiveHandle<detail::Exchange> {
 public:
  /// @param in   as many elements on every rank
  /// @param out  shape (ranks, in.size()); unused but on the root
  Gather(Communicator& communicator, RankId root, std::span<const T> in, std::span<T> out,
         const CollectiveOptions& options = {})
      : CollectiveHandle(detail::exchange_of<T>(communicator, detail::routes_gather(root, in.size_bytes()), in.size(),
                                                options, in, out)) {
    TACIT_EXPECT(communicator.rank() != root || out.size() == communicator.size() * in.size());
  }
};

/// Gives every rank its part of what the root has.
template <Element T>
class Scatter : public CollectiveHandle<detail::Exchange> {
 public:
  /// @param in   shape (ranks, out.size()); unused but on the root
  /// @param out  as many elements on every rank
  Scatter(Communicator& communicator, RankId root, std::span<const T> in, std::span<T> out,
          const CollectiveOptions& options = {})
      : CollectiveHandle(
            detail::exchange_of<T>(communicator, detail::routes_scatter(root, communicator.size(), out.size_bytes()),
                                   out.size(), options, communicator.rank() == root ? in : std::span<const T>(), out)) {
    TACIT_EXPECT(communicator.rank() != root || in.size() == communicator.size() * out.size());
  }
};

}  // namespace tacit::comm
