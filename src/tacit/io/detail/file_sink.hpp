// One file in the making: arrays are cut into chunks, which go to disk at once or through the queue.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "tacit/base/checksum.hpp"
#include "tacit/base/error.hpp"
#include "tacit/io/detail/convert.hpp"
#include "tacit/io/detail/file_builder.hpp"
#include "tacit/io/detail/write_queue.hpp"
#include "tacit/io/file.hpp"
#include "tacit/io/output.hpp"

namespace tacit::io::detail {

/// One file in the making, at once or through the queue.
class FileSink {
 public:
  /// Fills rows of an array, from `first` on, as the file has them.
  using Fill = std::function<void(std::uint64_t first, std::span<std::byte> out)>;
  /// How a source wants to be asked.
  enum class Calls : std::uint8_t {
    in_order,  ///< for one chunk after the other
    any,       ///< for any, by several threads at once
  };

  FileSink(const std::filesystem::path& path, const Output* output, std::shared_ptr<FileTime> time)
      : output_(output), queue_(output != nullptr ? output->queue() : nullptr) {
    if (queue_ == nullptr) {
      at_once_ = std::make_unique<AtOnce>(path);
    } else {
      queued_ = std::make_shared<QueuedFile>();
      queued_->time = std::move(time);
      queue_->push(queued_, [path](QueuedFile& file) { file.builder = std::make_unique<FileBuilder>(path); });
    }
  }

  template <class Action>
  void act(Action action) {
    if (at_once_) {
      action(at_once_->builder);
    } else {
      queue_->push(queued_, [action = std::move(action)](QueuedFile& file) { action(*file.builder); });
    }
  }

  void write(const ArrayLayout& layout, const Fill& fill, Calls calls) {
    TACIT_EXPECT(!layout.shape.empty() && bytes_of(layout.type) > 0);
    act([layout](FileBuilder& builder) { builder.array(layout); });
    if (layout.size() == 0) return;
    const std::uint64_t rows = layout.chunk_rows();
    if (at_once_) {
      for (std::uint64_t first = 0; first < layout.shape[0]; first += rows) write_at_once(layout, first, fill);
      return;
    }
    // Enough for all threads to begin and end together, few enough for what is filled to be packed soon.
    const std::size_t together = calls == Calls::any ? 4 * output_->threads() : 1;
    for (std::uint64_t first = 0; first < layout.shape[0];) first = queue_chunks(layout, first, together, fill);
  }

  /// Rows of numbers as the file has them.
  /// @pre `rows` outlives the result
  static Fill in_type(const RowSource<double>& rows, Number type) {
    TACIT_EXPECT(type == Number::float32 || type == Number::float64);
    if (type == Number::float64) {
      return [&rows](std::uint64_t first, std::span<std::byte> out) { rows(first, as<double>(out)); };
    }
    return [&rows](std::uint64_t first, std::span<std::byte> out) {
      thread_local std::vector<double> numbers;
      numbers.resize(out.size() / sizeof(float));
      rows(first, numbers);
      convert(numbers, Number::float32, out);
    };
  }

  /// @return bytes of the file that is complete. @pre it is written at once
  std::uint64_t commit() { return at_once_->builder.commit(); }
  [[nodiscard]] std::shared_ptr<QueuedFile> take_queued() { return std::move(queued_); }

 private:
  struct AtOnce {
    explicit AtOnce(const std::filesystem::path& path) : builder(path) {}
    FileBuilder builder;
    Packer packer;
    std::vector<std::unique_ptr<Piece>> pieces;  // placed, to be written together
  };

  /// Fills a chunk; what it has beyond the last row is 0.
  static void fill_chunk(const ArrayLayout& layout, std::uint64_t first, const Fill& fill, std::span<std::byte> chunk) {
    const std::uint64_t bytes = std::min(layout.chunk_rows(), layout.shape[0] - first) * layout.row_bytes();
    fill(first, chunk.first(bytes));
    std::ranges::fill(chunk.subspan(bytes), std::byte{0});
  }

  void write_at_once(const ArrayLayout& layout, std::uint64_t first, const Fill& fill) {
    const std::size_t bytes = layout.chunk_rows() * layout.row_bytes();
    constexpr std::size_t together = 8;
    auto& pieces = at_once_->pieces;
    pieces.push_back(std::make_unique<Piece>(first, bytes, layout.packing()));
    fill_chunk(layout, first, fill, pieces.back()->content());
    pieces.back()->pack(at_once_->packer);
    at_once_->builder.chunk(first, pieces.back()->packed());
    if (pieces.size() < together) return;
    at_once_->builder.write_chunks();
    pieces.clear();
  }

  /// Fills so many chunks, from row `first` on, or as many as there is room for at once. @return the first row beyond
  std::uint64_t queue_chunks(const ArrayLayout& layout, std::uint64_t first, std::size_t most, const Fill& fill) {
    const std::size_t bytes = layout.chunk_rows() * layout.row_bytes();
    std::vector<std::unique_ptr<Piece>> pieces;
    pieces.push_back(queue_->piece(first, bytes, layout.packing()));
    for (first += layout.chunk_rows(); pieces.size() < most && first < layout.shape[0]; first += layout.chunk_rows()) {
      auto piece = queue_->piece_if_room(first, bytes, layout.packing());
      if (!piece) break;
      pieces.push_back(std::move(piece));
    }
    try {
      output_->for_each(pieces.size(),
                        [&](std::size_t i) { fill_chunk(layout, pieces[i]->first_row(), fill, pieces[i]->content()); });
    } catch (...) {
      for (const auto& piece : pieces) queue_->give_back(piece->room());
      throw;
    }
    for (auto& piece : pieces) queue_->push(queued_, std::move(piece));
    return first;
  }

  const Output* output_;
  WriteQueue* queue_;
  std::unique_ptr<AtOnce> at_once_;
  std::shared_ptr<QueuedFile> queued_;
};

}  // namespace tacit::io::detail
