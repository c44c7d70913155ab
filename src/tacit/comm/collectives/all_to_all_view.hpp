// An all-to-all whose receivers read what they get where the senders of their node have written it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "tacit/comm/collectives/detail/make.hpp"
#include "tacit/comm/collectives/handle.hpp"

namespace tacit::comm {

/// Elements that one rank has for another; the same on all ranks.
using BlockCounts = std::function<std::size_t(RankId from, RankId to)>;

/// The transpose of a matrix of blocks without a copy on a node.
///
///     comm::AllToAllView<Complex> transpose(column, counts);
///     Complex* blocks = transpose.input();                       // other memory for every call
///     for (RankId to : all) pack(blocks + transpose.begin_of(to));
///     transpose.run();
///     for (RankId from : all) use(transpose.block_from(from));   // valid until the next start
///
/// On a node a call costs a flag; what comes from other nodes is copied once into memory that its ranks share. Making
/// it does not wait for the others: what each sends to each, all ranks know.
template <Element T>
class AllToAllView : public CollectiveHandle<detail::Exchange> {
 public:
  AllToAllView(Communicator& communicator, const BlockCounts& counts, const CollectiveOptions& options = {})
      : CollectiveHandle(detail::exchange_of<T>(communicator,
                                                detail::routes_all_to_all_view(counts, communicator.size(), sizeof(T)),
                                                0, options, std::span<const T>(), std::span<T>())),
        pieces_(core_->pieces_by_source()) {
    const RankId own = communicator.rank();
    std::size_t begin = 0;
    for (std::uint32_t i = 0; i < communicator.size(); ++i) {
      const RankId other{i};
      begins_.push_back(begin);
      begin += counts(own, other);
      from_.push_back(counts(other, own));
    }
  }

  /// Where what we bring to the next call is written, block by block; once per call, by one thread. It may wait for
  /// ranks that read the call before the last.
  [[nodiscard]] T* input() { return reinterpret_cast<T*>(core_->input()); }
  /// Elements before the block for a rank in what we bring.
  [[nodiscard]] std::size_t begin_of(RankId to) const noexcept { return begins_[number(to)]; }
  /// What a rank has brought for us. @pre a call is over, and no other has been started; any thread
  [[nodiscard]] std::span<const T> block_from(RankId from) const noexcept {
    return {reinterpret_cast<const T*>(core_->view(pieces_[number(from)])), from_[number(from)]};
  }

 private:
  std::vector<std::size_t> pieces_;  // by rank
  std::vector<std::size_t> begins_;  // of the blocks that we bring, by rank
  std::vector<std::size_t> from_;    // elements of the blocks that we get
};

}  // namespace tacit::comm
