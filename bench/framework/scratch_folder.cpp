// Makes folders, and the processes that remove them.
// SPDX-License-Identifier: Apache-2.0
#include "framework/scratch_folder.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <string>
#include <system_error>

#include "tacit/base/error.hpp"

namespace tacit::bench {
namespace {

/// Programs that a benchmark has started may outlive it, and write on for a moment.
void remove_until_gone(const std::filesystem::path& folder) noexcept {
  constexpr int tries = 100;
  constexpr useconds_t between_us = 100'000;
  for (int i = 0; i < tries; ++i) {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
    if (!std::filesystem::exists(folder, ignored)) return;
    ::usleep(between_us);
  }
}

/// The life of the process that removes: signals to the terminal's processes are not for it.
[[noreturn]] void await_end_and_remove(int alive, const std::filesystem::path& folder) noexcept {
  ::setsid();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_IGN);
  char none = 0;
  while (::read(alive, &none, 1) < 0 && errno == EINTR) {
  }
  remove_until_gone(folder);
  ::_exit(0);
}

}  // namespace

std::filesystem::path scratch_place() {
  if (const char* const given = ::getenv("TMPDIR"); given != nullptr && *given != '\0') return given;
  std::error_code none;
  const std::filesystem::path lasting = "/var/tmp";
  return std::filesystem::is_directory(lasting, none) ? lasting : std::filesystem::temp_directory_path();
}

ScratchFolder::ScratchFolder(std::string_view name, const std::filesystem::path& place) {
  std::string path = (std::filesystem::absolute(place) / name).string() + "-XXXXXX";
  if (::mkdtemp(path.data()) == nullptr) throw base::SystemError(path, "cannot be made", errno);
  path_ = path;
  std::array<int, 2> ends{-1, -1};
  remover_ = ::pipe2(ends.data(), O_CLOEXEC) == 0 ? ::fork() : -1;
  if (remover_ == 0) {
    ::close(ends[1]);
    await_end_and_remove(ends[0], path_);
  }
  if (ends[0] >= 0) ::close(ends[0]);
  alive_ = ends[1];
}

ScratchFolder::~ScratchFolder() {
  if (alive_ >= 0) ::close(alive_);
  if (remover_ > 0) ::waitpid(remover_, nullptr, 0);
  remove_until_gone(path_);  // where there was no such process
}

}  // namespace tacit::bench
