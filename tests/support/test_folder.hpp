// A folder for the files of a test program, which vanishes when the program ends.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>

#include "tacit/base/error.hpp"

namespace tacit::test {

/// The folder of this program among the system's temporary ones, made when it is first asked for: so programs that run
/// at the same time do not meet. A process that a test forks leaves it as it is.
/// @throws base::SystemError if it cannot be made
inline const std::filesystem::path& test_folder() {
  struct Owned {
    std::filesystem::path path;
    pid_t owner = getpid();
    Owned() {
      std::string name = (std::filesystem::temp_directory_path() / "tacit-test-XXXXXX").string();
      if (::mkdtemp(name.data()) == nullptr) throw base::SystemError(name, "cannot be made", errno);
      path = name;
    }
    ~Owned() {
      std::error_code ignored;
      if (getpid() == owner) std::filesystem::remove_all(path, ignored);
    }
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;
  };
  static const Owned owned;
  return owned.path;
}

}  // namespace tacit::test
