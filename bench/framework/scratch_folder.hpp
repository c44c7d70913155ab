// A folder for what a benchmark writes, which goes with the benchmark, however that ends.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

namespace tacit::bench {

/// Where large scratch files go: $TMPDIR if it is set, else /var/tmp, which is on a disk where /tmp may be memory.
[[nodiscard]] std::filesystem::path scratch_place();

/// A fresh folder. A process of its own waits for our end, and removes the folder with all that is in it: a signal that
/// ends us, SIGKILL too, leaves nothing.
class ScratchFolder {
 public:
  /// @param name   of the benchmark: the folder is `name-XXXXXX`
  /// @throws base::SystemError if it cannot be made
  explicit ScratchFolder(std::string_view name, const std::filesystem::path& place = scratch_place());
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
  int alive_ = -1;    // the end of a pipe that closes with us
  int remover_ = -1;  // the process at its other end
};

}  // namespace tacit::bench
