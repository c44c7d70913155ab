// The temporary file, its fsync and its rename, and the messages when one of them fails.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/io/detail/atomic_write.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <initializer_list>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "tacit/base/disk.hpp"
#include "tacit/base/error.hpp"
#include "tacit/io/detail/pack.hpp"

namespace tacit::io::detail {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view leftover_prefix = ".tacit-write.";

/// The first of these variables that is set, with nothing in it that a name of a file may not have.
std::string word_of(std::initializer_list<const char*> variables) {
  for (const char* variable : variables) {
    const char* const value = std::getenv(variable);
    if (value == nullptr || *value == 0) continue;
    std::string word(std::string_view(value).substr(0, 32));
    std::ranges::replace_if(
        word, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    return word;
  }
  return "0";
}

std::string host_name() {
  std::array<char, 65> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  std::string word(name.data());
  std::ranges::replace_if(
      word, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return word;
}

void refuse_special_target(const fs::path& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return;
  if (S_ISREG(status.st_mode) || S_ISLNK(status.st_mode)) return;
  throw base::SystemError(path.string(), S_ISDIR(status.st_mode)
                                             ? "cannot be written: a directory has this name; choose another name"
                                             : "cannot be written: it is no regular file; choose another name");
}

/// Opens a new file beside the target, under a name that nobody has.
/// @return the descriptor, negative where it cannot be made (and errno)
int open_new(const fs::path& target, fs::path& path) {
  for (;;) {
    path = temporary_name(target);
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
}

// Returns 0 or an errno. Linux writes at most 2 GiB per call; smaller pieces are as fast.
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

bool is_in_pages(const Run& run) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(run.bytes.data());
  return (address | run.bytes.size() | run.offset) % page_bytes == 0 && !run.bytes.empty();
}

/// How many of the first runs are in pages and follow each other.
std::size_t joined(std::span<const Run> runs) noexcept {
  constexpr std::size_t most = 256;
  std::size_t count = 0;
  while (count < std::min(most, runs.size()) && is_in_pages(runs[count])) {
    if (count > 0 && runs[count].offset != runs[count - 1].offset + runs[count - 1].bytes.size()) break;
    ++count;
  }
  return count;
}

/// Who wrote a file of the name ".tacit-write.HOST.JOB.RANK.PID.COUNT.tmp".
struct Writer {
  std::string_view host;
  pid_t process = 0;
};

/// Nothing for any other name.
std::optional<Writer> writer_of(std::string_view name) {
  if (!name.starts_with(leftover_prefix) || !name.ends_with(".tmp")) return std::nullopt;
  name.remove_prefix(leftover_prefix.size());
  std::array<std::string_view, 5> words{};
  for (std::string_view& word : words) {
    const std::size_t end = name.find('.');
    if (end == std::string_view::npos) return std::nullopt;
    word = name.substr(0, end);
    name.remove_prefix(end + 1);
  }
  Writer writer{.host = words[0]};
  const auto [end, error] = std::from_chars(words[3].data(), words[3].data() + words[3].size(), writer.process);
  const bool is_number = error == std::errc{} && end == words[3].data() + words[3].size() && writer.process > 0;
  return is_number && name == "tmp" ? std::optional(writer) : std::nullopt;
}

/// Whether the process that wrote it is gone, as far as this host can tell.
bool is_dead(const Writer& writer) {
  return writer.host == host_name() && ::kill(writer.process, 0) != 0 && errno == ESRCH;
}

}  // namespace

// Not derived from the target's name, which may already be as long as the file system allows. Other hosts that see the
// folder have processes of the same number, so it takes host, job and rank to tell ours from theirs.
fs::path temporary_name(const fs::path& target) {
  static std::atomic<unsigned> count = 0;
  static const std::string ours =
      fmt::format("{}.{}.{}", host_name(), word_of({"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID"}),
                  word_of({"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"}));
  return directory_of(target) / fmt::format("{}{}.{}.{}.tmp", leftover_prefix, ours, ::getpid(), ++count);
}

// A rename is durable only when the directory is. Some file systems cannot sync directories and say EINVAL.
int sync_directory(const fs::path& directory) noexcept {
  const int descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return errno == EACCES ? 0 : errno;
  const int code = ::fsync(descriptor) == 0 || errno == EINVAL ? 0 : errno;
  ::close(descriptor);
  return code;
}

WholeFile::WholeFile(fs::path target) : target_(std::move(target)) {
  refuse_special_target(target_);
  file_ = open_new(target_, temporary_);
  if (file_ < 0) code_ = errno;
}

WholeFile::WholeFile(fs::path target, fs::path temporary, int code)
    : target_(std::move(target)), temporary_(std::move(temporary)), code_(code), is_joined_(true) {
  if (code_ != 0) return;
  file_ = ::open(temporary_.c_str(), O_RDWR | O_CLOEXEC);
  if (file_ < 0) code_ = errno;
}

WholeFile::~WholeFile() {
  if (file_ < 0) return;
  ::close(file_);
  if (!is_joined_) ::unlink(temporary_.c_str());
}

void WholeFile::write(std::uint64_t offset, std::span<const std::byte> content) noexcept {
  if (code_ == 0) code_ = write_at(file_, offset, content);
}

void WholeFile::write(std::span<const Run> runs) noexcept {
  while (!runs.empty()) {
    const std::size_t count = joined(runs);
    if (count == 0 || !write_past_cache(runs.first(count))) {
      for (const Run& run : runs.first(std::max<std::size_t>(count, 1))) write(run.offset, run.bytes);
    }
    runs = runs.subspan(std::max<std::size_t>(count, 1));
  }
}

/// @return whether they are written, or a write has failed; what is left of them belongs into the page cache
bool WholeFile::write_past_cache(std::span<const Run> runs) noexcept {
  if (code_ != 0) return true;
  const int flags = ::fcntl(file_, F_GETFL);
  can_pass_cache_ = can_pass_cache_ && flags >= 0 && ::fcntl(file_, F_SETFL, flags | O_DIRECT) == 0;
  if (!can_pass_cache_) return false;
  std::array<iovec, 256> pieces{};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    pieces.at(i) = {const_cast<std::byte*>(runs[i].bytes.data()), runs[i].bytes.size()};
  }
  ssize_t written = -1;
  do {
    written = ::pwritev(file_, pieces.data(), static_cast<int>(runs.size()), static_cast<off_t>(runs[0].offset));
  } while (written < 0 && errno == EINTR);
  const int code = written < 0 ? errno : 0;
  ::fcntl(file_, F_SETFL, flags);
  can_pass_cache_ = code != EINVAL && code != EOPNOTSUPP;  // some file systems say only here that they cannot
  if (!can_pass_cache_) return false;
  code_ = code;
  auto done = static_cast<std::size_t>(std::max<ssize_t>(written, 0));
  for (const Run& run : runs) {  // what a disk that is nearly full has left
    const std::size_t of_run = std::min(done, run.bytes.size());
    done -= of_run;
    if (of_run < run.bytes.size()) write(run.offset + of_run, run.bytes.subspan(of_run));
  }
  return true;
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

void WholeFile::truncate(std::uint64_t size) noexcept {
  if (code_ == 0 && ::ftruncate(file_, static_cast<off_t>(size)) != 0) code_ = errno;
}

void WholeFile::sync(std::uint64_t size) {
  if (code_ == 0 && ::fsync(file_) != 0) code_ = errno;
  if (code_ != 0) base::fail_to_write(target_, size, code_);
}

void WholeFile::leave(std::uint64_t size) {
  TACIT_EXPECT(is_joined_);
  if (file_ >= 0 && ::close(std::exchange(file_, -1)) != 0 && code_ == 0) code_ = errno;
  if (code_ != 0) base::fail_to_write(target_, size, code_);
}

void WholeFile::commit(std::uint64_t size) {
  TACIT_EXPECT(!is_joined_);
  truncate(size);
  sync(size);
  // Closed before it is renamed: a network file system reports lost writes only here.
  if (::close(std::exchange(file_, -1)) != 0) code_ = errno;
  if (code_ == 0 && ::rename(temporary_.c_str(), target_.c_str()) != 0) code_ = errno;
  if (code_ != 0) {
    ::unlink(temporary_.c_str());
    base::fail_to_write(target_, size, code_);
  }
  if (const int code = sync_directory(directory_of(target_)); code != 0) base::fail_to_write(target_, size, code);
}

void write_whole(const fs::path& path, std::span<const std::byte> content) {
  WholeFile file(path);
  file.write(0, content);
  file.commit(content.size());
}

void remove_leftovers(const fs::path& directory, bool is_ours_alone) noexcept try {
  std::vector<fs::path> dead;
  for (const auto& entry : fs::directory_iterator(directory)) {
    const std::string name = entry.path().filename().string();
    const auto writer = writer_of(name);
    if (!writer) continue;
    const bool is_own = writer->host == host_name() && writer->process == ::getpid();
    if (is_dead(*writer) || (is_ours_alone && !is_own)) dead.push_back(entry.path());
  }
  std::error_code ignored;
  for (const fs::path& path : dead) fs::remove_all(path, ignored);
} catch (...) {
  // Cleaning up is optional; a directory that cannot be listed is reported by the next write to it.
}

}  // namespace tacit::io::detail
