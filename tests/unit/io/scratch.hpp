// A directory that a test may fill, and children that may die; for the tests of io and of file formats.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "support/temporary_folder.hpp"

namespace tacit::test {

using Scratch = TemporaryFolder;

inline std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void put(const std::filesystem::path& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// Bytes of a file of ours before its footer of checksums, which says it in its last 64 bytes.
inline std::size_t data_bytes_of(const std::filesystem::path& path) {
  const std::string all = content(path);
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, all.data() + all.size() - 40, sizeof bytes);
  return bytes;
}

inline std::size_t entries(const std::filesystem::path& directory) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(directory), {}));
}

/// What `action` throws, as text; "nothing" if it does not.
template <class E, class Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const E& error) {
    return error.what();
  }
  return "nothing";
}

/// Runs `action` in a child that dies after `seconds`; its result is the exit status (0 .. 99), or -signal.
template <class Action>
int in_child(const Action& action, unsigned seconds = 30) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(seconds);
    int result = 99;
    try {
      result = action();
    } catch (...) {
    }
    ::_exit(result);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace tacit::test
