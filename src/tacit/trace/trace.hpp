// What ran where and when: per-thread ring buffers, their sums, and the time line for Perfetto.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
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
class Lane {
 public:
  explicit Lane(std::size_t capacity);
  void record(const Event& event);
  [[nodiscard]] std::vector<Event> events() const;  ///< oldest first
  [[nodiscard]] std::uint64_t recorded() const noexcept { return recorded_; }
  /// Time and number of all events of a kind, also of those that the ring has dropped.
  struct Sum {
    std::uint64_t count = 0;
    std::int64_t busy_ns = 0;
  };
  [[nodiscard]] Sum sum(KindId kind) const;

 private:
  std::vector<Event> ring_;
  std::vector<Sum> sums_;
  std::uint64_t recorded_ = 0;
};

/// Owns the lanes of one process: one per worker, and lane 0 for the main thread as worker 0.
class Recorder {
 public:
  /// @param lanes     threads that record
  /// @param capacity  events kept per lane
  explicit Recorder(std::size_t lanes, std::size_t capacity = 1U << 18U);

  /// The id of a kind, made on first use. Call while building, not while running.
  KindId kind(std::string_view name);
  [[nodiscard]] std::string_view name(KindId kind) const;
  [[nodiscard]] std::size_t lanes() const noexcept { return lanes_.size(); }
  [[nodiscard]] Lane& lane(std::size_t index) { return *lanes_[index]; }

  struct KindSum {
    std::string name;
    std::uint64_t count = 0;
    double busy_s = 0.0;  ///< over all lanes
  };
  /// One row per kind, the most expensive first.
  [[nodiscard]] std::vector<KindSum> sums() const;

  /// Writes the kept events in the JSON trace-event format that Perfetto opens (ui.perfetto.dev).
  /// @throws base::SystemError if the file cannot be written
  void write(const std::filesystem::path& path) const;

 private:
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::vector<std::string> kinds_;
  std::int64_t start_ns_;
};

}  // namespace tacit::trace
