// Places arrays, writes pieces and lists, and completes the file from them.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/io/detail/shared_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

#include "tacit/base/checksum.hpp"
#include "tacit/base/error.hpp"
#include "tacit/comm/collectives/broadcast.hpp"
#include "tacit/comm/collectives/gather.hpp"
#include "tacit/comm/communicator.hpp"
#include "tacit/io/detail/joint_file.hpp"
#include "tacit/io/detail/row_exchange.hpp"
#include "tacit/io/detail/write_queue.hpp"

namespace tacit::io::detail {
namespace {

constexpr std::uint64_t aligned(std::uint64_t offset) noexcept {
  constexpr std::uint64_t page = 4096;
  return (offset + page - 1) / page * page;
}

std::uint64_t hash_of_list(std::span<const Extent> extents, std::uint32_t rank) {
  base::Hash hash;
  hash.add(std::as_bytes(extents));
  hash.add(std::as_bytes(std::span(&rank, 1)));
  return hash.value();
}

/// What the first rank says to all.
template <class T>
void tell(comm::Communicator* ranks, std::span<T> values) {
  if (ranks != nullptr) comm::Broadcast<T>(*ranks, comm::RankId{0}, values).run();
}

}  // namespace

std::uint64_t ListPlaces::place(std::size_t rank) const noexcept {
  std::uint64_t at = begin;
  for (std::size_t before = 0; before < rank; ++before) at += pieces[before] * sizeof(Extent) + sizeof(std::uint64_t);
  return at;
}

void ShareOfFile::write(std::uint64_t offset, std::span<const std::byte> bytes, std::uint64_t hash) {
  file_->write(offset, bytes);
  extents_.push_back({offset, bytes.size(), hash});
}

void ShareOfFile::place(std::uint64_t offset, const PackedChunk& piece) {
  placed_.push_back({offset, piece.bytes});
  extents_.push_back({offset, piece.bytes.size(), piece.hash});
}

void ShareOfFile::write_placed() noexcept {
  file_->write(placed_);
  placed_.clear();
}

void ShareOfFile::finish(const ListPlaces& places, std::uint32_t rank) {
  TACIT_EXPECT(places.pieces[rank] == extents_.size());
  file_->sync(places.begin);
  const std::uint64_t at = places.place(rank);
  const std::uint64_t hash = hash_of_list(extents_, rank);
  file_->write(at, std::as_bytes(std::span(extents_)));
  file_->write(at + std::span(extents_).size_bytes(), std::as_bytes(std::span(&hash, 1)));
  file_->leave(places.begin);
}

/// What the first rank keeps until the file is completed.
struct SharedFile::First {
  std::filesystem::path path;
  std::unique_ptr<WholeFile> file;
  std::vector<Action> actions;
  std::uint64_t end = FileBuilder::head_bytes;  // of the arrays so far
  ListPlaces places;
  std::exception_ptr failure;  // why there is no file

  [[nodiscard]] std::vector<Extent> read_lists() const;
  [[nodiscard]] std::unique_ptr<FileBuilder> complete();
};

std::vector<Extent> SharedFile::First::read_lists() const {
  const WholeFile input(path, file->temporary());  // opened again: networks show then what others have closed
  std::vector<Extent> all;
  for (std::size_t rank = 0; rank < places.pieces.size(); ++rank) {
    std::vector<Extent> list(places.pieces[rank]);
    std::uint64_t hash = 0;
    input.read(places.place(rank), std::as_writable_bytes(std::span(list)));
    input.read(places.place(rank) + std::span(list).size_bytes(), std::as_writable_bytes(std::span(&hash, 1)));
    if (hash != hash_of_list(list, static_cast<std::uint32_t>(rank))) {
      throw base::SystemError(path.string(), fmt::format("cannot be written: rank {} failed to write its part", rank));
    }
    all.insert(all.end(), list.begin(), list.end());
  }
  return all;
}

std::unique_ptr<FileBuilder> SharedFile::First::complete() {
  std::vector<Extent> extents;
  if (!file->has_failed()) extents = read_lists();
  file->truncate(end);
  auto builder = std::make_unique<FileBuilder>(path, std::move(file), end, std::move(extents));
  for (const Action& action : actions) action(*builder);
  return builder;
}

SharedFile::SharedFile(const std::filesystem::path& path, comm::Communicator* ranks, WriteQueue* queue,
                       std::shared_ptr<FileTime> time)
    : path_(path), ranks_(ranks), queue_(queue) {
  JointFile joint(path, ranks);
  if (ranks == nullptr || ranks->rank() == comm::RankId{0}) {
    first_ = std::make_shared<First>();
    first_->path = path;
    first_->file = joint.take_whole();
    first_->failure = joint.failure();
  }
  auto share = std::make_unique<ShareOfFile>(joint.take_share());
  if (queue_ == nullptr) {
    share_ = std::move(share);
  } else {
    queued_ = std::make_shared<QueuedFile>();
    queued_->share = std::move(share);
    queued_->time = std::move(time);
  }
}

SharedFile::~SharedFile() = default;

void SharedFile::act(Action action) { first_->actions.push_back(std::move(action)); }

/// Of the array that comes next. @pre on the first rank
std::uint64_t SharedFile::place_of(const ArrayLayout& layout) {
  const std::uint64_t place = aligned(first_->end);
  first_->end = place + layout.size() * bytes_of(layout.type);
  act([layout, place](FileBuilder& builder) { builder.placed_array(layout, place); });
  return place;
}

void SharedFile::write(std::uint64_t offset, std::size_t bytes, const std::function<void(std::span<std::byte>)>& fill) {
  ++pieces_;
  if (queue_ == nullptr) {
    memory_.resize(bytes);
    fill(memory_);
    share_->write(offset, memory_, base::hash(memory_));
  } else {
    auto piece = queue_->piece(offset, bytes, {.has_checksum = false});
    fill(piece->content());
    queue_->push(queued_, std::move(piece));
  }
}

void SharedFile::array(const ArrayLayout& layout, const Fill& fill) {
  TACIT_EXPECT(is_first() && !layout.shape.empty() && bytes_of(layout.type) > 0);
  const std::uint64_t place = place_of(layout);
  const std::uint64_t rows = layout.chunk_rows();
  const std::uint64_t row = layout.row_bytes();
  for (std::uint64_t first = 0; layout.size() > 0 && first < layout.shape[0]; first += rows) {
    write(place + first * row, std::min(rows, layout.shape[0] - first) * row,
          [&](std::span<std::byte> out) { fill(first, out); });
  }
}

void SharedFile::parts(const ArrayLayout& layout, const PartsOfRank& mine) {
  TACIT_EXPECT(ranks_ != nullptr);
  std::uint64_t place = is_first() ? place_of(layout) : 0;
  tell(ranks_, std::span(&place, 1));
  RowExchange exchange(*ranks_, layout.shape, bytes_of(layout.type), layout.chunk_rows(), mine);
  const std::uint64_t row = layout.row_bytes();
  exchange.run([&](std::uint64_t first, std::uint64_t rows, const RowExchange::Fill& fill) {
    write(place + first * row, rows * row, [&](std::span<std::byte> out) { fill(first, out); });
  });
}

void SharedFile::seal() {
  places_.begin = is_first() ? aligned(first_->end) : 0;
  places_.pieces = {pieces_};
  if (ranks_ != nullptr) {
    tell(ranks_, std::span(&places_.begin, 1));
    places_.pieces.resize(ranks_->size());
    comm::AllGather<std::uint64_t>(*ranks_, std::span(&pieces_, 1), places_.pieces).run();
  }
  if (is_first()) first_->places = places_;
}

void SharedFile::finish(ShareOfFile& share, const ListPlaces& places, std::uint32_t rank, const First* first) {
  if (first != nullptr && first->failure) std::rethrow_exception(first->failure);
  share.finish(places, rank);
}

void SharedFile::finish() { finish(*share_, places_, rank(), first_.get()); }

std::uint64_t SharedFile::push_finish() {
  queue_->push(queued_, [places = places_, rank = rank(), first = first_](QueuedFile& file) {
    finish(*file.share, places, rank, first.get());
  });
  return queue_->push_commit(std::move(queued_));
}

std::uint32_t SharedFile::rank() const { return ranks_ == nullptr ? 0 : number(ranks_->rank()); }

std::function<std::unique_ptr<FileBuilder>()> SharedFile::completion() {
  return [first = first_] { return first->complete(); };
}

}  // namespace tacit::io::detail
