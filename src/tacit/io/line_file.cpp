// A text file that grows by one write call per line.
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "tacit/io/detail/atomic_write.hpp"
#include "tacit/io/output_directory.hpp"

namespace tacit::io {
namespace {

[[noreturn]] void fail_line(const std::filesystem::path& path, const std::string& what, int code) {
  throw base::SystemError(path.string(), what + "; " + detail::advice(code, detail::directory_of(path)), code);
}

}  // namespace

LineFile::LineFile(const std::filesystem::path& path, Mode mode) : path_(path) {
  const int truncate = mode == Mode::replace ? O_TRUNC : 0;
  file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | truncate, 0666);
  if (file_ < 0) fail_line(path_, "cannot be opened for writing", errno);
}

LineFile::~LineFile() {
  if (file_ >= 0) ::close(file_);
}

LineFile::LineFile(LineFile&& other) noexcept : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)) {}

LineFile& LineFile::operator=(LineFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(file_, other.file_);
  return *this;
}

void LineFile::append(std::string_view line) {
  TACIT_EXPECT(file_ >= 0);
  std::string text(line);
  text.push_back('\n');
  ssize_t written = 0;
  while ((written = ::write(file_, text.data(), text.size())) < 0 && errno == EINTR) {
  }
  if (written == static_cast<ssize_t>(text.size())) return;
  const int code = written < 0 ? errno : ENOSPC;
  // The disk filled up within the line: take the piece back, so that only whole lines stay.
  struct stat status {};
  if (written > 0 && ::fstat(file_, &status) == 0) {
    if (::ftruncate(file_, status.st_size - written) != 0) fail_line(path_, "ends in a part of a line", code);
  }
  base::fail_to_write(path_, text.size(), code, "cannot be extended by a line");
}

void LineFile::sync() {
  TACIT_EXPECT(file_ >= 0);
  if (::fsync(file_) != 0 && errno != EINVAL)
    fail_line(path_, "lost lines", errno);  // EINVAL: not a thing to be synced
}

void LineFile::close() {
  if (file_ < 0) return;
  const int file = std::exchange(file_, -1);
  const int code = ::fsync(file) == 0 || errno == EINVAL ? 0 : errno;  // EINVAL: not a thing to be synced
  const int code_of_close = ::close(file) == 0 ? 0 : errno;
  if (code != 0 || code_of_close != 0) fail_line(path_, "lost lines", code != 0 ? code : code_of_close);
}

}  // namespace tacit::io
