// A library for LD_PRELOAD that lets the file system fail, on demand, for one program and one folder.
// SPDX-License-Identifier: Apache-2.0
//
// It does nothing but in programs of the name FAULTY_IO_PROGRAM (any, if not given), on the rank FAULTY_IO_RANK (all,
// if not given). Calls are those on files in the folder FAULTY_IO_FOLDER, an absolute path without links, and below it:
//   FAULTY_IO_EXCEPT    names of files there that are left alone, with a colon after each
//   FAULTY_IO_KILL      "before:fsync:3": SIGKILL right before (or "after") the third call of a kind: write, fsync,
//                       rename, unlink, truncate, close (of what has been written to)
//   FAULTY_IO_KILL_ALL  "1": the other ranks that the same launcher has started on this node first
//   FAULTY_IO_ERROR     "fsync:2:EIO": the second call of a kind does nothing and fails so (a close does close)
//   FAULTY_IO_SPACE     bytes that the disk has: what goes beyond is not written, ENOSPC; statvfs says what is left
//   FAULTY_IO_RATE      bytes per second that the disk writes
//   FAULTY_IO_HOLD      a file: before there is one of that name, the disk takes no write of more than 64 KB
//   FAULTY_IO_FLOCK     "ENOTSUP", "ENOLCK", ...: how flock fails, in all folders
//   FAULTY_IO_HOST, FAULTY_IO_PID  what the program takes for its host and its process
//   FAULTY_IO_COUNTS    a file, to whose name .RANK is added, for the number of calls by kind and of bytes, at the end;
//                       "early", the names that were given to what no fsync had made durable, which a power cut could
//                       leave without it; and "lost", how many were followed by no fsync of their folder
#include "faulty_io.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

namespace faulty_io {
namespace {

constexpr std::array<const char*, kinds> kind_names{"write", "fsync", "rename", "unlink", "truncate", "close"};

struct Fault {
  Kind kind = Kind::none;
  bool is_before = true;
  std::uint64_t call = 0;
  int code = 0;
};

struct Settings {
  bool is_active = false;
  std::string folder;
  std::string except;
  std::string rank;
  Fault kill;
  bool kills_all = false;
  Fault error;
  std::int64_t space = -1;
  double rate = 0.0;
  std::string hold;
};

std::string variable(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? "" : text;
}

/// The rank that a launcher has given this process; "0" without one.
std::string own_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"}) {
    if (std::string rank = variable(name); !rank.empty()) return rank;
  }
  return "0";
}

std::string target_of(const char* link) {
  std::array<char, PATH_MAX> text{};
  const ssize_t length = ::readlink(link, text.data(), text.size());
  return length > 0 ? std::string(text.data(), static_cast<std::size_t>(length)) : "";
}

Kind kind_of(const std::string& name) {
  for (std::size_t i = 0; i < kinds; ++i) {
    if (name == kind_names[i]) return static_cast<Kind>(i);
  }
  return Kind::none;
}

std::array<std::string, 3> words_of(const std::string& text) {
  std::array<std::string, 3> words;
  std::size_t begin = 0;
  for (std::string& word : words) {
    const std::size_t end = std::min(text.find(':', begin), text.size());
    if (begin < end) word = text.substr(begin, end - begin);
    begin = std::min(end + 1, text.size());
  }
  return words;
}

Settings read_settings() {
  Settings s;
  const std::string program = target_of("/proc/self/exe");
  const std::string wanted = variable("FAULTY_IO_PROGRAM");
  s.rank = own_rank();
  const std::string rank = variable("FAULTY_IO_RANK");
  s.is_active =
      (wanted.empty() || program.substr(program.rfind('/') + 1) == wanted) && (rank.empty() || rank == s.rank);
  s.folder = variable("FAULTY_IO_FOLDER");
  s.except = variable("FAULTY_IO_EXCEPT");
  const auto kill = words_of(variable("FAULTY_IO_KILL"));
  s.kill = {kind_of(kill[1]), kill[0] == "before", std::strtoull(kill[2].c_str(), nullptr, 10), 0};
  s.kills_all = variable("FAULTY_IO_KILL_ALL") == "1";
  const auto error = words_of(variable("FAULTY_IO_ERROR"));
  s.error = {kind_of(error[0]), true, std::strtoull(error[1].c_str(), nullptr, 10), code_of(error[2])};
  if (const std::string space = variable("FAULTY_IO_SPACE"); !space.empty()) s.space = std::atoll(space.c_str());
  s.rate = std::atof(variable("FAULTY_IO_RATE").c_str());
  s.hold = variable("FAULTY_IO_HOLD");
  return s;
}

const Settings& settings() {
  static const Settings read = read_settings();
  return read;
}

std::array<std::atomic<std::uint64_t>, kinds> calls{};
std::atomic<std::int64_t> bytes = 0;
std::array<std::atomic<bool>, 65536> watched{};
std::array<std::atomic<bool>, 65536> written{};

using Inode = std::pair<dev_t, ino_t>;

/// What this process has written or renamed, and has not made durable.
struct Volatile {
  std::mutex mutex;
  std::map<Inode, std::string> files;  // by where they were when they were written
  std::multiset<Inode> names;          // by their folders
  std::set<std::string> early;
};
Volatile& what_is_volatile() {
  static auto* const all = new Volatile;  // threads may write until the very end
  return *all;
}

Inode inode_of(const struct stat& status) { return {status.st_dev, status.st_ino}; }

/// The processes that have the same parent, a launcher.
void kill_siblings() {
  const long parent = ::syscall(SYS_getppid);
  const long self = ::syscall(SYS_getpid);
  DIR* processes = ::opendir("/proc");
  while (const dirent* entry = processes == nullptr ? nullptr : ::readdir(processes)) {
    const long process = std::atol(entry->d_name);
    if (process <= 0 || process == self) continue;
    FILE* file = std::fopen(("/proc/" + std::string(entry->d_name) + "/stat").c_str(), "r");
    if (file == nullptr) continue;
    std::array<char, 512> text{};
    const std::size_t length = std::fread(text.data(), 1, text.size() - 1, file);
    std::fclose(file);
    const std::string line(text.data(), length);
    const std::size_t name_end = line.rfind(") ");  // then a letter, then the parent
    if (name_end != std::string::npos && std::atol(line.c_str() + name_end + 3) == parent) {
      ::kill(static_cast<pid_t>(process), SIGKILL);
    }
  }
}

[[noreturn]] void die() {
  // Without a launcher, the parent is who tests, and its other children are not ours.
  if (settings().kills_all && !variable("OMPI_COMM_WORLD_RANK").empty()) kill_siblings();
  for (;;) ::syscall(SYS_kill, ::syscall(SYS_getpid), SIGKILL);
}

void write_counts() {
  const std::string path = variable("FAULTY_IO_COUNTS");
  if (path.empty() || !settings().is_active) return;
  std::string text = "{";
  for (std::size_t i = 0; i < kinds; ++i) {
    text += "\"" + std::string(kind_names[i]) + "\": " + std::to_string(calls[i].load()) + ", ";
  }
  {
    Volatile& now = what_is_volatile();
    const std::lock_guard lock(now.mutex);
    text += "\"early\": [";
    for (const std::string& name : now.early) text += (name == *now.early.begin() ? "\"" : ", \"") + name + "\"";
    text += "], \"lost\": " + std::to_string(now.names.size()) + ", ";
  }
  text += "\"bytes\": " + std::to_string(bytes.load()) + "}\n";
  if (FILE* file = std::fopen((path + "." + settings().rank).c_str(), "w")) {
    std::fputs(text.c_str(), file);
    std::fclose(file);
  }
}

struct AtEnd {
  ~AtEnd() { write_counts(); }
};
const AtEnd at_end;

}  // namespace

int code_of(const std::string& name) {
  if (name == "ENOTSUP") return ENOTSUP;
  if (name == "ENOLCK") return ENOLCK;
  if (name == "ENOSPC") return ENOSPC;
  return name.empty() ? 0 : EIO;
}

std::string asked(const char* name) { return settings().is_active ? variable(name) : ""; }

bool is_inside(const std::string& path) {
  const Settings& s = settings();
  if (!s.is_active || s.folder.empty() || !path.starts_with(s.folder)) return false;
  if (s.except.find(path.substr(path.rfind('/') + 1) + ":") != std::string::npos) return false;
  return path.size() == s.folder.size() || path[s.folder.size()] == '/';
}

std::string full_path(int folder, const char* path) {
  const std::string given = path;
  if (given.starts_with('/')) return given;
  const std::string here =
      folder == AT_FDCWD ? target_of("/proc/self/cwd") : target_of(("/proc/self/fd/" + std::to_string(folder)).c_str());
  return here + "/" + given;
}

void note_open(int descriptor) {
  if (descriptor < 0 || static_cast<std::size_t>(descriptor) >= watched.size() || !settings().is_active) return;
  const int saved = errno;
  const std::string path = target_of(("/proc/self/fd/" + std::to_string(descriptor)).c_str());
  watched[static_cast<std::size_t>(descriptor)] = is_inside(path);
  written[static_cast<std::size_t>(descriptor)] = false;
  errno = saved;
}

bool is_watched(int descriptor) {
  return descriptor >= 0 && static_cast<std::size_t>(descriptor) < watched.size() &&
         watched[static_cast<std::size_t>(descriptor)];
}

void note_write(int descriptor) {
  written[static_cast<std::size_t>(descriptor)] = true;
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return;
  Volatile& now = what_is_volatile();
  const std::lock_guard lock(now.mutex);
  now.files[inode_of(status)] = target_of(("/proc/self/fd/" + std::to_string(descriptor)).c_str());
}

void note_sync(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return;
  Volatile& now = what_is_volatile();
  const std::lock_guard lock(now.mutex);
  now.files.erase(inode_of(status));
  now.names.erase(inode_of(status));
}

void note_rename(const std::string& from, const std::string& to) {
  struct stat status {};
  const bool has_folder = ::stat(to.substr(0, to.rfind('/')).c_str(), &status) == 0;
  Volatile& now = what_is_volatile();
  const std::lock_guard lock(now.mutex);
  if (has_folder) now.names.insert(inode_of(status));
  const bool is_early = std::ranges::any_of(
      now.files, [&](const auto& file) { return file.second == from || file.second.starts_with(from + "/"); });
  if (is_early) now.early.insert(to.substr(to.rfind('/') + 1));
}

bool note_close(int descriptor) {
  watched[static_cast<std::size_t>(descriptor)] = false;
  return written[static_cast<std::size_t>(descriptor)].exchange(false);
}

Call::Call(Kind kind) : kind_(kind), number_(++calls[static_cast<std::size_t>(kind)]) {
  const Fault& kill = settings().kill;
  if (kill.is_before && kill.kind == kind_ && kill.call == number_) die();
}

Call::~Call() {
  const Fault& kill = settings().kill;
  if (!kill.is_before && kill.kind == kind_ && kill.call == number_) die();
}

int Call::error() const {
  const Fault& error = settings().error;
  return error.kind == kind_ && error.call == number_ ? error.code : 0;
}

std::size_t take_space(std::size_t asked_for) {
  const std::int64_t before = bytes.fetch_add(static_cast<std::int64_t>(asked_for));
  if (settings().space < 0) return asked_for;
  const std::int64_t left = std::max<std::int64_t>(settings().space - before, 0);
  return std::min(asked_for, static_cast<std::size_t>(left));
}

std::int64_t space_left() {
  return settings().space < 0 ? -1 : std::max<std::int64_t>(settings().space - bytes.load(), 0);
}

void wait_for_disk(std::size_t length) {
  constexpr std::size_t longest_let_through = 65536;
  while (!settings().hold.empty() && length > longest_let_through && ::access(settings().hold.c_str(), F_OK) != 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (settings().rate <= 0.0) return;
  using Clock = std::chrono::steady_clock;
  static std::mutex mutex;
  static Clock::time_point free_at;
  Clock::time_point mine;
  {
    const std::lock_guard lock(mutex);
    const std::chrono::duration<double> seconds(static_cast<double>(length) / settings().rate);
    free_at = std::max(free_at, Clock::now()) + std::chrono::duration_cast<Clock::duration>(seconds);
    mine = free_at;
  }
  std::this_thread::sleep_until(mine);
}

}  // namespace faulty_io
