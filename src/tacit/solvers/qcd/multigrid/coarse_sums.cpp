// Adds terms as integers, and integers over ranks.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/multigrid/coarse_sums.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "tacit/base/error.hpp"

namespace tacit::qcd::multigrid {
namespace {

constexpr double coarse_units = 0x1p18;
constexpr double fine_units = 0x1p60;
constexpr double largest_term = 0x1p30;
constexpr double largest_sum = 0x1p44;
constexpr std::size_t fewest = 8;  // sums of the shortest message

}  // namespace

CoarseSums::CoarseSums(comm::Communicator* ranks, std::size_t largest, AddOver add) {
  TACIT_EXPECT(largest <= most);
  if (ranks == nullptr) return;
  add_ = std::move(add);
  if (add_) return;
  for (std::size_t sums = fewest; sums < 2 * largest; sums *= 2) {
    const std::size_t held = std::min(sums, largest);
    over_ranks_.push_back(
        {held, std::make_unique<exchange::Reduction>(*ranks, exchange::ReductionShape{.counts = 2 * held + 1})});
  }
}

void CoarseSums::begin(std::size_t count) noexcept {
  TACIT_EXPECT(count <= most);
  count_ = count;
  std::fill_n(words_.begin(), 2 * count + 1, 0U);
}

/// The rest of a division by a power of two is exact.
void CoarseSums::Terms::add(std::size_t sum, double term) noexcept {
  if (!(std::abs(term) < largest_term)) {
    ++refused_;
    return;
  }
  const double whole = std::nearbyint(term * coarse_units);
  const double rest = term - whole / coarse_units;
  words_[2 * sum] += static_cast<std::int64_t>(whole);
  words_[2 * sum + 1] += static_cast<std::int64_t>(std::nearbyint(rest * fine_units));
}

void CoarseSums::merge(const Terms& terms) noexcept {
  const auto add = [](std::uint64_t& word, std::uint64_t value) {
    std::atomic_ref(word).fetch_add(value, std::memory_order_relaxed);
  };
  for (std::size_t i = 0; i < 2 * count_; ++i) add(words_[i], static_cast<std::uint64_t>(terms.words_[i]));
  add(words_[2 * count_], terms.refused_);
}

void CoarseSums::run() {
  ++runs_;
  if (!add_ && over_ranks_.empty()) return;
  const auto begin = std::chrono::steady_clock::now();
  const std::span<std::uint64_t> mine = std::span(words_).first(2 * count_ + 1);
  if (add_) {
    add_(mine);
  } else {
    const auto found = std::ranges::find_if(over_ranks_, [this](const OverRanks& by) { return by.sums >= count_; });
    const std::span<std::uint64_t> all = found->reduction->counts();
    std::ranges::fill(all, 0U);
    std::ranges::copy(mine, all.begin());
    found->reduction->run();
    std::ranges::copy(all.first(mine.size()), mine.begin());
  }
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double CoarseSums::value(std::size_t sum) const noexcept {
  if (words_[2 * count_] != 0) return std::numeric_limits<double>::quiet_NaN();
  const auto whole = static_cast<double>(static_cast<std::int64_t>(words_[2 * sum]));
  const auto fine = static_cast<double>(static_cast<std::int64_t>(words_[2 * sum + 1]));
  const double value = whole / coarse_units + fine / fine_units;
  return std::abs(value) < largest_sum ? value : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace tacit::qcd::multigrid
