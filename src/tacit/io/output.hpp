// How the files of a run are written: by which rank, and whether beside the computation.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tacit/io/writers.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::comm {
class Communicator;
}
namespace tacit::tasks {
class Scheduler;
}

namespace tacit::io {

namespace detail {
class StrategyChoice;
class WriteQueue;
struct FileTime;
struct QueuedFile;
}  // namespace detail

/// The kind of events of those who wait for memory for what they write, or for the end of all writing.
inline constexpr const char* disk_wait_name = "wait for the disk";

/// What writing has cost this rank so far.
struct OutputCost {
  double wait_s = 0.0;                 ///< those who write files have waited for memory
  double pack_s = 0.0;                 ///< processor time of packing (checksums, compression), of all threads
  double compress_s = 0.0;             ///< of it, of what is compressed
  double write_s = 0.0;                ///< the I/O thread was at work, packing aside
  std::uint64_t bytes = 0;             ///< of arrays, before packing
  std::uint64_t compressed_bytes = 0;  ///< of them, those that are compressed
  std::uint64_t file_bytes = 0;        ///< of files that are complete
  std::uint64_t peak_memory = 0;       ///< of what waited to be written [byte]
};

/// Where the files of a run go through: one for all its FileWriters, which it outlives.
///
///     io::Output output(ranks, {.staging_memory = 4ULL << 30});
///     io::FileWriter file(path, output);
///     file.part("temperature", shape, io::Number::float32, mine, values);     // copied: `values` may change
///     file.commit();                                                          // returns at once
///     ...
///     output.finish();                                                        // now it is on disk
class Output {
 public:
  struct Options {
    Writers writers = {};
    /// For what has been given to a file and is not written yet [byte], on this rank; who gives more waits. 0: files
    /// are written by who gives them, at once.
    std::uint64_t staging_memory = 0;
    /// Where writers are automatic: kinds of files whose arrays have fewer bytes are not worth trials of strategies.
    std::uint64_t least_trial_bytes = std::uint64_t{16} << 20U;
    trace::Recorder* recorder = nullptr;  ///< whose track `files` gets what the I/O thread does; null: none
  };
  /// Made by all ranks at the same point, before their threads are bound to processors: the I/O thread inherits what
  /// the calling one may use.
  Output(comm::Communicator& ranks, const Options& options);
  /// Completes what it was given; a failure that nobody has asked for is lost, and so is a file of which some rank
  /// has not written its part.
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  [[nodiscard]] comm::Communicator& ranks() const noexcept { return ranks_; }
  /// How the files were written so far, by kind ("snapshot"): names of strategies as parameter files have them.
  [[nodiscard]] std::map<std::string, std::string> strategies() const;
  /// What has been found out about strategies since the last call, in words.
  [[nodiscard]] std::vector<std::string> take_news();

  // Files in parts are complete only once all ranks have written theirs, and the first one has heard of it. Where files
  // are written at once, FileWriter::commit sees to that; where they are written beside, `finish` does, or who calls
  // these in turn, often: each rank asks what it has written, all agree on the least, and tell that to each.

  /// How many of the files that were committed so far, in their order, this rank has written what it has to of.
  [[nodiscard]] std::uint64_t written() const;
  /// All ranks have written theirs of so many.
  void note_written_by_all(std::uint64_t files);
  /// Whether something that this rank has to do for a file is not done.
  [[nodiscard]] bool is_busy() const;
  /// Whether files are written beside the computation.
  [[nodiscard]] bool is_beside() const noexcept { return queue_ != nullptr; }
  /// The number of files that have been committed.
  [[nodiscard]] std::uint64_t committed() const noexcept { return committed_; }
  /// Of them, in their order, how many are complete on disk, or have failed, as far as this rank has to do with them.
  [[nodiscard]] std::uint64_t finished() const;

  /// Throws the first failure of this rank that was not thrown before, if there is one.
  /// @throws base::SystemError as FileWriter::commit
  void check();
  /// Waits until nothing is left to do for this rank, at most so long [s].
  void await(double seconds = 1e9);
  /// Waits, together with all other ranks, until all files are on disk. @throws as `check`, on the ranks that failed
  void finish();
  [[nodiscard]] OutputCost cost() const;

  /// Lets the workers of a scheduler copy what is written, and the idle ones pack, for as long as it lives.
  class Help {
   public:
    Help(Output& output, tasks::Scheduler& scheduler);
    ~Help();
    Help(const Help&) = delete;
    Help& operator=(const Help&) = delete;

   private:
    Output& output_;
    tasks::Scheduler& scheduler_;
  };
  /// Packs a piece, if one waits: for threads that have nothing else to do. @return whether one did
  bool help() noexcept;

  // ---- for FileWriter

  /// How a file is to be written. Called by all ranks. @param compression  of its arrays
  [[nodiscard]] const Strategy& strategy_for(const std::filesystem::path& path, int compression);
  /// A file has been committed, and written so. @param time  of it, which may still grow
  void note_time(const std::filesystem::path& path, int compression, const Strategy& strategy,
                 std::shared_ptr<const detail::FileTime> time);
  /// Null where files are written at once.
  [[nodiscard]] detail::WriteQueue* queue() const noexcept { return queue_.get(); }
  /// Calls body(i) for each i below `count`, on all workers of the scheduler that helps, and waits for them; in turn
  /// where none does. @throws what the body throws
  void for_each(std::size_t count, const std::function<void(std::size_t)>& body) const;
  /// How many threads that is done by.
  [[nodiscard]] std::size_t threads() const noexcept;
  /// A file has been written at once.
  void note_bytes(std::uint64_t bytes) noexcept { bytes_at_once_ += bytes; }
  /// A name for what belongs to the next file and to nothing else; the same on all ranks.
  [[nodiscard]] std::string next_tag();
  /// A file has been committed.
  /// @param own   number of the queue's last commit for it so far on this rank; 0: none
  /// @param main  the main file in parts, to be completed by `complete` when all parts are written; null: there is none
  void note_commit(std::uint64_t own, std::shared_ptr<detail::QueuedFile> main,
                   std::function<void(detail::QueuedFile&)> complete);

 private:
  struct Committed {
    std::uint64_t own = 0;  // number in the queue
    std::shared_ptr<detail::QueuedFile> main;
    std::function<void(detail::QueuedFile&)> complete;
  };

  comm::Communicator& ranks_;
  std::unique_ptr<detail::StrategyChoice> choice_;
  std::unique_ptr<detail::WriteQueue> queue_;
  tasks::Scheduler* scheduler_ = nullptr;  // that helps
  trace::KindId copy_kind_{};              // what it does then
  std::string run_tag_;
  std::uint64_t tags_ = 0;
  std::deque<Committed> open_;  // those that are not known to be finished, in order
  std::uint64_t committed_ = 0;
  std::uint64_t written_by_all_ = 0;
  std::uint64_t bytes_at_once_ = 0;  // of files
};

}  // namespace tacit::io
