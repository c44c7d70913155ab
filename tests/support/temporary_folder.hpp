// A folder that vanishes with the object, for tests and benchmarks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdlib.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "tacit/base/error.hpp"

namespace tacit::test {

/// A fresh folder among the system's temporary ones, removed with everything in it.
class TemporaryFolder {
 public:
  /// @throws base::SystemError if it cannot be made
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "tacit-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw base::SystemError(name, "cannot be made", errno);
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  [[nodiscard]] std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace tacit::test
