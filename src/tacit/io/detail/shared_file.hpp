// A file into which all ranks write what they have, each by itself.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "tacit/io/detail/atomic_write.hpp"
#include "tacit/io/detail/file_builder.hpp"
#include "tacit/io/detail/footer.hpp"
#include "tacit/io/detail/part_gather.hpp"

namespace tacit::comm {
class Communicator;
}

namespace tacit::io::detail {

class WriteQueue;
struct FileTime;
struct QueuedFile;

/// Where ranks leave lists of what they have written, behind the arrays, for the first rank to read: for each piece its
/// offset, bytes and hash, and behind them the hash of the list. A list says that all of its pieces are on disk.
struct ListPlaces {
  std::uint64_t begin = 0;
  std::vector<std::uint64_t> pieces;  ///< by rank

  [[nodiscard]] std::uint64_t place(std::size_t rank) const noexcept;
  /// Of the file while they are there.
  [[nodiscard]] std::uint64_t end() const noexcept { return place(pieces.size()); }
};

/// What one rank writes of it.
class ShareOfFile {
 public:
  explicit ShareOfFile(std::unique_ptr<WholeFile> file) : file_(std::move(file)) {}
  void write(std::uint64_t offset, std::span<const std::byte> bytes, std::uint64_t hash);
  /// The same of a piece whose memory stays as it is until `write_placed`, where all of them go to the disk.
  void place(std::uint64_t offset, const PackedChunk& piece);
  void write_placed() noexcept;
  /// Fsyncs what was written, then leaves the list. @throws base::SystemError as WholeFile
  void finish(const ListPlaces& places, std::uint32_t rank);

 private:
  std::unique_ptr<WholeFile> file_;
  std::vector<Run> placed_;
  std::vector<Extent> extents_;
};

/// The making of such a file; every rank of a run has one, and calls the same functions.
///
///     arrays, each from a multiple of 4096 bytes on        what describes them        footer
///
/// The first rank says where an array is to be; what else is said of the file it keeps, and hands it to the HDF5
/// library when all ranks have written theirs.
class SharedFile {
 public:
  using Action = std::function<void(FileBuilder&)>;
  /// Fills rows of an array, from `first` on.
  using Fill = std::function<void(std::uint64_t first, std::span<std::byte> out)>;

  /// @param ranks  those that write; null: only this one
  /// @param queue  through which they write; null: at once
  /// @param time   of what this does in the queue
  SharedFile(const std::filesystem::path& path, comm::Communicator* ranks, WriteQueue* queue,
             std::shared_ptr<FileTime> time = nullptr);
  ~SharedFile();
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  /// Is done to the file in the end. @pre on the first rank
  void act(Action action);
  /// An array that the first rank has alone. @pre on the first rank
  void array(const ArrayLayout& layout, const Fill& fill);
  /// An array of which each rank has parts.
  void parts(const ArrayLayout& layout, const PartsOfRank& mine);
  /// Agrees on where the lists are to be; nothing is written after it.
  void seal();

  /// Leaves the list of this rank, at once. @pre sealed, no queue. @throws base::SystemError
  void finish();
  /// The same through the queue. @return the file's commit there
  std::uint64_t push_finish();
  /// What makes the file when all lists are there. @pre sealed, on the first rank
  /// Of it: @throws base::SystemError if a list is missing
  [[nodiscard]] std::function<std::unique_ptr<FileBuilder>()> completion();

 private:
  struct First;
  [[nodiscard]] bool is_first() const noexcept { return first_ != nullptr; }
  [[nodiscard]] std::uint32_t rank() const;
  static void finish(ShareOfFile& share, const ListPlaces& places, std::uint32_t rank, const First* first);
  [[nodiscard]] std::uint64_t place_of(const ArrayLayout& layout);
  void write(std::uint64_t offset, std::size_t bytes, const std::function<void(std::span<std::byte>)>& fill);

  std::filesystem::path path_;
  comm::Communicator* ranks_;
  WriteQueue* queue_;
  std::shared_ptr<First> first_;        // on the first rank
  std::unique_ptr<ShareOfFile> share_;  // where it is written at once
  std::shared_ptr<QueuedFile> queued_;  // else
  std::vector<std::byte> memory_;       // of a piece that is written at once
  std::uint64_t pieces_ = 0;            // of this rank
  ListPlaces places_;
};

}  // namespace tacit::io::detail
