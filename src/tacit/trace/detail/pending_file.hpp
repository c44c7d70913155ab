// A text file that appears under its name only when it is whole.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>

namespace tacit::trace::detail {

class PendingFile {
 public:
  /// @throws base::SystemError if it cannot be created
  explicit PendingFile(const std::filesystem::path& path);
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;
  ~PendingFile();

  /// @throws base::SystemError if the disk fails, here and below
  void append(std::string_view text);
  /// Puts it under its name.
  void commit();

 private:
  [[noreturn]] void fail(const char* what) const;

  std::filesystem::path path_;
  std::filesystem::path partial_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

}  // namespace tacit::trace::detail
