// Asks the file system, and puts errno into words.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/base/disk.hpp"

#include <fmt/format.h>
#include <sys/statvfs.h>

#include <cerrno>

namespace tacit::base {

namespace fs = std::filesystem;

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

SystemError failure_to_write(const fs::path& path, std::uint64_t needed, std::optional<std::uint64_t> free, int code,
                             std::string_view what) {
  return {path.string(),
          fmt::format("{}: needs {}, {}; {}", what, format_bytes(needed),
                      free ? format_bytes(*free) + " free" : "free space unknown", advice(code, directory_of(path))),
          code};
}

void fail_to_write(const fs::path& path, std::uint64_t needed, int code, std::string_view what) {
  throw failure_to_write(path, needed, free_bytes(directory_of(path)), code, what);
}

}  // namespace tacit::base
