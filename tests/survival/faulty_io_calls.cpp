// The calls of the C library that faulty_io takes over: open, write, fsync, rename, ... and streams.
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "faulty_io.hpp"

using faulty_io::Call;
using faulty_io::Kind;

namespace {

template <typename Function>
Function* original(Function*, const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

int failure(int code) {
  errno = code;
  return -1;
}

/// A call on a path or descriptor that may fail as a whole.
template <typename Act>
int whole(Kind kind, bool is_ours, Act act) {
  if (!is_ours) return act();
  const Call call(kind);
  return call.error() != 0 ? failure(call.error()) : act();
}

/// A write, of which the disk takes what it has space for. `act` writes so many bytes.
template <typename Act>
ssize_t partial(int descriptor, std::size_t length, Act act) {
  if (!faulty_io::is_watched(descriptor)) return act(length);
  faulty_io::note_write(descriptor);
  const Call call(Kind::write);
  if (call.error() != 0) return failure(call.error());
  const std::size_t takes = faulty_io::take_space(length);
  if (takes == 0 && length > 0) return failure(ENOSPC);
  faulty_io::wait_for_disk(takes);
  return act(takes);
}

bool is_ours(int folder, const char* path) { return faulty_io::is_inside(faulty_io::full_path(folder, path)); }

/// A call that makes durable what it names; one that fails does not.
template <typename Act>
int durable(int descriptor, Act act) {
  return whole(Kind::fsync, faulty_io::is_watched(descriptor), [=] {
    if (!faulty_io::is_watched(descriptor)) return act();
    faulty_io::wait_for_disk(0);
    const int result = act();
    if (result == 0) faulty_io::note_sync(descriptor);
    return result;
  });
}

/// A call by which something gets the name `to`.
template <typename Act>
int named(int from_folder, const char* from, int to_folder, const char* to, Act act) {
  return whole(Kind::rename, is_ours(to_folder, to), [=] {
    if (is_ours(to_folder, to)) {
      faulty_io::note_rename(faulty_io::full_path(from_folder, from), faulty_io::full_path(to_folder, to));
    }
    return act();
  });
}

std::size_t length_of(const iovec* pieces, int count) {
  std::size_t length = 0;
  for (int i = 0; i < count; ++i) length += pieces[i].iov_len;
  return length;
}

/// Writes the first bytes of some pieces, each by itself. `act(base, length, before)` writes one.
template <typename Act>
ssize_t each(const iovec* pieces, int count, std::size_t length, Act act) {
  std::size_t done = 0;
  for (int i = 0; i < count && done < length; ++i) {
    const ssize_t written = act(pieces[i].iov_base, std::min(pieces[i].iov_len, length - done), done);
    if (written < 0) return done > 0 ? static_cast<ssize_t>(done) : -1;
    done += static_cast<std::size_t>(written);
  }
  return static_cast<ssize_t>(done);
}

mode_t mode_from(int flags, va_list arguments) {
  const bool is_given = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  return is_given ? va_arg(arguments, mode_t) : 0;
}

/// Streams on files of the folder, and their descriptors: what the C library writes for its own streams passes by us.
struct Streams {
  std::mutex mutex;
  std::map<FILE*, int> descriptors;
};
Streams& streams() {
  static Streams all;
  return all;
}

int descriptor_of(void* cookie) { return static_cast<int>(reinterpret_cast<std::intptr_t>(cookie)); }

/// As the C library does, until an error; who calls sees it by the missing bytes and errno.
ssize_t write_all(int descriptor, const char* from, std::size_t length) {
  std::size_t done = 0;
  while (done < length) {
    const ssize_t written = ::write(descriptor, from + done, length - done);
    if (written < 0) break;
    done += static_cast<std::size_t>(written);
  }
  return static_cast<ssize_t>(done);
}

FILE* stream_of(int descriptor, const char* mode) {
  const cookie_io_functions_t functions{
      .read = [](void* cookie, char* to, std::size_t n) { return ::read(descriptor_of(cookie), to, n); },
      .write = [](void* cookie, const char* from, std::size_t n) { return write_all(descriptor_of(cookie), from, n); },
      .seek =
          [](void* cookie, off64_t* offset, int whence) {
            const off_t reached = ::lseek(descriptor_of(cookie), *offset, whence);
            if (reached >= 0) *offset = reached;
            return reached < 0 ? -1 : 0;
          },
      .close = [](void* cookie) { return ::close(descriptor_of(cookie)); }};
  FILE* stream = ::fopencookie(reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor)), mode, functions);
  const std::lock_guard lock(streams().mutex);
  return streams().descriptors[stream] = descriptor, stream;
}

int flags_of(const char* mode) {
  const bool both = std::strchr(mode, '+') != nullptr;
  const int more =
      (std::strchr(mode, 'x') != nullptr ? O_EXCL : 0) | (std::strchr(mode, 'e') != nullptr ? O_CLOEXEC : 0);
  const int access = both ? O_RDWR : O_WRONLY;
  return access | O_CREAT | (*mode == 'a' ? O_APPEND : *mode == 'w' ? O_TRUNC : 0) | more;
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_from(flags, arguments);
  va_end(arguments);
  const int descriptor = original(::open, "open")(path, flags, mode);
  faulty_io::note_open(descriptor);
  return descriptor;
}

int openat(int folder, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_from(flags, arguments);
  va_end(arguments);
  const int descriptor = original(::openat, "openat")(folder, path, flags, mode);
  faulty_io::note_open(descriptor);
  return descriptor;
}

// On 64-bit Linux both names mean the same.
int open64(const char* path, int flags, ...) __attribute__((alias("open")));
int openat64(int folder, const char* path, int flags, ...) __attribute__((alias("openat")));

int creat(const char* path, mode_t mode) { return ::open(path, O_WRONLY | O_CREAT | O_TRUNC, mode); }
int creat64(const char* path, mode_t mode) __attribute__((alias("creat")));

FILE* fopen(const char* path, const char* mode) {
  const bool writes = std::strpbrk(mode, "wa+") != nullptr;
  if (!writes || *mode == 'r' || !is_ours(AT_FDCWD, path)) return original(::fopen, "fopen")(path, mode);
  const int descriptor = ::open(path, flags_of(mode), 0666);
  return descriptor < 0 ? nullptr : stream_of(descriptor, mode);
}
FILE* fopen64(const char* path, const char* mode) __attribute__((alias("fopen")));

int fclose(FILE* stream) {
  {
    const std::lock_guard lock(streams().mutex);
    streams().descriptors.erase(stream);
  }
  return original(::fclose, "fclose")(stream);
}

int fileno(FILE* stream) noexcept {
  {
    const std::lock_guard lock(streams().mutex);
    const auto found = streams().descriptors.find(stream);
    if (found != streams().descriptors.end()) return found->second;
  }
  return original(::fileno, "fileno")(stream);
}

ssize_t write(int descriptor, const void* from, std::size_t length) {
  return partial(descriptor, length, [=](std::size_t n) { return original(::write, "write")(descriptor, from, n); });
}

ssize_t pwrite(int descriptor, const void* from, std::size_t length, off_t offset) {
  return partial(descriptor, length,
                 [=](std::size_t n) { return original(::pwrite, "pwrite")(descriptor, from, n, offset); });
}
ssize_t pwrite64(int descriptor, const void* from, std::size_t length, off64_t offset) __attribute__((alias("pwrite")));

ssize_t writev(int descriptor, const iovec* pieces, int count) {
  if (!faulty_io::is_watched(descriptor)) return original(::writev, "writev")(descriptor, pieces, count);
  return partial(descriptor, length_of(pieces, count), [=](std::size_t n) {
    return each(pieces, count, n, [=](const void* from, std::size_t length, std::size_t) {
      return original(::write, "write")(descriptor, from, length);
    });
  });
}

ssize_t pwritev(int descriptor, const iovec* pieces, int count, off_t offset) {
  if (!faulty_io::is_watched(descriptor)) return original(::pwritev, "pwritev")(descriptor, pieces, count, offset);
  return partial(descriptor, length_of(pieces, count), [=](std::size_t n) {
    return each(pieces, count, n, [=](const void* from, std::size_t length, std::size_t before) {
      return original(::pwrite, "pwrite")(descriptor, from, length, offset + static_cast<off_t>(before));
    });
  });
}
ssize_t pwritev64(int descriptor, const iovec* pieces, int count, off64_t offset) __attribute__((alias("pwritev")));

int fsync(int descriptor) {
  return durable(descriptor, [=] { return original(::fsync, "fsync")(descriptor); });
}

int fdatasync(int descriptor) {
  return durable(descriptor, [=] { return original(::fdatasync, "fdatasync")(descriptor); });
}

int ftruncate(int descriptor, off_t length) noexcept {
  return whole(Kind::truncate, faulty_io::is_watched(descriptor),
               [=] { return original(::ftruncate, "ftruncate")(descriptor, length); });
}
int ftruncate64(int descriptor, off64_t length) noexcept __attribute__((alias("ftruncate")));

int posix_fallocate(int descriptor, off_t offset, off_t length) {
  struct stat status {};
  if (faulty_io::is_watched(descriptor) && ::fstat(descriptor, &status) == 0) {
    const auto more = static_cast<std::size_t>(std::max<off_t>(offset + length - status.st_size, 0));
    if (faulty_io::take_space(more) < more) return ENOSPC;
  }
  return original(::posix_fallocate, "posix_fallocate")(descriptor, offset, length);
}
int posix_fallocate64(int descriptor, off64_t offset, off64_t length) __attribute__((alias("posix_fallocate")));

int rename(const char* from, const char* to) noexcept {
  return named(AT_FDCWD, from, AT_FDCWD, to, [=] { return original(::rename, "rename")(from, to); });
}

int renameat(int from_folder, const char* from, int to_folder, const char* to) noexcept {
  return named(from_folder, from, to_folder, to,
               [=] { return original(::renameat, "renameat")(from_folder, from, to_folder, to); });
}

int unlink(const char* path) noexcept {
  return whole(Kind::unlink, is_ours(AT_FDCWD, path), [=] { return original(::unlink, "unlink")(path); });
}

int unlinkat(int folder, const char* path, int flags) noexcept {
  return whole(Kind::unlink, is_ours(folder, path),
               [=] { return original(::unlinkat, "unlinkat")(folder, path, flags); });
}

int remove(const char* path) noexcept {
  return whole(Kind::unlink, is_ours(AT_FDCWD, path), [=] { return original(::remove, "remove")(path); });
}

int close(int descriptor) {
  const bool counts = faulty_io::is_watched(descriptor) && faulty_io::note_close(descriptor);
  if (!counts) return original(::close, "close")(descriptor);
  const Call call(Kind::close);
  const int result = original(::close, "close")(descriptor);  // whatever it says: so does Linux
  return call.error() != 0 ? failure(call.error()) : result;
}

int flock(int descriptor, int operation) noexcept {
  const std::string error = faulty_io::asked("FAULTY_IO_FLOCK");
  return error.empty() ? original(::flock, "flock")(descriptor, operation) : failure(faulty_io::code_of(error));
}

int statvfs(const char* path, struct statvfs* status) noexcept {
  const int result = original(static_cast<int (*)(const char*, struct statvfs*)>(::statvfs), "statvfs")(path, status);
  const std::int64_t left = faulty_io::space_left();
  if (result == 0 && left >= 0 && is_ours(AT_FDCWD, path)) {
    status->f_bavail = status->f_bfree = static_cast<fsblkcnt_t>(left) / status->f_frsize;
  }
  return result;
}

int gethostname(char* name, std::size_t length) noexcept {
  const std::string host = faulty_io::asked("FAULTY_IO_HOST");
  if (host.empty()) return original(::gethostname, "gethostname")(name, length);
  std::snprintf(name, length, "%s", host.c_str());
  return host.size() < length ? 0 : failure(ENAMETOOLONG);
}

int uname(struct utsname* system) noexcept {
  const int result = original(::uname, "uname")(system);
  const std::string host = faulty_io::asked("FAULTY_IO_HOST");
  if (result == 0 && !host.empty()) std::snprintf(system->nodename, sizeof system->nodename, "%s", host.c_str());
  return result;
}

pid_t getpid() noexcept {
  const std::string process = faulty_io::asked("FAULTY_IO_PID");
  return process.empty() ? original(::getpid, "getpid")() : static_cast<pid_t>(std::atol(process.c_str()));
}

}  // extern "C"
