// The lock on a run's directory and the proof that it can be written.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/io/output_directory.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <ctime>
#include <exception>
#include <iterator>
#include <sstream>
#include <system_error>
#include <utility>

#include "tacit/io/detail/atomic_write.hpp"
#include "tacit/io/detail/parts_table.hpp"

namespace tacit::io {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, const std::string& what, int code) {
  throw base::SystemError(path.string(), what + "; " + detail::advice(code, path), code);
}

constexpr std::string_view lock_name = ".tacit.lock";

fs::path full_path(const fs::path& path) {
  const fs::path result = fs::absolute(path).lexically_normal();
  return result.has_filename() ? result : result.parent_path();
}

/// The topmost directory on the way to `path` that does not exist; empty if all do.
fs::path first_missing(const fs::path& path) {
  fs::path missing;
  std::error_code ignored;
  for (fs::path p = full_path(path); p.has_relative_path() && !fs::exists(p, ignored); p = p.parent_path()) missing = p;
  return missing;
}

/// The lowest part of the way to `path` that exists, as the user wrote it.
fs::path nearest_existing(const fs::path& path) {
  std::error_code ignored;
  fs::path place = detail::directory_of(path);
  while (!fs::exists(place, ignored) && place.has_relative_path() && place != ".") place = detail::directory_of(place);
  return place;
}

/// A link to nothing, as the disk of the data before it is mounted, is neither missing nor to be replaced.
void refuse_dangling_link(const fs::path& path) {
  std::error_code ignored;
  for (fs::path place = path; place.has_relative_path() && place != "." && !fs::exists(place, ignored);
       place = detail::directory_of(place)) {
    if (!fs::is_symlink(place, ignored)) continue;
    throw base::SystemError(place.string(), "is a link to " + fs::read_symlink(place, ignored).string() +
                                                ", which does not exist; make that, or choose another with "
                                                "--output DIR");
  }
}

void make_directory(const fs::path& path) {
  refuse_dangling_link(path);
  std::error_code error;
  if (fs::exists(path, error) && !fs::is_directory(path, error)) {
    throw base::SystemError(path.string(), "is a file, expected a directory; choose another with --output DIR");
  }
  fs::create_directories(path, error);
  if (!error) return;
  // The advice is about what is there on the way to it. A folder like /proc, which takes no new one, says "no such
  // file" of the folder that it does not make.
  const fs::path place = nearest_existing(path);
  std::error_code ignored;
  const bool refuses = error == std::errc::no_such_file_or_directory && fs::is_directory(place, ignored);
  throw base::SystemError(path.string(), "cannot be made; " + detail::advice(refuses ? EPERM : error.value(), place),
                          error.value());
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

// The holder writes "host pid time"; an unreadable line only makes the message shorter.
std::string describe_holder(int lock) {
  std::array<char, 512> text{};
  if (::pread(lock, text.data(), text.size() - 1, 0) <= 0) return "";
  std::istringstream line(text.data());
  std::string host, pid, since;
  if (!(line >> host >> pid >> since)) return "";
  return fmt::format(" (process {} on {} since {})", pid, host, since);
}

// flock belongs to the open file, so it excludes a second run in this process too and vanishes however we end.
// File systems that offer no locks (some parallel ones) are used without.
enum class Lock : std::uint8_t { ours, anothers, none };
Lock try_lock(int lock) {
  int result = 0;
  while ((result = ::flock(lock, LOCK_EX | LOCK_NB)) != 0 && errno == EINTR) {
  }
  if (result == 0) return Lock::ours;
  return errno == EWOULDBLOCK ? Lock::anothers : Lock::none;
}

void sign(const fs::path& path, int lock) {
  const std::string line =
      fmt::format("{} {} {:%Y-%m-%dT%H:%M:%SZ}\n", host_name(), ::getpid(), fmt::gmtime(std::time(nullptr)));
  if (::ftruncate(lock, 0) != 0) fail(path, "cannot be written", errno);
  const ssize_t written = ::pwrite(lock, line.data(), line.size(), 0);
  if (written < 0) base::fail_to_write(path, line.size(), errno);
  if (static_cast<std::size_t>(written) != line.size()) base::fail_to_write(path, line.size(), ENOSPC);
}

/// Closes the lock file if taking the lock fails half-way.
struct Guard {
  int descriptor;
  ~Guard() {
    if (descriptor >= 0) ::close(descriptor);
  }
};

}  // namespace

OutputDirectory::OutputDirectory(const fs::path& path)
    : path_(path.empty() ? fs::path(".") : path), made_(first_missing(path_)) {
  make_directory(path_);
  // An old lock file may be writable in a directory that is not: ask for the directory itself.
  if (::faccessat(AT_FDCWD, path_.c_str(), W_OK | X_OK, AT_EACCESS) != 0) fail(path_, "cannot be written", errno);
  Guard guard{::open((path_ / lock_name).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)};
  if (guard.descriptor < 0) fail(path_, "cannot be written", errno);
  const Lock lock = try_lock(guard.descriptor);
  if (lock == Lock::anothers) {
    throw base::SystemError(path_.string(),
                            fmt::format("another run writes here{}; wait for it, or choose another with "
                                        "--output DIR",
                                        describe_holder(guard.descriptor)));
  }
  sign(path_, guard.descriptor);
  detail::remove_leftovers(path_, lock == Lock::ours);
  detail::remove_orphans(path_);
  folder_ = ::open(path_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  lock_ = std::exchange(guard.descriptor, -1);
  is_locked_ = lock == Lock::ours;
}

OutputDirectory::~OutputDirectory() {
  if (lock_ < 0) return;
  if (!made_.empty()) remove_if_unused();
  ::close(lock_);
  if (folder_ >= 0) ::close(folder_);
}

void OutputDirectory::remove_if_unused() const noexcept try {
  const auto entries = std::distance(fs::directory_iterator(path_), fs::directory_iterator());
  if (entries != 1 || !fs::remove(path_ / lock_name)) return;
  // Removes empty directories only, so that a parent in use by others stays.
  for (fs::path p = full_path(path_); fs::remove(p) && p != made_;) p = p.parent_path();
} catch (const std::exception&) {  // it stays; that does no harm
}

OutputDirectory::OutputDirectory(OutputDirectory&& other) noexcept
    : path_(std::move(other.path_)),
      made_(std::move(other.made_)),
      folder_(std::exchange(other.folder_, -1)),
      lock_(std::exchange(other.lock_, -1)),
      is_locked_(other.is_locked_) {}

OutputDirectory& OutputDirectory::operator=(OutputDirectory&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(made_, other.made_);
  std::swap(folder_, other.folder_);
  std::swap(lock_, other.lock_);
  std::swap(is_locked_, other.is_locked_);
  return *this;
}

bool OutputDirectory::is_replaced() const noexcept {
  struct stat held {
  }, found{};
  if (folder_ < 0 || ::fstat(folder_, &held) != 0) return false;
  if (::stat(path_.c_str(), &found) != 0) return errno == ENOENT || errno == ENOTDIR;
  return held.st_dev != found.st_dev || held.st_ino != found.st_ino;
}

std::uint64_t OutputDirectory::bytes_free() const {
  const std::optional<std::uint64_t> bytes = detail::free_bytes(path_);
  if (!bytes) throw base::SystemError(path_.string(), "its free space cannot be read", errno);
  return *bytes;
}

std::optional<std::uint64_t> bytes_free_in(const fs::path& directory) noexcept { return detail::free_bytes(directory); }

std::string no_room(const fs::path& path, std::uint64_t needed, std::uint64_t free) {
  return detail::failure_to_write(path, needed, free, ENOSPC).what();
}

void write_atomically(const fs::path& path, std::string_view content) {
  detail::write_whole(path, std::as_bytes(std::span(content.data(), content.size())));
}

}  // namespace tacit::io
