// The strategy by which each file of a run is written.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tacit/io/detail/contest.hpp"
#include "tacit/io/writers.hpp"

namespace tacit::comm {
class Communicator;
}

namespace tacit::io::detail {

/// What a file has cost this rank.
struct FileTime {
  std::atomic<double> seconds{0.0};  ///< from the first to the last that was done for it
  double felt_s = 0.0;      ///< until the caller could go on, where it is written beside the computation; by the caller
  std::uint64_t bytes = 0;  ///< of its arrays, as far as this rank knows of them; by the caller
};

/// The one that the user asks for; else, for each kind of files ("snapshot", "restart"), the one that has turned out to
/// be the fastest. The first file of a kind, which meets cold memory and new folders, is written by one rank of each
/// node and counts for its length only: where it is short, all are written so. The next ones are trials.
class StrategyChoice {
 public:
  /// @param least_bytes  below which a file is too short for trials
  StrategyChoice(comm::Communicator& ranks, const Writers& writers, std::uint64_t least_bytes);

  /// The strategy of a file that is to be made. Called by all ranks, which agree.
  /// @param finished  files whose times are known, by their numbers
  [[nodiscard]] const Strategy& next(const std::filesystem::path& path, int compression, std::uint64_t finished);
  /// The file has been given away. @param number  `finished` is as much when its time is known
  void note(const std::filesystem::path& path, int compression, const Strategy& strategy,
            std::shared_ptr<const FileTime> time, std::uint64_t number);
  /// The kinds of files so far: how the latest one was written.
  [[nodiscard]] std::map<std::string, std::string> used() const;
  /// What has been found out since the last call, in words.
  [[nodiscard]] std::vector<std::string> take_news() { return std::exchange(news_, {}); }

 private:
  struct Trial {
    std::size_t way = 0;
    std::uint64_t number = 0;
    std::shared_ptr<const FileTime> time;
  };
  struct Kind {
    std::vector<const Strategy*> ways;
    Contest contest{0};
    std::deque<Trial> trials;  // that are not over on all ranks
    bool has_begun = false;    // the first file is over
    bool is_settled = false;
    const Strategy* latest = nullptr;
  };
  using Key = std::pair<std::string, bool>;  // and whether it is compressed
  [[nodiscard]] static Key key_of(const std::filesystem::path& path, int compression);
  [[nodiscard]] Kind& kind_of(const Key& key);
  void learn(const std::string& name, Kind& kind, std::uint64_t finished);
  void add(const std::string& name, Kind& kind, const Trial& trial, double seconds, std::uint64_t bytes);

  comm::Communicator& ranks_;
  bool is_automatic_;
  std::uint64_t least_bytes_;
  std::vector<Strategy> strategies_;  // the first is taken where nothing is known
  std::map<Key, Kind> kinds_;
  std::vector<std::string> news_;
};

}  // namespace tacit::io::detail
