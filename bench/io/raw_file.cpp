// Calls of the operating system.
// SPDX-License-Identifier: Apache-2.0
#include "io/raw_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>

namespace tacit::bench {
namespace {

using Clock = std::chrono::steady_clock;

/// What one call moves; as fast as longer ones, and short enough for the queue of a disk.
constexpr std::size_t piece_bytes = std::size_t{8} << 20U;

[[noreturn]] void fail(const std::filesystem::path& path) {
  throw std::system_error(errno, std::generic_category(), path.string());
}

/// An open file; empty where the file system refuses O_DIRECT.
class Open {
 public:
  Open(const std::filesystem::path& path, int flags, Through through) : path_(path) {
    if (through == Through::nothing) flags |= O_DIRECT;
    file_ = ::open(path.c_str(), flags | O_CLOEXEC, 0666);
    if (file_ < 0 && !(errno == EINVAL && through == Through::nothing)) fail(path);
  }
  ~Open() {
    if (file_ >= 0) ::close(file_);
  }
  Open(const Open&) = delete;
  Open& operator=(const Open&) = delete;

  explicit operator bool() const noexcept { return file_ >= 0; }
  void write(std::span<const std::byte> content) {
    while (!content.empty()) {
      const ssize_t done = ::write(file_, content.data(), std::min(piece_bytes, content.size()));
      if (done < 0 && errno != EINTR) fail(path_);
      content = content.subspan(static_cast<std::size_t>(std::max<ssize_t>(done, 0)));
    }
  }
  [[nodiscard]] std::size_t read(std::span<std::byte> into) {
    for (;;) {
      const ssize_t done = ::read(file_, into.data(), std::min(piece_bytes, into.size()));
      if (done >= 0) return static_cast<std::size_t>(done);
      if (errno != EINTR) fail(path_);
    }
  }
  void sync() {
    if (::fsync(file_) != 0) fail(path_);
  }
  void forget() noexcept { ::posix_fadvise(file_, 0, 0, POSIX_FADV_DONTNEED); }

 private:
  std::filesystem::path path_;
  int file_ = -1;
};

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

}  // namespace

Pages::Pages(std::size_t bytes) : bytes_(bytes), memory_(static_cast<std::byte*>(::operator new(bytes, page))) {
  std::memset(memory_.get(), 1, bytes);
}

std::optional<double> write_raw(const std::filesystem::path& path, std::span<const std::byte> content,
                                std::size_t times, Through through) {
  const auto begin = Clock::now();
  Open file(path, O_WRONLY | O_CREAT | O_TRUNC, through);
  if (!file) return std::nullopt;
  for (std::size_t i = 0; i < times; ++i) file.write(content);
  file.sync();
  return seconds_since(begin);
}

std::optional<double> read_raw(const std::filesystem::path& path, std::span<std::byte> into, Through through) {
  const auto begin = Clock::now();
  Open file(path, O_RDONLY, through);
  if (!file) return std::nullopt;
  std::size_t at = 0;
  for (std::size_t got = 1; got > 0;) {
    got = file.read(into.subspan(at));
    // A piece that is cut off ends the file: what follows it is not aligned.
    if (got % 4096 != 0) break;
    at = at + got == into.size() ? 0 : at + got;
  }
  return seconds_since(begin);
}

void forget(const std::filesystem::path& path) {
  Open file(path, O_RDONLY, Through::page_cache);
  file.sync();
  file.forget();
}

void empty_folder(const std::filesystem::path& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) std::filesystem::remove_all(entry.path());
  ::sync();
}

}  // namespace tacit::bench
