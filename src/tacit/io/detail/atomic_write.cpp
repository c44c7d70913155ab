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

/// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int descriptor) noexcept : descriptor_(descriptor) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }
  [[nodiscard]] int get() const noexcept { return descriptor_; }
  /// @return 0, or the errno of close: a network file system reports lost writes only here
  int close() noexcept {
    if (descriptor_ < 0) return 0;
    return ::close(std::exchange(descriptor_, -1)) == 0 ? 0 : errno;
  }

 private:
  int descriptor_;
};

/// Unlinks a temporary file unless it was renamed away.
class Temporary {
 public:
  explicit Temporary(fs::path path) : path_(std::move(path)) {}
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  [[nodiscard]] const fs::path& path() const noexcept { return path_; }
  void release() noexcept { path_.clear(); }

 private:
  fs::path path_;
};

// Not derived from the target's name, which may already be as long as the file system allows.
fs::path temporary_name(const fs::path& target) {
  static std::atomic<unsigned> count = 0;
  return directory_of(target) / fmt::format("{}{}.{}.tmp", leftover_prefix, ::getpid(), ++count);
}

[[noreturn]] void fail(const fs::path& path, std::size_t needed, int code) {
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
  const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
  const int descriptor = ::open(path.c_str(), flags, 0666);
  if (descriptor >= 0 || errno != EEXIST) return descriptor;
  ::unlink(path.c_str());  // left by a killed process that had our number
  return ::open(path.c_str(), flags, 0666);
}

// Returns 0 or an errno. Linux writes at most 2 GiB per call; smaller pieces make no difference in speed.
int write_all(int descriptor, std::span<const std::byte> content) noexcept {
  constexpr std::size_t piece = std::size_t{1} << 28;
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), std::min(piece, content.size()));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    if (written == 0) return ENOSPC;
    content = content.subspan(static_cast<std::size_t>(written));
  }
  return 0;
}

// A rename is durable only when the directory is. Some file systems cannot sync directories and say EINVAL.
int sync_directory(const fs::path& directory) noexcept {
  const Descriptor descriptor(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.get() < 0) return errno == EACCES ? 0 : errno;
  return ::fsync(descriptor.get()) == 0 || errno == EINVAL ? 0 : errno;
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

void write_whole(const fs::path& path, std::span<const std::byte> content) {
  refuse_special_target(path);
  Temporary temporary(temporary_name(path));
  Descriptor file(open_new(temporary.path()));
  if (file.get() < 0) {
    const int code = errno;
    temporary.release();
    fail(path, content.size(), code);
  }
  int code = write_all(file.get(), content);
  if (code == 0 && ::fsync(file.get()) != 0) code = errno;
  if (const int close_code = file.close(); code == 0) code = close_code;
  if (code != 0) fail(path, content.size(), code);
  if (::rename(temporary.path().c_str(), path.c_str()) != 0) fail(path, content.size(), errno);
  temporary.release();
  if (code = sync_directory(directory_of(path)); code != 0) fail(path, content.size(), code);
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
      return fmt::format("a part of {} is not a directory: choose another with --output DIR", directory.string());
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
  // Tidying is a courtesy; a directory that cannot be listed is reported by whoever writes to it.
}

}  // namespace tacit::io::detail
