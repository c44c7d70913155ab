// Files that are written beside the computation: the thread that writes them, and the memory they wait in.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "tacit/io/detail/file_builder.hpp"
#include "tacit/io/detail/pack.hpp"
#include "tacit/io/detail/shared_file.hpp"
#include "tacit/io/detail/strategy_choice.hpp"
#include "tacit/io/output.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::io::detail {

/// A chunk on its way to disk.
class Piece {
 public:
  /// @param bytes  of the whole chunk, to be filled; 0 where nothing is
  Piece(std::uint64_t first_row, std::size_t bytes, const Packing& packing);
  /// What is to be filled.
  [[nodiscard]] std::span<std::byte> content() noexcept { return {memory_.get(), bytes_}; }
  /// Of the array; in a file of all ranks, the offset [byte].
  [[nodiscard]] std::uint64_t first_row() const noexcept { return first_row_; }
  /// Bytes of memory that it takes.
  [[nodiscard]] std::size_t room() const noexcept { return room_; }

  /// Whoever calls it does not touch the piece afterwards.
  void pack(Packer& packer) noexcept;
  [[nodiscard]] bool is_packed() const noexcept { return is_packed_.load(std::memory_order_acquire); }
  /// @pre is_packed()
  /// @throws what packing threw
  [[nodiscard]] const PackedChunk& packed() const {
    if (failure_) std::rethrow_exception(failure_);
    return packed_;
  }
  [[nodiscard]] bool is_compressed() const noexcept { return packing_.compression > 0; }

 private:
  struct Free {
    void operator()(std::byte* memory) const noexcept;
  };
  std::uint64_t first_row_;
  std::size_t bytes_;
  std::size_t room_;
  Packing packing_;
  std::unique_ptr<std::byte, Free> memory_;
  PackedChunk packed_;
  std::exception_ptr failure_;
  std::atomic<bool> is_packed_{false};
};

/// A file in the queue. Only the thread looks into it.
struct QueuedFile {
  std::unique_ptr<FileBuilder> builder;  ///< made by an action
  std::unique_ptr<ShareOfFile> share;    ///< where the file is that of all ranks, and pieces go to where they say
  bool has_failed = false;
  std::shared_ptr<FileTime> time;  ///< to which what is done from now on is added; null: nobody asks
  std::int64_t begun_ns = 0;       ///< 0: not yet
};

/// Does what it is given in order, on a thread of its own, which alone uses the HDF5 library for it.
class WriteQueue final : public tasks::IdleWork {
 public:
  /// @param memory    of pieces that wait [byte]; a longer piece is taken when nothing else waits
  /// @param recorder  of what the thread does, or null
  WriteQueue(std::uint64_t memory, trace::Recorder* recorder);
  /// Completes what it has been given.
  ~WriteQueue() override;
  WriteQueue(const WriteQueue&) = delete;
  WriteQueue& operator=(const WriteQueue&) = delete;

  /// Waits until there is memory for it, packing in the meantime.
  [[nodiscard]] std::unique_ptr<Piece> piece(std::uint64_t first_row, std::size_t bytes, const Packing& packing);
  /// The same without waiting; null if there is none.
  [[nodiscard]] std::unique_ptr<Piece> piece_if_room(std::uint64_t first_row, std::size_t bytes,
                                                     const Packing& packing);
  /// The room of a piece that is not pushed.
  void give_back(std::size_t room);
  void push(std::shared_ptr<QueuedFile> file, std::function<void(QueuedFile&)> action);
  void push(std::shared_ptr<QueuedFile> file, std::unique_ptr<Piece> piece);
  /// Completes the file. @return its number: finished() is at least that once it is complete, or has failed
  std::uint64_t push_commit(std::shared_ptr<QueuedFile> file);

  /// Packs one piece, if one waits for it. @return whether one did
  bool do_some() noexcept override;
  [[nodiscard]] bool has_some() const noexcept override { return unpacked_count_.load(std::memory_order_relaxed) > 0; }
  /// Others, who are told when there is something to pack.
  void set_helpers(std::function<void()> wake) { wake_helpers_ = std::move(wake); }

  /// Files that are complete or have failed.
  [[nodiscard]] std::uint64_t finished() const noexcept { return finished_.load(std::memory_order_acquire); }
  /// Those that were given.
  [[nodiscard]] std::uint64_t committed() const noexcept { return committed_; }
  /// Waits until all are finished, at most so long [s], packing in the meantime.
  void drain(double seconds);
  /// The first failure, once.
  [[nodiscard]] std::exception_ptr take_failure();
  [[nodiscard]] OutputCost cost() const;

 private:
  struct Entry {
    std::shared_ptr<QueuedFile> file;
    std::function<void(QueuedFile&)> action;
    std::unique_ptr<Piece> piece;
    bool commits = false;
  };
  void add(Entry entry);
  [[nodiscard]] std::unique_ptr<Piece> take_room(std::uint64_t first_row, std::size_t bytes, const Packing& packing);
  void serve();
  void perform(Entry& entry);
  void wait_until_packed(const Piece& piece);
  void record_wait(std::int64_t begin);
  void pack(Piece& piece);
  [[nodiscard]] Piece* take_unpacked();
  void fail(QueuedFile& file) noexcept;
  void hold(const std::shared_ptr<QueuedFile>& file, std::unique_ptr<Piece> piece);
  void write_held();

  std::uint64_t memory_;
  trace::Recorder* recorder_;
  trace::KindId write_kind_{};
  trace::KindId pack_kind_{};
  trace::KindId wait_kind_{};
  std::function<void()> wake_helpers_;  // of the caller
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;  // an entry, a packed piece, memory, a finished file
  std::deque<Entry> entries_;
  std::deque<Piece*> unpacked_;
  std::atomic<std::size_t> unpacked_count_{0};
  std::uint64_t used_ = 0;       // memory of pieces
  std::uint64_t committed_ = 0;  // of the caller
  std::atomic<std::uint64_t> finished_{0};
  std::exception_ptr failure_;
  std::atomic<bool> has_failed_ = false;  // from then on nothing is completed
  OutputCost cost_;
  bool is_stopping_ = false;
  // Of the thread: pieces that are placed in a file, to be written together, and the file.
  std::vector<std::unique_ptr<Piece>> held_;
  std::size_t held_room_ = 0;
  std::shared_ptr<QueuedFile> held_file_;
  std::jthread thread_;  // last: it uses the others
};

}  // namespace tacit::io::detail
