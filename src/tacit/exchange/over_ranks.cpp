// Blocking collectives over arrays.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/exchange/over_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <numeric>

#include "tacit/base/error.hpp"
#include "tacit/comm/collectives/all_to_all.hpp"
#include "tacit/comm/collectives/gather.hpp"
#include "tacit/comm/collectives/reduce.hpp"
#include "tacit/tasks/parallel_for.hpp"

namespace tacit::exchange {
namespace {

template <class T, class F>
void combine(comm::Communicator& ranks, std::span<T> values, F function) {
  if (ranks.size() == 1 || values.empty()) return;
  comm::AllReduce<T>(ranks, values, function).run();
}

/// Whole numbers in the order of the doubles; -0 and 0 are two.
std::uint64_t key_of(double value) {
  constexpr std::uint64_t sign = std::uint64_t{1} << 63U;
  const auto bits = std::bit_cast<std::uint64_t>(value);
  return (bits & sign) != 0 ? ~bits : bits | sign;
}
double value_of(std::uint64_t key) {
  constexpr std::uint64_t sign = std::uint64_t{1} << 63U;
  return std::bit_cast<double>((key & sign) != 0 ? key & ~sign : ~key);
}

constexpr unsigned digit_bits = 11;

/// The bits of a key from `shift` on that one pass looks at.
std::size_t digit_of(std::uint64_t key, unsigned shift) {
  return key >> shift & ((std::uint64_t{1} << digit_bits) - 1);
}

}  // namespace

void add_over(comm::Communicator& ranks, std::span<std::uint64_t> values) { combine(ranks, values, std::plus{}); }
void take_largest(comm::Communicator& ranks, std::span<double> values) { combine(ranks, values, comm::Maximum{}); }
void take_largest(comm::Communicator& ranks, std::span<std::uint64_t> values) {
  combine(ranks, values, comm::Maximum{});
}

namespace {

/// How many numbers lie where beside two bounds.
struct Census {
  std::uint64_t below = 0;   ///< the lower bound
  std::uint64_t at_low = 0;  ///< equal to it
  std::uint64_t between = 0;
  std::uint64_t at_high = 0;  ///< equal to the upper bound, where that is another
};

/// Counts the numbers beside two bounds, and copies those between them to `to`, which has room for all.
Census count(std::span<const double> values, double low, double high, std::span<double> to) {
  Census found;
  for (const double value : values) {
    found.below += value < low ? 1 : 0;
    found.at_low += value == low ? 1 : 0;
    found.at_high += value == high && low < high ? 1 : 0;
    if (low < value && value < high) to[found.between++] = value;
  }
  return found;
}

double kth_of_one(std::span<const double> values, std::uint64_t k, std::span<double> room) {
  std::ranges::copy(values, room.begin());
  const auto place = room.begin() + static_cast<std::ptrdiff_t>(k);
  std::nth_element(room.begin(), place, room.end());
  return *place;
}

/// By a sample of them two numbers are found that it probably lies between: then most are only counted.
double kth_of_many(std::span<const double> values, std::uint64_t k, std::span<double> room, tasks::Scheduler& workers) {
  constexpr std::size_t samples = 4096;
  constexpr std::size_t margin = 128;  // four times the standard deviation of the place among random samples
  std::vector<double> sample(samples);
  for (std::size_t s = 0; s < samples; ++s) sample[s] = values[s * values.size() / samples];
  std::ranges::sort(sample);
  const std::size_t place = k * samples / values.size();
  const double low = sample[place - std::min(place, margin)];
  const double high = sample[std::min(place + margin, samples - 1)];

  std::vector<Census> parts(4 * workers.workers());
  const auto begin_of = [&](std::size_t part) { return part * values.size() / parts.size(); };
  tasks::parallel_for(workers, 0, parts.size(),
                      [&](std::size_t p) {
                        const std::size_t size = begin_of(p + 1) - begin_of(p);
                        parts[p] = count(values.subspan(begin_of(p), size), low, high, room.subspan(begin_of(p), size));
                      },
                      {.chunk = 1});
  Census all;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    std::ranges::copy(room.subspan(begin_of(p), parts[p].between),
                      room.begin() + static_cast<std::ptrdiff_t>(all.between));
    all.below += parts[p].below;
    all.at_low += parts[p].at_low;
    all.between += parts[p].between;
    all.at_high += parts[p].at_high;
  }
  const std::uint64_t first_between = all.below + all.at_low;
  if (k < all.below || k >= first_between + all.between + all.at_high) return kth_of_one(values, k, room);
  if (k < first_between) return low;
  if (k >= first_between + all.between) return high;
  const auto found = room.begin() + static_cast<std::ptrdiff_t>(k - first_between);
  std::nth_element(room.begin(), found, room.begin() + static_cast<std::ptrdiff_t>(all.between));
  return *found;
}

}  // namespace

double kth_smallest(comm::Communicator& ranks, std::span<const double> values, std::uint64_t k, std::span<double> room,
                    tasks::Scheduler* workers) {
  TACIT_EXPECT(room.size() == values.size());
  if (ranks.size() == 1) {
    TACIT_EXPECT(k < values.size());
    constexpr std::size_t many = std::size_t{1} << 16U;
    if (workers == nullptr || values.size() < many) return kth_of_one(values, k, room);
    return kth_of_many(values, k, room, *workers);
  }
  std::ranges::copy(values, room.begin());
  // Digit by digit, the highest first; numbers with other digits are dropped.
  std::uint64_t found = 0;
  std::array<std::uint64_t, std::size_t{1} << digit_bits> counts{};
  for (unsigned shift = 66 - digit_bits;; shift -= digit_bits) {
    counts.fill(0);
    for (const double value : room) ++counts[digit_of(key_of(value), shift)];
    add_over(ranks, counts);
    std::size_t digit = 0;
    while (k >= counts[digit]) {
      k -= counts[digit++];
      TACIT_EXPECT(digit < counts.size());
    }
    found |= std::uint64_t{digit} << shift;
    if (shift == 0) return value_of(found);
    const auto rest =
        std::partition(room.begin(), room.end(), [=](double value) { return digit_of(key_of(value), shift) == digit; });
    room = room.first(static_cast<std::size_t>(rest - room.begin()));
  }
}

std::vector<std::uint64_t> gather_all(comm::Communicator& ranks, std::uint64_t mine) {
  std::vector<std::uint64_t> all(ranks.size(), mine);
  if (ranks.size() == 1) return all;
  const std::array<std::uint64_t, 1> in{mine};
  comm::AllGather<std::uint64_t>(ranks, in, all).run();
  return all;
}

std::vector<std::uint64_t> counts_from_all(comm::Communicator& ranks, std::span<const std::uint64_t> mine) {
  TACIT_EXPECT(mine.size() == ranks.size());
  std::vector<std::uint64_t> all(mine.begin(), mine.end());
  if (ranks.size() == 1) return all;
  comm::AllToAll<std::uint64_t>(ranks, mine, all).run();
  return all;
}

Blocks send_blocks(comm::Communicator& ranks, std::span<const std::vector<std::byte>> blocks) {
  TACIT_EXPECT(blocks.size() == ranks.size());
  Blocks come;
  if (ranks.size() == 1) {
    come.bytes = blocks[0];
    come.begins = {0, come.bytes.size()};
    return come;
  }
  std::vector<std::size_t> counts;
  for (const auto& block : blocks) counts.push_back(block.size());
  comm::AllToAllV<std::byte> exchange(ranks, counts);
  auto to = exchange.input().begin();
  for (const auto& block : blocks) to = std::ranges::copy(block, to).out;
  exchange.run();
  come.bytes.assign(exchange.output().begin(), exchange.output().end());
  come.begins.assign(1, 0);
  for (const std::size_t count : exchange.counts_received()) come.begins.push_back(come.begins.back() + count);
  return come;
}

FieldRounds::FieldRounds(comm::Communicator& ranks, std::uint64_t leaving, std::vector<std::uint64_t> coming)
    : ranks_(ranks), coming_(std::move(coming)), blocks_(ranks.size()) {
  TACIT_EXPECT(coming_.size() == ranks.size());
  std::array<std::uint64_t, 1> most{
      std::max(leaving, std::accumulate(coming_.begin(), coming_.end(), std::uint64_t{0}))};
  take_largest(ranks, std::span<std::uint64_t>(most));
  most_ = most[0];
}

void FieldRounds::run() {
  const Blocks come = send_blocks(ranks_, blocks_);
  for (std::size_t rank = 0; rank < blocks_.size(); ++rank) {
    blocks_[rank].clear();
    std::span<const std::byte> block = come.from(rank);
    if (block.size() != bytes_of_element_ * coming_[rank]) {
      throw base::Error(fmt::format("rank {} has sent {} bytes of {} elements, expected {}", rank, block.size(),
                                    coming_[rank], bytes_of_element_ * coming_[rank]));
    }
    for (const Field& field : fields_) {
      field.take(rank, block.first(field.bytes * coming_[rank]));
      block = block.subspan(field.bytes * coming_[rank]);
    }
  }
  fields_.clear();
  bytes_of_element_ = 0;
}

}  // namespace tacit::exchange
