// Starts programs through fork and exec.
// SPDX-License-Identifier: Apache-2.0
#include "sph/child.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

#include "tacit/base/error.hpp"

namespace tacit::bench {
namespace {

/// Both ends of a pipe, closed in every program that is started.
struct Pipe {
  int out = -1;  ///< to read from
  int in = -1;   ///< to write to
};

Pipe open_pipe(const std::string& name) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw base::SystemError(name, "pipe failed", errno);
  return {ends[0], ends[1]};
}

/// In the new process: nothing but calls that are safe between fork and exec.
[[noreturn]] void become(char* const* words, int input, int output, const char* directory) noexcept {
  constexpr int not_started = 127;
  if (*directory != '\0' && chdir(directory) != 0) _exit(not_started);
  dup2(input, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  execv(words[0], words);
  _exit(not_started);
}

}  // namespace

Child::Child(std::vector<std::string> words, Output output, const std::filesystem::path& directory)
    : name_(words.front()) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const std::string place = directory.string();
  const Pipe to = open_pipe(name_);
  const Pipe from = open_pipe(name_);
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  process_ = fork();
  if (process_ == 0) become(pointers.data(), to.out, output == Output::to_us ? from.in : nowhere, place.c_str());
  const int code = errno;
  for (const int end : {to.out, from.in, nowhere}) close(end);
  to_.reset(fdopen(to.in, "w"));
  from_.reset(fdopen(from.out, "r"));
  if (process_ < 0) throw base::SystemError(name_, "fork failed", code);
}

Child::~Child() {
  if (process_ <= 0) return;
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
}

void Child::send_line(const std::string& line) {
  const bool is_sent = std::fputs((line + "\n").c_str(), to_.get()) >= 0 && std::fflush(to_.get()) == 0;
  if (!is_sent) throw base::SystemError(name_, "does not listen", errno);
}

std::string Child::read_line() {
  std::string line;
  for (int c = std::getc(from_.get()); c != '\n'; c = std::getc(from_.get())) {
    if (c == EOF) throw base::SystemError(name_, "ended before it answered");
    line.push_back(static_cast<char>(c));
  }
  return line;
}

void Child::wait_for_end() {
  to_.reset();
  int status = 0;
  while (waitpid(process_, &status, 0) < 0) {
    if (errno != EINTR) throw base::SystemError(name_, "wait failed", errno);
  }
  process_ = -1;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw base::SystemError(name_, "failed, see above");
}

std::filesystem::path own_program() { return std::filesystem::read_symlink("/proc/self/exe"); }

}  // namespace tacit::bench
