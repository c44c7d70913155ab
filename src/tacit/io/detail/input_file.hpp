// A file that is only read, by calls of the operating system.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "tacit/base/error.hpp"

namespace tacit::io::detail {

/// @throws base::SystemError, every function, if the file cannot be read
class InputFile {
 public:
  explicit InputFile(const std::string& path)
      : path_(path), file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (file_ < 0) fail();
  }
  ~InputFile() { ::close(file_); }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  /// 0 of what is no regular file.
  [[nodiscard]] std::uint64_t size() const {
    struct stat status {};
    if (::fstat(file_, &status) != 0) fail();
    return S_ISREG(status.st_mode) ? static_cast<std::uint64_t>(status.st_size) : 0;
  }
  /// @return how many there were
  std::size_t read(std::uint64_t offset, std::span<std::byte> out) const {
    std::size_t done = 0;
    while (done < out.size()) {
      const ssize_t got = ::pread(file_, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail();
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    return done;
  }
  /// Lets the disk begin with what is read soon.
  void announce(std::uint64_t offset, std::uint64_t bytes) const noexcept {
    ::posix_fadvise(file_, static_cast<off_t>(offset), static_cast<off_t>(bytes), POSIX_FADV_WILLNEED);
  }

 private:
  [[noreturn]] void fail() const { throw base::SystemError(path_, "cannot be read", errno); }
  std::string path_;
  int file_;
};

}  // namespace tacit::io::detail
