// The hidden folder of one that appears whole; private to the io layer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace tacit::io::detail {

/// A temporary folder beside its target that `commit` renames to the target; removed, with all in it, if that never
/// happens.
class WholeFolder {
 public:
  /// Makes the temporary folder.
  /// @throws base::SystemError if that fails, or if `target` exists and is no folder
  explicit WholeFolder(std::filesystem::path target);
  ~WholeFolder();
  WholeFolder(const WholeFolder&) = delete;
  WholeFolder& operator=(const WholeFolder&) = delete;

  /// Where it is before it is renamed.
  [[nodiscard]] const std::filesystem::path& temporary() const noexcept { return temporary_; }
  /// Makes a folder in it. @throws base::SystemError
  void make(const std::filesystem::path& name);
  /// Gives it its name, durably. A folder that has this name is replaced, in one step where the file system can do
  /// that, and removed. Whatever fails, the temporary folder is removed, and the one before stays.
  /// @pre all files in it are durable   @throws base::SystemError
  void commit();

 private:
  std::filesystem::path target_;
  std::filesystem::path temporary_;
};

}  // namespace tacit::io::detail
