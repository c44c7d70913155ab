// Applies the coarse operator on all workers and ranks.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/multigrid/coarse_operator.hpp"

#include <algorithm>

#include "tacit/base/error.hpp"
#include "tacit/exchange/over_ranks.hpp"
#include "tacit/tasks/parallel_for.hpp"

namespace tacit::qcd::multigrid {

CoarseOperator::CoarseOperator(const Aggregates& aggregates, std::size_t width, const BlockLoops& loops,
                               comm::Communicator* ranks, tasks::Scheduler& scheduler)
    : aggregates_(aggregates),
      width_(width),
      loops_(loops),
      scheduler_(scheduler),
      matrices_(aggregates.count() * 9 * 2 * width * width),
      sums_(aggregates.count() * 2 * width),
      rows_(sums_.size()) {
  if (ranks == nullptr) return;
  const std::vector<std::uint64_t> counts = exchange::gather_all(*ranks, aggregates.count());
  const std::size_t most = *std::ranges::max_element(counts);
  // Numbers of aggregates travel once; those that are filled up name none.
  constexpr auto none = ~std::uint32_t{0};
  std::vector<std::uint32_t> mine(most, none);
  std::ranges::copy(aggregates.numbers(), mine.begin());
  numbers_.resize(most * ranks->size());
  comm::AllGather<std::uint32_t>(*ranks, mine, numbers_).run();
  sent_.resize(most * 2 * width);
  received_.resize(sent_.size() * ranks->size());
  all_gather_.emplace(*ranks, std::span<const float>(sent_), std::span<float>(received_));
}

void CoarseOperator::gather(std::span<const float> own, CoarseVector& whole) {
  const std::size_t numbers = 2 * width_;
  whole.resize(size() * 2);
  const auto place = [&](std::span<const float> from, std::span<const std::uint32_t> aggregates) {
    for (std::size_t k = 0; k < aggregates.size(); ++k) {
      if (aggregates[k] >= aggregates_.coarse().sites()) continue;
      std::ranges::copy(from.subspan(k * numbers, numbers),
                        whole.begin() + static_cast<std::ptrdiff_t>(aggregates[k] * numbers));
    }
  };
  if (!all_gather_) return place(own, aggregates_.numbers());
  std::ranges::copy(own, sent_.begin());
  all_gather_->run();
  place(received_, numbers_);
}

void CoarseOperator::take_own(const CoarseVector& whole, std::span<float> own) const {
  const std::size_t numbers = 2 * width_;
  for (std::size_t k = 0; k < aggregates_.count(); ++k) {
    const auto from = std::span(whole).subspan(aggregates_.numbers()[k] * numbers, numbers);
    std::ranges::copy(from, own.begin() + static_cast<std::ptrdiff_t>(k * numbers));
  }
}

void CoarseOperator::apply(const CoarseVector& in, CoarseVector& out) {
  const std::size_t numbers = 2 * width_;
  tasks::parallel_for(scheduler_, 0, aggregates_.count(), [&](std::size_t k) {
    const std::span<float> sum = std::span(sums_).subspan(k * numbers, numbers);
    std::ranges::fill(sum, 0.0F);
    for (std::size_t direction = 0; direction <= itself; ++direction) {
      const std::size_t from =
          direction == itself ? aggregates_.numbers()[k] : aggregates_.neighbours()[8 * k + direction];
      loops_.multiply(matrix(k, direction).data(), in.data() + from * numbers, sum.data(), width_);
    }
    for (std::size_t row = 0; row < width_; ++row) {
      rows_[k * numbers + 2 * row] = sum[row];
      rows_[k * numbers + 2 * row + 1] = sum[width_ + row];
    }
  });
  gather(rows_, out);
}

}  // namespace tacit::qcd::multigrid
