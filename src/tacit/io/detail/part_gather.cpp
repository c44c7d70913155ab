// Windows through which ranks send their parts of an array to rank 0.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/io/detail/part_gather.hpp"

#include <algorithm>

#include "tacit/base/error.hpp"
#include "tacit/comm/collectives/gather.hpp"
#include "tacit/comm/window.hpp"

namespace tacit::io::detail {
namespace {

constexpr comm::RankId first_rank{0};

/// What every rank has, by rank.
std::vector<Part> parts_of_all(comm::Communicator& ranks, const Part& mine) {
  std::vector<std::uint64_t> numbers(mine.first);
  numbers.insert(numbers.end(), mine.count.begin(), mine.count.end());
  std::vector<std::uint64_t> all(ranks.size() * numbers.size());
  comm::Gather<std::uint64_t>(ranks, first_rank, numbers, all).run();
  std::vector<Part> parts;
  const auto axes = static_cast<std::ptrdiff_t>(mine.first.size());
  for (auto at = all.begin(); at != all.end(); at += 2 * axes) {
    parts.push_back({.first = {at, at + axes}, .count = {at + axes, at + 2 * axes}});
  }
  return parts;
}

/// Elements of a row of the part.
std::uint64_t row_of(const Part& part) {
  return std::accumulate(part.count.begin() + 1, part.count.end(), std::uint64_t{1}, std::multiplies{});
}

}  // namespace

void place_rows(std::span<const std::uint64_t> shape, const Part& part, std::span<const double> rows,
                std::uint64_t first, std::uint64_t piece_first, std::span<double> piece) {
  // From this axis on, what the part has lies together in the whole, too.
  std::size_t joined = shape.size() - 1;
  while (joined > 0 && part.count[joined] == shape[joined]) --joined;
  std::vector<std::uint64_t> strides(shape.size(), 1);
  for (std::size_t axis = shape.size() - 1; axis > 0; --axis) strides[axis - 1] = strides[axis] * shape[axis];
  std::vector<std::uint64_t> count(part.count);
  count[0] = rows.size() / row_of(part);
  std::vector<std::uint64_t> index(joined, 0);
  const std::uint64_t run = count[joined] * strides[joined];
  for (const double* from = rows.data(); from != rows.data() + rows.size(); from += run) {
    std::uint64_t to = part.first[joined] * strides[joined];
    if (joined == 0) to = (first - piece_first) * strides[0];
    for (std::size_t axis = 0; axis < joined; ++axis) {
      const std::uint64_t begin = axis == 0 ? first - piece_first : part.first[axis];
      to += (begin + index[axis]) * strides[axis];
    }
    std::copy_n(from, run, piece.data() + to);
    for (std::size_t axis = joined; axis-- > 0 && ++index[axis] == count[axis];) index[axis] = 0;
  }
}

/// A rank that sends, as the first one sees it.
struct PartGather::Sender {
  Sender(comm::Communicator& ranks, std::uint32_t rank, Part its_part, std::uint64_t longest)
      : part(std::move(its_part)), connection(ranks, {.rank = comm::RankId{rank}}), window(connection, longest) {}
  Part part;
  comm::Connection connection;
  comm::RecvWindow<double> window;
};

PartGather::PartGather(comm::Communicator& ranks, std::span<const std::uint64_t> shape, std::uint64_t rows,
                       const Part& mine, std::span<const double> values)
    : ranks_(ranks), shape_(shape.begin(), shape.end()), rows_(rows), mine_(mine), values_(values) {
  TACIT_EXPECT(mine.first.size() == shape.size() && mine.count.size() == shape.size() && values.size() == mine.size());
  const std::vector<Part> parts = parts_of_all(ranks, mine);
  if (ranks.rank() != first_rank) return;
  for (std::uint32_t rank = 1; rank < ranks.size(); ++rank) {
    if (parts[rank].is_empty()) continue;
    senders_.push_back(std::make_unique<Sender>(ranks, rank, parts[rank], longest(parts[rank])));
  }
  for (auto& sender : senders_) sender->window.init();
}

PartGather::~PartGather() = default;

std::uint64_t PartGather::longest(const Part& part) const noexcept {
  return std::min(rows_, part.count[0]) * row_of(part);
}

PartGather::Overlap PartGather::overlap(const Part& part, std::uint64_t first) const noexcept {
  const std::uint64_t begin = std::max(first, part.first[0]);
  const std::uint64_t end = std::min(first + rows_, part.first[0] + part.count[0]);
  return part.is_empty() || end < begin ? Overlap{} : Overlap{begin, end};
}

void PartGather::collect(std::uint64_t first, std::span<double> piece) {
  const auto place = [&](const Part& part, std::span<const double> rows, std::uint64_t begin) {
    place_rows(shape_, part, rows, begin, first, piece);
  };
  if (const auto [begin, end] = overlap(mine_, first); begin < end) {
    const std::uint64_t row = row_of(mine_);
    place(mine_, values_.subspan((begin - mine_.first[0]) * row, (end - begin) * row), begin);
  }
  for (auto& sender : senders_) {
    const auto [begin, end] = overlap(sender->part, first);
    if (begin == end) continue;
    place(sender->part, sender->window.wait(), begin);
    if (end < sender->part.first[0] + sender->part.count[0]) sender->window.init();
  }
}

void PartGather::hand_over() {
  if (mine_.is_empty()) return;
  comm::Connection connection(ranks_, {.rank = first_rank});
  comm::SendWindow<double> window(connection, longest(mine_));
  const std::uint64_t row = row_of(mine_);
  // Pieces begin at multiples of their rows; the first that this rank has anything of is the one with its first row.
  for (std::uint64_t first = mine_.first[0] / rows_ * rows_; first < mine_.first[0] + mine_.count[0]; first += rows_) {
    const auto [begin, end] = overlap(mine_, first);
    const auto values = values_.subspan((begin - mine_.first[0]) * row, (end - begin) * row);
    std::ranges::copy(values, window.data().begin());
    window.post(values.size());
    window.wait();
  }
}

}  // namespace tacit::io::detail
