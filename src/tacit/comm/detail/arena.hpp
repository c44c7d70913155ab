// Memory of this process that other processes of the node map: files without a name, which vanish with the process.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "tacit/comm/detail/extents.hpp"
#include "tacit/comm/detail/slot_link.hpp"

namespace tacit::comm::shm {

/// A mapped file without a name.
class Segment {
 public:
  /// A new one. @throws base::SystemError
  explicit Segment(std::size_t bytes);
  /// That of another process of this node. @throws base::SystemError if it may not be opened or is another file
  Segment(std::int64_t process_id, const detail::Place& place);
  Segment(Segment&& other) noexcept;
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;
  Segment& operator=(Segment&&) = delete;
  ~Segment();

  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  /// Where others find byte `offset`. @pre made by us
  [[nodiscard]] detail::Place place(std::size_t offset) const noexcept;

 private:
  void map();
  int file_ = -1;
  std::uint64_t inode_ = 0;
  std::size_t bytes_ = 0;
  std::byte* data_ = nullptr;
};

/// The page with the liveness record (detail::LivenessRecord) of this rank, and those of the ranks of this node that
/// are other processes.
struct LivenessPages {
  Segment mine;
  std::vector<std::pair<RankId, Segment>> others = {};
};

/// All shared memory of a rank: segments that grow geometrically, so that a peer maps few of them however many windows
/// there are. Safe for threads.
class Arena {
 public:
  [[nodiscard]] detail::Piece allocate(std::size_t bytes);
  void release(const detail::Piece& piece) noexcept;

 private:
  struct Shared {
    explicit Shared(std::size_t bytes) : segment(bytes), extents(segment.bytes()) {}
    Segment segment;
    detail::Extents extents;
  };
  static constexpr std::size_t smallest = std::size_t{1} << 18U;
  [[nodiscard]] static detail::Piece carve(Shared& shared, std::size_t bytes);

  std::mutex mutex_;
  std::vector<Shared> segments_;
};

}  // namespace tacit::comm::shm
