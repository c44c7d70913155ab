// Windows through which ranks send their parts of an array to rank 0.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/io/detail/part_gather.hpp"

#include <algorithm>
#include <optional>

#include "tacit/base/error.hpp"
#include "tacit/comm/collectives/gather.hpp"
#include "tacit/comm/window.hpp"

namespace tacit::io::detail {
namespace {

constexpr comm::RankId first_rank{0};

/// Bytes of a row of a part.
std::uint64_t row_bytes(const Part& part, std::size_t element_bytes) {
  return std::accumulate(part.count.begin() + 1, part.count.end(), std::uint64_t{element_bytes}, std::multiplies{});
}

/// Rows of a part among `rows` from `first` on: [begin, end), in rows of the whole.
struct Overlap {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};
Overlap overlap(const Part& part, std::uint64_t first, std::uint64_t rows) {
  const std::uint64_t begin = std::max(first, part.first[0]);
  const std::uint64_t end = std::min(first + rows, part.first[0] + part.count[0]);
  return part.is_empty() || end <= begin ? Overlap{} : Overlap{begin, end};
}

/// Calls `use(part, rows, first of them)` for what a rank has of `rows` rows from `first` on.
template <class Use>
void for_rows_of(const PartsOfRank& of_rank, std::size_t element_bytes, std::uint64_t first, std::uint64_t rows,
                 const Use& use) {
  std::span<const std::byte> values = of_rank.values;
  for (const Part& part : of_rank.parts) {
    const auto [begin, end] = overlap(part, first, rows);
    const std::uint64_t row = row_bytes(part, element_bytes);
    if (begin < end) use(part, values.subspan((begin - part.first[0]) * row, (end - begin) * row), begin);
    values = values.subspan(part.size() * element_bytes);
  }
}

}  // namespace

std::vector<std::vector<Part>> parts_of_all(comm::Communicator& ranks, std::span<const Part> mine, std::size_t axes) {
  const std::uint64_t own_count = mine.size();
  std::vector<std::uint64_t> counts(ranks.size());
  comm::AllGather<std::uint64_t>(ranks, std::span(&own_count, 1), counts).run();
  const std::uint64_t most = std::max<std::uint64_t>(*std::ranges::max_element(counts), 1);
  std::vector<std::uint64_t> numbers;
  for (const Part& part : mine) {
    numbers.insert(numbers.end(), part.first.begin(), part.first.end());
    numbers.insert(numbers.end(), part.count.begin(), part.count.end());
  }
  numbers.resize(most * 2 * axes);
  std::vector<std::uint64_t> all(ranks.size() * numbers.size());
  comm::AllGather<std::uint64_t>(ranks, numbers, all).run();
  std::vector<std::vector<Part>> parts(ranks.size());
  for (std::size_t rank = 0; rank < parts.size(); ++rank) {
    auto at = all.begin() + static_cast<std::ptrdiff_t>(rank * numbers.size());
    const auto step = static_cast<std::ptrdiff_t>(axes);
    for (std::uint64_t i = 0; i < counts[rank]; ++i, at += 2 * step) {
      parts[rank].push_back({.first = {at, at + step}, .count = {at + step, at + 2 * step}});
    }
  }
  return parts;
}

std::uint64_t elements_of(std::span<const Part> parts) {
  return std::accumulate(parts.begin(), parts.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const Part& part) { return sum + part.size(); });
}

void place_rows(std::span<const std::uint64_t> shape, std::size_t element_bytes, const Part& part,
                std::span<const std::byte> rows, std::uint64_t first, std::uint64_t piece_first,
                std::span<std::byte> piece) {
  // From this axis on, what the part has lies together in the whole, too.
  std::size_t joined = shape.size() - 1;
  while (joined > 0 && part.count[joined] == shape[joined]) --joined;
  std::vector<std::uint64_t> strides(shape.size(), element_bytes);
  for (std::size_t axis = shape.size() - 1; axis > 0; --axis) strides[axis - 1] = strides[axis] * shape[axis];
  std::vector<std::uint64_t> count(part.count);
  count[0] = rows.size() / row_bytes(part, element_bytes);
  std::vector<std::uint64_t> index(joined, 0);
  const std::uint64_t run = count[joined] * strides[joined];
  for (const std::byte* from = rows.data(); from != rows.data() + rows.size(); from += run) {
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

void place_parts(std::span<const std::uint64_t> shape, std::size_t element_bytes, const PartsOfRank& of_rank,
                 std::uint64_t first, std::span<std::byte> rows) {
  const std::uint64_t row =
      std::accumulate(shape.begin() + 1, shape.end(), std::uint64_t{element_bytes}, std::multiplies{});
  for_rows_of(of_rank, element_bytes, first, rows.size() / row,
              [&](const Part& part, std::span<const std::byte> of_part, std::uint64_t begin) {
                place_rows(shape, element_bytes, part, of_part, begin, first, rows);
              });
}

void for_pieces_of(std::span<const Part> parts, std::size_t element_bytes, std::uint64_t rows,
                   const std::function<void(std::uint64_t piece, std::uint64_t bytes)>& use) {
  for (const Part& part : parts) {
    if (part.is_empty()) continue;
    for (std::uint64_t piece = part.first[0] / rows; piece * rows < part.first[0] + part.count[0]; ++piece) {
      const auto [begin, end] = overlap(part, piece * rows, rows);
      use(piece, (end - begin) * row_bytes(part, element_bytes));
    }
  }
}

std::vector<std::byte> message_of(const PartsOfRank& of_rank, std::size_t element_bytes, std::uint64_t first,
                                  std::uint64_t rows) {
  std::vector<std::byte> message;
  for_rows_of(of_rank, element_bytes, first, rows, [&](const Part&, std::span<const std::byte> some, std::uint64_t) {
    message.insert(message.end(), some.begin(), some.end());
  });
  return message;
}

void place_message(std::span<const std::uint64_t> shape, std::size_t element_bytes, std::span<const Part> parts,
                   std::span<const std::byte> message, std::uint64_t first, std::span<std::byte> rows) {
  const std::uint64_t row =
      std::accumulate(shape.begin() + 1, shape.end(), std::uint64_t{element_bytes}, std::multiplies{});
  for (const Part& part : parts) {
    const auto [begin, end] = overlap(part, first, rows.size() / row);
    if (begin == end) continue;
    const std::uint64_t bytes = (end - begin) * row_bytes(part, element_bytes);
    place_rows(shape, element_bytes, part, message.first(bytes), begin, first, rows);
    message = message.subspan(bytes);
  }
}

struct RankStream::Windows {
  /// Longer pieces travel in several messages.
  static constexpr std::uint64_t longest = std::uint64_t{1} << 20U;

  Windows(comm::Communicator& ranks, comm::RankId peer, std::uint64_t all)
      : bytes(all), connection(ranks, {.rank = peer}), length(std::min(all, longest)) {}
  std::uint64_t bytes;  // that are still to come
  comm::Connection connection;
  std::uint64_t length;
  std::optional<comm::SendWindow<std::byte>> out;
  std::optional<comm::RecvWindow<std::byte>> in;
};

RankStream::RankStream(comm::Communicator& ranks, comm::RankId peer, std::uint64_t bytes)
    : windows_(bytes == 0 ? nullptr : std::make_unique<Windows>(ranks, peer, bytes)) {}
RankStream::~RankStream() = default;

void RankStream::send(std::span<const std::byte> bytes, std::uint64_t piece) {
  if (bytes.empty()) return;
  Windows& windows = *windows_;
  if (!windows.out) windows.out.emplace(windows.connection, windows.length);
  for (; !bytes.empty(); bytes = bytes.subspan(std::min<std::size_t>(piece, bytes.size()))) {
    std::span<const std::byte> left = bytes.first(std::min<std::size_t>(piece, bytes.size()));
    while (!left.empty()) {
      const std::size_t count = std::min<std::size_t>(left.size(), windows.length);
      std::ranges::copy(left.first(count), windows.out->data().begin());
      windows.out->post(count);
      windows.out->wait();
      left = left.subspan(count);
    }
  }
}

void RankStream::receive(std::span<std::byte> out) {
  Windows& windows = *windows_;
  if (!windows.in) {
    windows.in.emplace(windows.connection, windows.length);
    windows.in->init();
  }
  while (!out.empty()) {
    const std::span<const std::byte> message = windows.in->wait();
    TACIT_EXPECT(message.size() <= out.size());
    std::ranges::copy(message, out.begin());
    out = out.subspan(message.size());
    windows.bytes -= message.size();
    if (windows.bytes > 0) windows.in->init();
  }
}

/// A rank that sends, as the first one sees it.
struct PartGather::Sender {
  Sender(comm::Communicator& ranks, std::uint32_t rank, std::vector<Part> its_parts, std::vector<std::uint64_t> bytes)
      : parts(std::move(its_parts)),
        by_piece(std::move(bytes)),
        connection(ranks, {.rank = comm::RankId{rank}}),
        window(connection, *std::ranges::max_element(by_piece)) {}
  /// Grants the next message, if there is one behind `piece`.
  void grant_next(std::uint64_t piece) {
    const auto rest = std::span(by_piece).subspan(piece);
    if (std::ranges::any_of(rest, [](std::uint64_t bytes) { return bytes > 0; })) window.init();
  }
  std::vector<Part> parts;
  std::vector<std::uint64_t> by_piece;
  comm::Connection connection;
  comm::RecvWindow<std::byte> window;
};

PartGather::PartGather(comm::Communicator& ranks, std::span<const std::uint64_t> shape, std::size_t element_bytes,
                       std::uint64_t rows, const PartsOfRank& mine)
    : ranks_(ranks), shape_(shape.begin(), shape.end()), element_bytes_(element_bytes), rows_(rows), mine_(mine) {
  [[maybe_unused]] std::uint64_t elements = 0;
  for (const Part& part : mine.parts) {
    TACIT_EXPECT(part.first.size() == shape.size() && part.count.size() == shape.size());
    elements += part.size();
  }
  TACIT_EXPECT(mine.values.size() == elements * element_bytes);
  std::vector<std::vector<Part>> parts = parts_of_all(ranks, mine.parts, shape.size());
  if (ranks.rank() != first_rank) return;
  for (std::uint32_t rank = 1; rank < ranks.size(); ++rank) {
    if (std::ranges::all_of(parts[rank], &Part::is_empty)) continue;
    std::vector<std::uint64_t> bytes = bytes_by_piece(parts[rank]);
    senders_.push_back(std::make_unique<Sender>(ranks, rank, std::move(parts[rank]), std::move(bytes)));
  }
  for (auto& sender : senders_) sender->window.init();
}

PartGather::~PartGather() = default;

/// Of the message for each piece; 0: there is none.
std::vector<std::uint64_t> PartGather::bytes_by_piece(std::span<const Part> parts) const {
  std::vector<std::uint64_t> bytes((shape_[0] + rows_ - 1) / rows_, 0);
  for_pieces_of(parts, element_bytes_, rows_, [&](std::uint64_t piece, std::uint64_t some) { bytes[piece] += some; });
  return bytes;
}

void PartGather::collect(std::uint64_t first, std::span<std::byte> piece) {
  place_parts(shape_, element_bytes_, mine_, first, piece);
  const std::uint64_t number = first / rows_;
  for (auto& sender : senders_) {
    if (sender->by_piece[number] == 0) continue;
    place_message(shape_, element_bytes_, sender->parts, sender->window.wait(), first, piece);
    sender->grant_next(number + 1);
  }
}

void PartGather::hand_over() {
  const std::vector<std::uint64_t> by_piece = bytes_by_piece(mine_.parts);
  if (std::ranges::all_of(by_piece, [](std::uint64_t bytes) { return bytes == 0; })) return;
  comm::Connection connection(ranks_, {.rank = first_rank});
  comm::SendWindow<std::byte> window(connection, *std::ranges::max_element(by_piece));
  for (std::uint64_t piece = 0; piece < by_piece.size(); ++piece) {
    if (by_piece[piece] == 0) continue;
    auto to = window.data().begin();
    for_rows_of(
        mine_, element_bytes_, piece * rows_, rows_,
        [&](const Part&, std::span<const std::byte> rows, std::uint64_t) { to = std::ranges::copy(rows, to).out; });
    window.post(by_piece[piece]);
    window.wait();
  }
}

}  // namespace tacit::io::detail
