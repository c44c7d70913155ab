// Recorders whose ticks, events and counters are given, so that every number that follows is known.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>

#include "tacit/base/ticks.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::trace::testing {

/// A tick is 1 us and the trace starts at tick 1000.
inline const base::TickScale microseconds{1000, 1000.0};

inline Event event(std::int64_t begin, std::int64_t end, KindId kind, std::uint32_t key = 0) {
  return {.begin = begin, .end = end, .kind = kind, .key = key};
}

/// Two workers for 2 s that send four messages: work, output, a transfer of 0.3 s of which 0.1 s is waited for,
/// polling, copying, idling, waiting for the disk.
inline std::unique_ptr<Recorder> sample() {
  auto made = std::make_unique<Recorder>(2, 16, microseconds);
  Recorder& recorder = *made;
  const KindId density = recorder.kind("density");
  const KindId force = recorder.kind("force");
  const KindId pack = recorder.kind("pack", Category::communication);
  const KindId poll = recorder.kind("poll", Category::poll);
  const KindId wait = recorder.kind("wait", Category::wait);
  const KindId idle = recorder.kind("idle", Category::idle);
  const KindId snapshot = recorder.kind("write snapshot", Category::output);
  const KindId disk = recorder.kind("wait for the disk", Category::disk_wait);
  const KindId halo = recorder.kind("halo");  // only transfers have it
  Track& first = recorder.track(0);
  first.record(event(1000, 501'000, density, 1));
  first.record(event(501'000, 901'000, density, 2));
  first.record(event(901'000, 1'001'000, wait));
  first.record(event(1'001'000, 1'201'000, force));
  first.record(event(1'201'000, 1'701'000, snapshot, 7));
  first.record(event(1'701'000, 1'801'000, disk));
  first.counters = {.tasks = 3, .steals = 1, .stolen = 2, .conflicts = 5, .polls = 40, .completions = 2, .sleeps = 6};
  Track& second = recorder.track(1);
  second.record(event(1000, 61'000, pack));
  second.record(event(61'000, 101'000, poll));
  second.record(event(101'000, 901'000, density, 3));
  second.record(event(901'000, 1'901'000, idle));
  second.record(Transfer{.posted = 61'000, .completed = 361'000, .kind = halo, .key = 9});
  second.record(
      Transfer{.posted = 61'000, .completed = 861'000, .kind = halo, .key = 10, .alone_s = 0.1, .bytes = 8000});
  second.counters = {.tasks = 1, .jobs = 1, .polls = 60};
  const KindId edges = recorder.kind("edges", Category::communication);
  first.count_sent(halo, 2, 3000);
  second.count_sent(edges, 1, 250);
  second.count_sent(halo, 1, 1500);
  recorder.add_critical_path({.runs = 2, .work_s = 1.9, .length_s = 0.95, .by_kind = {{force, 0.19}, {density, 0.76}}});
  return made;
}

/// A folder of its own for each test, removed afterwards.
class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("tacit-trace-" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }
  [[nodiscard]] std::filesystem::path operator/(std::string_view name) const { return path_ / name; }
  /// A file with this content.
  [[nodiscard]] std::filesystem::path file(std::string_view name, std::string_view content) const {
    std::ofstream(path_ / name, std::ios::binary) << content;
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

inline std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace tacit::trace::testing
