// The temporary file, its fsync and its rename, and the messages when one of them fails.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/io/detail/atomic_write.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

#include "tacit/base/error.hpp"

namespace tacit::io::detail {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view leftover_prefix = ".tacit-write.";

// Not derived from the target's name, which may already be as long as the file system allows.
fs::path temporary_name(const fs::path& target) {
  static std::atomic<unsigned> count = 0;
  return directory_of(target) / fmt::format("{}{}.{}.tmp", leftover_prefix, ::getpid(), ++count);
}

[[noreturn]] void fail(const fs::path& path, std::uint64_t needed, int code) {
  const fs::path directory = directory_of(path);
  const std::optional<std::uint64_t> free = free_bytes(directory);
  throw base::SystemError(
      path.string(),
      fmt::format("cannot be written: needs {}, {}; {}", format_bytes(needed),
                  free ? format_bytes(*free) + " free" : "free space unknown", advice(code, directory)),
      code);
}

void refuse_special_target(const fs::path& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return;
  if (S_ISREG(status.st_mode) || S_ISLNK(status.st_mode)) return;
  throw base::SystemError(path.string(), S_ISDIR(status.st_mode)
                                             ? "cannot be written: a directory has this name; choose another name"
                                             : "cannot be written: it is no regular file; choose another name");
}

int open_new(const fs::path& path) {
  const int flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC;
  const int descriptor = ::open(path.c_str(), flags, 0666);
  if (descriptor >= 0 || errno != EEXIST) return descriptor;
  ::unlink(path.c_str());  // left by a killed process that had our number
  return ::open(path.c_str(), flags, 0666);
}

// Returns 0 or an errno. Linux writes at most 2 GiB per call; smaller pieces make no difference in speed.
int write_at(int descriptor, std::uint64_t offset, std::span<const std::byte> content) noexcept {
  constexpr std::size_t piece = std::size_t{1} << 28;
  while (!content.empty()) {
    const ssize_t written =
        ::pwrite(descriptor, content.data(), std::min(piece, content.size()), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    if (written == 0) return ENOSPC;
    content = content.subspan(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
  return 0;
}

// A rename is durable only when the directory is. Some file systems cannot sync directories and say EINVAL.
int sync_directory(const fs::path& directory) noexcept {
  const int descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return errno == EACCES ? 0 : errno;
  const int code = ::fsync(descriptor) == 0 || errno == EINVAL ? 0 : errno;
  ::close(descriptor);
  return code;
}

// ".tacit-write.PID.COUNT.tmp" -> PID, 0 for any other name.
pid_t writer_of(std::string_view name) noexcept {
  if (!name.starts_with(leftover_prefix) || !name.ends_with(".tmp")) return 0;
  name.remove_prefix(leftover_prefix.size());
  pid_t pid = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
  return error == std::errc{} && *end == '.' && pid > 0 ? pid : 0;
}

}  // namespace

WholeFile::WholeFile(fs::path target) : target_(std::move(target)) {
  refuse_special_target(target_);
  temporary_ = temporary_name(target_);
  file_ = open_new(temporary_);
  if (file_ < 0) code_ = errno;
}

WholeFile::~WholeFile() {
  if (file_ < 0) return;
  ::close(file_);
  ::unlink(temporary_.c_str());
}

void WholeFile::write(std::uint64_t offset, std::span<const std::byte> content) noexcept {
  if (code_ == 0) code_ = write_at(file_, offset, content);
}

void WholeFile::read(std::uint64_t offset, std::span<std::byte> out) const noexcept {
  while (file_ >= 0 && !out.empty()) {
    const ssize_t got = ::pread(file_, out.data(), out.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    out = out.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
  std::ranges::fill(out, std::byte{0});
}

void WholeFile::commit(std::uint64_t size) {
  if (code_ == 0 && ::ftruncate(file_, static_cast<off_t>(size)) != 0) code_ = errno;
  if (code_ == 0 && ::fsync(file_) != 0) code_ = errno;
  if (code_ != 0) fail(target_, size, code_);
  // Closed before it is renamed: a network file system reports lost writes only here.
  if (::close(std::exchange(file_, -1)) != 0) code_ = errno;
  if (code_ == 0 && ::rename(temporary_.c_str(), target_.c_str()) != 0) code_ = errno;
  if (code_ != 0) {
    ::unlink(temporary_.c_str());
    fail(target_, size, code_);
  }
  if (const int code = sync_directory(directory_of(target_)); code != 0) fail(target_, size, code);
}

void write_whole(const fs::path& path, std::span<const std::byte> content) {
  WholeFile file(path);
  file.write(0, content);
  file.commit(content.size());
}

std::optional<std::uint64_t> free_bytes(const fs::path& directory) noexcept {
  struct statvfs status {};
  if (::statvfs(directory.c_str(), &status) != 0) return std::nullopt;
  return static_cast<std::uint64_t>(status.f_bavail) * status.f_frsize;
}

fs::path directory_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

std::string format_bytes(std::uint64_t bytes) {
  if (bytes < 1000) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes);
  std::string_view prefixes = "kMGTPE";
  value /= 1000.0;
  while (value >= 999.95) {
    value /= 1000.0;
    prefixes.remove_prefix(1);
  }
  return fmt::format("{:.1f} {}B", value, prefixes.front());
}

std::string advice(int code, const fs::path& directory) {
  const std::string elsewhere = "or choose another directory with --output DIR";
  switch (code) {
    case ENOSPC:
      return fmt::format("free some space in {} {}", directory.string(), elsewhere);
    case EDQUOT:
      return fmt::format("your disk quota for {} is used up: remove files {}", directory.string(), elsewhere);
    case EFBIG:
      return "the file would exceed the allowed size: see 'ulimit -f'";
    case EROFS:
      return fmt::format("the file system of {} is read-only: choose another directory with --output DIR",
                         directory.string());
    case EACCES:
    case EPERM:
      return fmt::format("no permission to write in {}: change that {}", directory.string(), elsewhere);
    case ENOENT:
      return fmt::format("{} does not exist: make it {}", directory.string(), elsewhere);
    case ENOTDIR:
      return fmt::format("{} is not a directory: choose another with --output DIR", directory.string());
    default:
      return fmt::format("check {} {}", directory.string(), elsewhere);
  }
}

void remove_leftovers(const fs::path& directory) noexcept try {
  std::vector<fs::path> dead;
  for (const auto& entry : fs::directory_iterator(directory)) {
    const pid_t pid = writer_of(entry.path().filename().native());
    if (pid != 0 && ::kill(pid, 0) != 0 && errno == ESRCH && !entry.is_directory()) dead.push_back(entry.path());
  }
  for (const fs::path& path : dead) ::unlink(path.c_str());
} catch (...) {
  // Tidying is a courtesy; a directory that cannot be listed is reported by the write itself.
}

}  // namespace tacit::io::detail
