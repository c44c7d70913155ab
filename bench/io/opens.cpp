// Takes the place of the C library's functions that open files, for this program and the libraries that it loads.
// SPDX-License-Identifier: Apache-2.0
#include "io/opens.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdarg>
#include <cstring>

namespace tacit::bench {
namespace {

std::string& counted_folder() {
  static std::string folder;
  return folder;
}
std::atomic<bool> is_counting = false;
std::atomic<std::uint64_t> count = 0;

/// @param mode  meaningful where a file is made
int open_counted(int directory, const char* path, int flags, unsigned mode) noexcept {
  if (is_counting.load(std::memory_order_relaxed) && (flags & O_DIRECTORY) == 0 &&
      std::strncmp(path, counted_folder().c_str(), counted_folder().size()) == 0) {
    count.fetch_add(1, std::memory_order_relaxed);
  }
  return static_cast<int>(::syscall(SYS_openat, directory, path, flags, mode));
}

}  // namespace

void count_opens_in(const std::string& folder) {
  is_counting = false;
  counted_folder() = folder;
  count = 0;
  is_counting = true;
}

std::uint64_t opens() noexcept { return count.load(); }

}  // namespace tacit::bench

// Under other names here than for the linker: the headers' own declarations carry attributes of their own.
extern "C" {
int tacit_bench_open(const char* path, int flags, ...) __asm__("open");
int tacit_bench_open64(const char* path, int flags, ...) __asm__("open64");

int tacit_bench_open(const char* path, int flags, ...) {
  std::va_list rest;
  va_start(rest, flags);
  const unsigned mode = (flags & O_CREAT) != 0 ? va_arg(rest, unsigned) : 0;
  va_end(rest);
  return tacit::bench::open_counted(AT_FDCWD, path, flags, mode);
}

int tacit_bench_open64(const char* path, int flags, ...) {
  std::va_list rest;
  va_start(rest, flags);
  const unsigned mode = (flags & O_CREAT) != 0 ? va_arg(rest, unsigned) : 0;
  va_end(rest);
  return tacit::bench::open_counted(AT_FDCWD, path, flags, mode);
}
}
