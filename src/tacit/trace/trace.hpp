// What ran where and when: per-thread ring buffers, their sums, and the trace for Perfetto.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tacit/base/ticks.hpp"

namespace tacit::trace {

/// A kind of event ("density", "write snapshot"), interned once so that an event takes 24 bytes.
enum class KindId : std::uint16_t {};
/// Of one recorder; programs have some tens.
inline constexpr std::size_t max_kinds = 1024;

/// What a thread spends the time of an event on.
enum class Category : std::uint8_t {
  task,           ///< work that the simulation needs
  output,         ///< writing files
  communication,  ///< packing, copying, unpacking: exposed
  poll,           ///< asking sources for completions between tasks: exposed
  wait,           ///< nothing to run while a transfer is outstanding: exposed
  idle,           ///< nothing to run and nothing outstanding
  disk_wait,      ///< the run cannot go on before the disk has taken what was given to it
};
inline constexpr std::size_t category_count = 7;
/// As in the enumeration: "task", "output", ...
[[nodiscard]] std::string_view name(Category category) noexcept;

/// Something that a thread did, or a block: several of one kind, one right after the other, that are too short for time
/// stamps of their own.
struct Event {
  std::int64_t begin = 0;  ///< base::ticks()
  std::int64_t end = 0;
  KindId kind{};
  std::uint16_t count = 1;  ///< so many
  std::uint32_t key = 0;    ///< which one of its kind: the cell, the block of a grid; of several the first
};

/// Something under way outside the processor, from its post to its completion: a message, a kernel on a device.
struct Transfer {
  std::int64_t posted = 0;  ///< base::ticks()
  std::int64_t completed = 0;
  KindId kind{};
  std::uint32_t key = 0;
  double alone_s = 0.0;  ///< what it takes alone and blocking [s]; 0 if unknown, then the time from post to completion
  std::uint64_t bytes = 0;  ///< that go to others; 0 if unknown
};

/// What the workers counted beside their events.
struct Counters {
  std::uint64_t tasks = 0;        ///< tasks of graphs that ran
  std::uint64_t jobs = 0;         ///< other work: futures, coroutines, chunks of loops
  std::uint64_t steals = 0;       ///< times a worker took work from another
  std::uint64_t stolen = 0;       ///< tasks and jobs taken so
  std::uint64_t conflicts = 0;    ///< tasks set aside because a datum was locked
  std::uint64_t polls = 0;        ///< calls to a source
  std::uint64_t completions = 0;  ///< what they returned
  std::uint64_t sleeps = 0;       ///< times a worker gave up its processor
  Counters& operator+=(const Counters& other) noexcept;
};

/// The events of one thread. Only that thread writes; the newest `capacity` events are kept, sums are kept of all.
///
/// On separate cache lines, to avoid false sharing.
class alignas(128) Track {
 public:
  /// @param capacity  events kept, >= 1; rounded up to a power of two; their memory is touched only as they come
  explicit Track(std::size_t capacity);

  /// Cost: a few ns; no locks; no allocation for kinds that the Recorder has named.
  void record(const Event& event) {
    ring_[static_cast<std::size_t>(recorded_++) & mask_] = event;
    Sum& sum = sums_[static_cast<std::size_t>(event.kind)];
    sum.count += event.count;
    sum.ticks += event.end - event.begin;
  }
  /// An event around others of this track, which have taken `inner` of its ticks: see ticks().
  /// @param apart  of those, what is not to count as a part of this event: waits, which only others have a say in
  void record_around(const Event& event, std::int64_t inner, std::int64_t apart = 0) {
    record(event);
    sums_[static_cast<std::size_t>(event.kind)].ticks -= apart;
    inner_ += inner - apart;
  }
  /// Transfers have a separate ring, as they overlap with events. May allocate.
  void record(const Transfer& transfer);
  /// Counts messages to other ranks under a kind, that of their phase. Cost: two additions; no allocation.
  void count_sent(KindId phase, std::uint64_t messages, std::uint64_t bytes) {
    Sent& sent = sent_[static_cast<std::size_t>(phase)];
    sent.messages += messages;
    sent.bytes += bytes;
  }

  [[nodiscard]] std::vector<Event> events() const;        ///< oldest first
  [[nodiscard]] std::vector<Transfer> transfers() const;  ///< oldest first
  [[nodiscard]] std::uint64_t recorded() const noexcept { return recorded_; }
  /// Events and transfers that newer ones have overwritten.
  [[nodiscard]] std::uint64_t dropped() const noexcept;

  Counters counters;

  /// Time and number of all events of a kind, also of those that the ring has dropped.
  struct Sum {
    std::uint64_t count = 0;
    std::int64_t ticks = 0;
  };
  /// The same of all transfers.
  struct TransferSum {
    std::uint64_t count = 0;
    std::uint64_t of_unknown_length = 0;  ///< whose alone_s was not given
    std::int64_t ticks_unknown = 0;       ///< from post to completion, of those
    double alone_s = 0.0;                 ///< of the others
  };
  /// All messages of a phase.
  struct Sent {
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
  };
  /// @pre the Recorder has named `phase`
  [[nodiscard]] Sent sent(KindId phase) const { return sent_[static_cast<std::size_t>(phase)]; }
  /// @pre the Recorder has named `kind`
  [[nodiscard]] Sum sum(KindId kind) const { return sums_[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] const TransferSum& transfer_sum() const noexcept { return transfer_sum_; }
  /// Of all events, each counted once. Cost: max_kinds additions.
  [[nodiscard]] std::int64_t ticks() const noexcept;
  /// Those that two events have, one around the other.
  [[nodiscard]] std::int64_t inner_ticks() const noexcept { return inner_; }

 private:
  std::size_t mask_;
  std::unique_ptr<Event[]> ring_;
  std::vector<Sum> sums_;   // shape (max_kinds), so that a new kind moves nothing while others record
  std::vector<Sent> sent_;  // likewise
  std::uint64_t recorded_ = 0;
  std::int64_t inner_ = 0;
  std::vector<Transfer> transfers_;  // grows up to the capacity, then the oldest is overwritten
  std::uint64_t transfers_recorded_ = 0;
  TransferSum transfer_sum_;
};

/// The longest chain of dependent tasks, by measured times. Sums over all runs of graphs that were analysed.
struct CriticalPath {
  std::uint64_t runs = 0;
  double work_s = 0.0;    ///< time of all tasks of those runs
  double length_s = 0.0;  ///< time of the longest chains of those runs, added
  /// Time on the longest chains by kind [s].
  std::vector<std::pair<KindId, double>> by_kind;
  [[nodiscard]] double parallelism() const noexcept { return length_s > 0.0 ? work_s / length_s : 0.0; }
};

/// The cost of communication.
///
///     exposed_s = (CPU time in packing, copying, unpacking, polling + idle time while a transfer is outstanding)
///                 / workers
///     hidden_fraction = 1 - exposed_s / serial_s      serial_s: the same transfers one after the other, blocking
struct Exposure {
  double exposed_s = 0.0;
  double serial_s = 0.0;
  std::uint64_t transfers = 0;
  /// Absent when nothing was transferred.
  [[nodiscard]] std::optional<double> hidden_fraction() const noexcept;
};

/// Takes a piece of a long text.
using TakeText = std::function<void(std::string_view)>;

/// The offset of a rank's events in a file of several ranks.
struct RankInTrace {
  std::uint32_t rank = 0;
  std::int64_t origin_ns = 0;  ///< of its recorder's clock, on that of the file
};

/// Owns the tracks of one process: one per worker, and track 0 for the main thread as worker 0.
///
/// Threads: each track may record at any time from its own thread; everything else only while no track records.
class Recorder {
 public:
  /// @param tracks     threads that record
  /// @param capacity  events kept per track
  /// @param scale     what a tick is; its start is the origin of the trace
  explicit Recorder(std::size_t tracks, std::size_t capacity = 1U << 16U, const base::TickScale& scale = {});

  /// The id of a kind, made on first use; the same name in another category is another kind. From any thread, also
  /// while tracks record; not for every event.
  /// @throws base::PreconditionError if there are max_kinds already
  KindId kind(std::string_view name, Category category = Category::task);
  [[nodiscard]] std::string_view name(KindId kind) const { return kinds_[static_cast<std::size_t>(kind)].name; }
  [[nodiscard]] Category category(KindId kind) const { return kinds_[static_cast<std::size_t>(kind)].category; }
  [[nodiscard]] std::size_t tracks() const noexcept { return tracks_.size() - beside; }
  [[nodiscard]] Track& track(std::size_t index) { return *tracks_[index]; }
  [[nodiscard]] const Track& track(std::size_t index) const { return *tracks_[index]; }
  /// For threads beside the workers, which count in all sums but not as workers: the one that polls, number tracks(),
  /// and the one that writes files, the next.
  [[nodiscard]] Track& outside() { return *tracks_[tracks()]; }
  [[nodiscard]] Track& files() { return *tracks_[tracks() + 1]; }
  static constexpr std::size_t beside = 2;
  [[nodiscard]] const base::TickScale& scale() const noexcept { return scale_; }

  struct KindSum {
    std::string name;
    Category category{};
    std::uint64_t count = 0;
    double seconds = 0.0;  ///< over all tracks
  };
  /// One row per kind, the most expensive first; those of equal time by name.
  [[nodiscard]] std::vector<KindSum> sums() const;
  /// Time of all events of a category in a track [s], also of those that its ring has dropped.
  [[nodiscard]] double seconds(std::size_t track, Category category) const;
  /// The same of everything but waiting and idling.
  [[nodiscard]] double busy_s(std::size_t track) const;
  [[nodiscard]] Counters counters() const;
  struct PhaseSum {
    std::string name;
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
  };
  /// What was sent to other ranks, over all tracks: one row per phase that sent anything, in the order in which the
  /// phases were named.
  [[nodiscard]] std::vector<PhaseSum> sent() const;
  [[nodiscard]] Exposure exposure() const;

  /// Adds the longest chain of one run. Called by the scheduler between runs.
  void add_critical_path(const CriticalPath& path);
  [[nodiscard]] const CriticalPath& critical_path() const noexcept { return critical_path_; }

  /// Writes the kept events in the JSON trace-event format that Perfetto opens (ui.perfetto.dev), and the Report.
  /// @param about  (name, value) pairs that say where the trace came from; kept as "otherData"
  /// @throws base::SystemError if the file cannot be written
  void write(const std::filesystem::path& path, std::span<const std::pair<std::string, std::string>> about = {}) const;
  /// The kept events as such a file has them, in order; for `write_trace`. Those of rank 0, or of a recorder that is
  /// alone, are the first in the file.
  void write_events(const TakeText& take, std::optional<RankInTrace> rank = std::nullopt) const;
  /// The current time in the trace [ns].
  [[nodiscard]] std::int64_t now_ns() const;

 private:
  struct Kind {
    std::string name;
    Category category;
  };
  base::TickScale scale_;
  std::vector<std::unique_ptr<Track>> tracks_;  // the last are those beside the workers
  std::mutex kinds_mutex_;
  std::deque<Kind> kinds_;  // the first is "job", the name of unnamed work
  CriticalPath critical_path_;
};

}  // namespace tacit::trace
