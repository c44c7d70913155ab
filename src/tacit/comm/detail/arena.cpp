// Makes, maps and divides files without a name.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/detail/arena.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "tacit/base/error.hpp"

namespace tacit::comm::shm {
namespace {

constexpr std::size_t alignment = alignof(detail::SlotHead);

std::uint64_t inode_of(int file) {
  struct stat status {};
  return fstat(file, &status) == 0 ? static_cast<std::uint64_t>(status.st_ino) : 0;
}

}  // namespace

Segment::Segment(std::size_t bytes) : bytes_(bytes) {
  file_ = memfd_create("tacit", MFD_CLOEXEC);
  if (file_ < 0) throw base::SystemError("shared memory", "memfd_create failed", errno);
  inode_ = inode_of(file_);
  if (ftruncate(file_, static_cast<off_t>(bytes)) != 0) {
    const int code = errno;
    close(file_);
    throw base::SystemError("shared memory", fmt::format("{} bytes cannot be had", bytes), code);
  }
  map();
}

Segment::Segment(std::int64_t process_id, const detail::Place& place)
    : inode_(place.inode), bytes_(static_cast<std::size_t>(place.length)) {
  const std::string path = fmt::format("/proc/{}/fd/{}", process_id, place.file);
  file_ = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file_ < 0) throw base::SystemError(path, "shared memory of another rank cannot be opened", errno);
  if (inode_of(file_) != place.inode) {
    close(file_);
    throw base::SystemError(path, "is not the shared memory that the other rank announced");
  }
  map();
  close(std::exchange(file_, -1));  // the mapping keeps it alive
}

void Segment::map() {
  void* data = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  if (data == MAP_FAILED) {
    const int code = errno;
    close(file_);
    throw base::SystemError("shared memory", fmt::format("{} bytes cannot be mapped", bytes_), code);
  }
  data_ = static_cast<std::byte*>(data);
}

Segment::Segment(Segment&& other) noexcept
    : file_(std::exchange(other.file_, -1)),
      inode_(other.inode_),
      bytes_(other.bytes_),
      data_(std::exchange(other.data_, nullptr)) {}

Segment::~Segment() {
  if (data_ != nullptr) munmap(data_, bytes_);
  if (file_ >= 0) close(file_);
}

detail::Place Segment::place(std::size_t offset) const noexcept {
  return {.file = file_, .inode = inode_, .length = bytes_, .offset = offset, .address = data_ + offset};
}

/// No data if no free part is long enough.
detail::Piece Arena::carve(Shared& shared, std::size_t bytes) {
  const auto begin = shared.extents.take(bytes);
  if (!begin) return {};
  return {shared.segment.data() + *begin, shared.segment.place(*begin)};
}

detail::Piece Arena::allocate(std::size_t bytes) {
  bytes = (bytes + alignment - 1) / alignment * alignment;
  const std::lock_guard guard(mutex_);
  for (Shared& shared : segments_) {
    if (const detail::Piece piece = carve(shared, bytes); piece.data != nullptr) return piece;
  }
  const std::size_t last = segments_.empty() ? smallest / 2 : segments_.back().segment.bytes();
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  segments_.emplace_back((std::max(bytes, 2 * last) + page - 1) / page * page);
  return carve(segments_.back(), bytes);
}

void Arena::release(const detail::Piece& piece) noexcept {
  const std::lock_guard guard(mutex_);
  for (Shared& shared : segments_) {
    if (shared.segment.data() + piece.place.offset == piece.data && shared.extents.give_back(piece.place.offset)) {
      return;
    }
  }
}

}  // namespace tacit::comm::shm
