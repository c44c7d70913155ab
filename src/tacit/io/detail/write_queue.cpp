// The I/O thread, and threads that pack for it.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/io/detail/write_queue.hpp"

#include <algorithm>
#include <chrono>
#include <new>
#include <utility>

#include "tacit/base/clock.hpp"
#include "tacit/base/error.hpp"
#include "tacit/base/ticks.hpp"

namespace tacit::io::detail {
namespace {

constexpr std::align_val_t page{page_bytes};
/// What is written by one call: long enough for the disk not to wait for the next one.
constexpr std::size_t bytes_together = std::size_t{4} << 20U;

Packer& own_packer() {
  thread_local Packer packer;
  return packer;
}

}  // namespace

void Piece::Free::operator()(std::byte* memory) const noexcept { ::operator delete(memory, page); }

Piece::Piece(std::uint64_t first_row, std::size_t bytes, const Packing& packing)
    : first_row_(first_row),
      bytes_(bytes),
      room_(room_to_pack(bytes, packing)),
      packing_(packing),
      memory_(static_cast<std::byte*>(::operator new(room_, page))) {}

void Piece::pack(Packer& packer) noexcept {
  try {
    const std::span<std::byte> memory(memory_.get(), room_);
    packed_ = finish_chunk(memory, packer.pack(memory, bytes_, packing_), packing_);
  } catch (...) {
    failure_ = std::current_exception();
  }
  is_packed_.store(true, std::memory_order_release);
}

WriteQueue::WriteQueue(std::uint64_t memory, trace::Recorder* recorder) : memory_(memory), recorder_(recorder) {
  if (recorder_ != nullptr) {
    write_kind_ = recorder_->kind("write file", trace::Category::output);
    pack_kind_ = recorder_->kind("pack output", trace::Category::output);
    wait_kind_ = recorder_->kind(disk_wait_name, trace::Category::disk_wait);
  }
  thread_ = std::jthread([this] { serve(); });
}

WriteQueue::~WriteQueue() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  changed_.notify_all();
}

std::unique_ptr<Piece> WriteQueue::piece(std::uint64_t first_row, std::size_t bytes, const Packing& packing) {
  const std::size_t room = room_to_pack(bytes, packing);
  const base::Stopwatch watch;
  bool has_waited = false;
  for (std::unique_lock lock(mutex_); used_ > 0 && used_ + room > memory_;) {
    has_waited = true;
    if (!unpacked_.empty()) {
      lock.unlock();
      do_some();
      lock.lock();
    } else {
      const std::int64_t begin = base::ticks();
      changed_.wait(lock);
      record_wait(begin);
    }
  }
  const std::lock_guard lock(mutex_);
  if (has_waited) cost_.wait_s += watch.seconds();
  return take_room(first_row, bytes, packing);
}

/// Of who writes files, the first worker.
void WriteQueue::record_wait(std::int64_t begin) {
  if (recorder_ == nullptr) return;
  recorder_->track(0).record({.begin = begin, .end = base::ticks(), .kind = wait_kind_, .key = 0});
}

std::unique_ptr<Piece> WriteQueue::piece_if_room(std::uint64_t first_row, std::size_t bytes, const Packing& packing) {
  const std::lock_guard lock(mutex_);
  if (used_ + room_to_pack(bytes, packing) > memory_) return nullptr;
  return take_room(first_row, bytes, packing);
}

/// @pre the lock is held
std::unique_ptr<Piece> WriteQueue::take_room(std::uint64_t first_row, std::size_t bytes, const Packing& packing) {
  auto piece = std::make_unique<Piece>(first_row, bytes, packing);
  used_ += piece->room();
  cost_.peak_memory = std::max(cost_.peak_memory, used_);
  return piece;
}

void WriteQueue::give_back(std::size_t room) {
  const std::lock_guard lock(mutex_);
  used_ -= room;
}

void WriteQueue::add(Entry entry) {
  {
    const std::lock_guard lock(mutex_);
    if (entry.piece) {
      unpacked_.push_back(entry.piece.get());
      unpacked_count_.store(unpacked_.size(), std::memory_order_relaxed);
      cost_.bytes += entry.piece->content().size();
    }
    entries_.push_back(std::move(entry));
  }
  changed_.notify_all();
}

void WriteQueue::push(std::shared_ptr<QueuedFile> file, std::function<void(QueuedFile&)> action) {
  add({std::move(file), std::move(action), nullptr, false});
}

void WriteQueue::push(std::shared_ptr<QueuedFile> file, std::unique_ptr<Piece> piece) {
  add({std::move(file), nullptr, std::move(piece), false});
  if (wake_helpers_) wake_helpers_();
}

std::uint64_t WriteQueue::push_commit(std::shared_ptr<QueuedFile> file) {
  add({std::move(file), nullptr, nullptr, true});
  return ++committed_;
}

Piece* WriteQueue::take_unpacked() {
  const std::lock_guard lock(mutex_);
  if (unpacked_.empty()) return nullptr;
  Piece* const piece = unpacked_.front();
  unpacked_.pop_front();
  unpacked_count_.store(unpacked_.size(), std::memory_order_relaxed);
  return piece;
}

bool WriteQueue::do_some() noexcept {
  Piece* const piece = take_unpacked();
  if (piece == nullptr) return false;
  pack(*piece);
  return true;
}

void WriteQueue::pack(Piece& piece) {
  const base::Stopwatch watch;
  const bool is_compressed = piece.is_compressed();
  const std::size_t bytes = piece.content().size();
  piece.pack(own_packer());  // from here on it may be gone
  {
    const std::lock_guard lock(mutex_);
    const double seconds = watch.seconds();
    cost_.pack_s += seconds;
    if (is_compressed) cost_.compress_s += seconds;
    if (is_compressed) cost_.compressed_bytes += bytes;
  }
  changed_.notify_all();
}

/// The life of the thread.
void WriteQueue::serve() {
  for (;;) {
    Entry entry;
    {
      std::unique_lock lock(mutex_);
      if (entries_.empty() && !held_.empty()) {
        // Nothing more to come for now: what waits for memory must not wait for more to be held.
        lock.unlock();
        write_held();
        continue;
      }
      changed_.wait(lock, [this] { return is_stopping_ || !entries_.empty(); });
      if (entries_.empty()) return;
      entry = std::move(entries_.front());
      entries_.pop_front();
    }
    perform(entry);
  }
}

void WriteQueue::perform(Entry& entry) {
  if (entry.piece) wait_until_packed(*entry.piece);
  if (!entry.piece || entry.file != held_file_) write_held();
  const std::int64_t begin = base::ticks();
  const base::Stopwatch watch;
  std::uint64_t bytes = 0;
  QueuedFile& file = *entry.file;
  if (file.begun_ns == 0) file.begun_ns = base::now_ns();
  try {
    if (file.has_failed || has_failed_.load(std::memory_order_relaxed)) {
      // What follows the failure is dropped, later files too: a checkpoint counts on the snapshots before it.
      file.has_failed = true;
    } else if (entry.piece && file.share) {
      file.share->place(entry.piece->first_row(), entry.piece->packed());
      hold(entry.file, std::move(entry.piece));
    } else if (entry.piece) {
      file.builder->chunk(entry.piece->first_row(), entry.piece->packed());
      hold(entry.file, std::move(entry.piece));
    } else if (entry.action) {
      entry.action(file);
    } else if (entry.commits && file.builder) {
      bytes = file.builder->commit();
    }
  } catch (...) {
    fail(file);
  }
  if (recorder_ != nullptr) {
    recorder_->files().record({.begin = begin, .end = base::ticks(), .kind = write_kind_, .key = 0});
  }
  const std::size_t room = entry.piece ? entry.piece->room() : 0;
  entry.piece.reset();
  const bool commits = entry.commits;
  if (commits && file.time) file.time->seconds += static_cast<double>(base::now_ns() - file.begun_ns) * 1e-9;
  entry = {};  // the last to hold a file that is complete, or was given up
  {
    const std::lock_guard lock(mutex_);
    used_ -= room;
    cost_.write_s += watch.seconds();
    cost_.file_bytes += bytes;
    if (commits) finished_.fetch_add(1, std::memory_order_release);
  }
  changed_.notify_all();
  if (held_room_ >= bytes_together) write_held();
}

void WriteQueue::hold(const std::shared_ptr<QueuedFile>& file, std::unique_ptr<Piece> piece) {
  held_room_ += piece->room();
  held_.push_back(std::move(piece));
  held_file_ = file;
}

/// Writes what is held, or drops it where the file has failed, and gives the memory back.
void WriteQueue::write_held() {
  if (held_.empty()) return;
  const std::int64_t begin = base::ticks();
  const base::Stopwatch watch;
  if (!held_file_->has_failed && held_file_->share) held_file_->share->write_placed();
  if (!held_file_->has_failed && held_file_->builder) held_file_->builder->write_chunks();
  if (recorder_ != nullptr) {
    recorder_->files().record({.begin = begin, .end = base::ticks(), .kind = write_kind_, .key = 0});
  }
  held_.clear();
  held_file_.reset();
  {
    const std::lock_guard lock(mutex_);
    used_ -= std::exchange(held_room_, 0);
    cost_.write_s += watch.seconds();
  }
  changed_.notify_all();
}

void WriteQueue::wait_until_packed(const Piece& piece) {
  while (!piece.is_packed()) {
    const std::int64_t begin = base::ticks();
    if (do_some()) {
      if (recorder_ != nullptr) {
        recorder_->files().record({.begin = begin, .end = base::ticks(), .kind = pack_kind_, .key = 0});
      }
      continue;
    }
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return piece.is_packed() || !unpacked_.empty(); });
  }
}

void WriteQueue::fail(QueuedFile& file) noexcept {
  file.has_failed = true;
  has_failed_.store(true, std::memory_order_relaxed);
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = std::current_exception();
}

void WriteQueue::drain(double seconds) {
  const base::Stopwatch watch;
  while (finished() < committed_ && watch.seconds() < seconds) {
    if (do_some()) continue;
    const std::int64_t begin = base::ticks();
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::duration<double>(std::min(seconds, 1.0)),
                      [this] { return finished() >= committed_ || !unpacked_.empty(); });
    record_wait(begin);
  }
}

std::exception_ptr WriteQueue::take_failure() {
  const std::lock_guard lock(mutex_);
  return std::exchange(failure_, nullptr);
}

OutputCost WriteQueue::cost() const {
  const std::lock_guard lock(mutex_);
  return cost_;
}

}  // namespace tacit::io::detail
