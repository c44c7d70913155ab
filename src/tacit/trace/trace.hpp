// What ran where and when: per-thread ring buffers, their sums, and the time line for Perfetto.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tacit::trace {

/// A kind of event ("density", "write snapshot"), interned once so that an event is four words.
enum class KindId : std::uint32_t {};

struct Event {
  std::int64_t begin_ns = 0;  ///< base::now_ns()
  std::int64_t end_ns = 0;
  KindId kind{};
  std::uint32_t key = 0;  ///< which one of its kind: the cell, the block
};

/// The events of one thread. Only that thread writes; the newest `capacity` events are kept, sums are kept of all.
///
/// On a cache line of its own, so that threads do not slow each other down.
class alignas(64) Lane {
 public:
  /// @param capacity  events kept, >= 1; their memory is touched only as they come
  explicit Lane(std::size_t capacity);
  /// Cost: a few ns; no locks; no allocation for kinds that the Recorder has named.
  void record(const Event& event);
  [[nodiscard]] std::vector<Event> events() const;  ///< oldest first
  [[nodiscard]] std::uint64_t recorded() const noexcept { return recorded_; }
  /// Time and number of all events of a kind, also of those that the ring has dropped.
  struct Sum {
    std::uint64_t count = 0;
    std::int64_t busy_ns = 0;
  };
  [[nodiscard]] Sum sum(KindId kind) const;
  /// Time of all events of all kinds [ns].
  [[nodiscard]] std::int64_t busy_ns() const;

 private:
  friend class Recorder;
  /// Makes room for the sums of `kinds` kinds, so that recording them does not allocate.
  void reserve_kinds(std::size_t kinds);

  std::size_t capacity_;
  std::vector<Event> ring_;  // grows up to capacity_, then the oldest is overwritten
  std::vector<Sum> sums_;
  std::uint64_t recorded_ = 0;
};

/// Owns the lanes of one process: one per worker, and lane 0 for the main thread as worker 0.
///
/// Threads: each lane may record at any time from its own thread; everything else only while no lane records.
class Recorder {
 public:
  /// @param lanes     threads that record
  /// @param capacity  events kept per lane
  explicit Recorder(std::size_t lanes, std::size_t capacity = 1U << 18U);

  /// The id of a kind, made on first use. Call while building, not while running.
  KindId kind(std::string_view name);
  [[nodiscard]] std::string_view name(KindId kind) const { return kinds_[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] std::size_t lanes() const noexcept { return lanes_.size(); }
  [[nodiscard]] Lane& lane(std::size_t index) { return *lanes_[index]; }

  struct KindSum {
    std::string name;
    std::uint64_t count = 0;
    double busy_s = 0.0;  ///< over all lanes
  };
  /// One row per kind, the most expensive first; those of equal time by name.
  [[nodiscard]] std::vector<KindSum> sums() const;
  /// Time of all events of a lane [s], also of those that its ring has dropped.
  [[nodiscard]] double busy_s(std::size_t lane) const { return 1e-9 * static_cast<double>(lanes_[lane]->busy_ns()); }

  /// Writes the kept events in the JSON trace-event format that Perfetto opens (ui.perfetto.dev).
  /// @param about  (name, value) pairs that say where the trace came from; kept as "otherData"
  /// @throws base::SystemError if the file cannot be written
  void write(const std::filesystem::path& path, std::span<const std::pair<std::string, std::string>> about = {}) const;

 private:
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::vector<std::string> kinds_;
  std::int64_t start_ns_;
};

}  // namespace tacit::trace
