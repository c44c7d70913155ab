// Folders of files that the ranks of a run write together.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "tacit/io/rank_file.hpp"

namespace tacit::io {

/// A folder: complete, or absent. Its files are written in a hidden folder beside it, which is renamed when all of them
/// are on disk; so all ranks must see the folder around it.
///
///     io::RankFolder folder("plt_000120", world);        // all ranks, as all calls
///     folder.make("Level_0");
///     io::RankFile file = folder.file("Level_0/Cell_H");
///     file.append(lines_of_my_boxes);
///     file.commit();
///     folder.commit();
///
/// A folder that was there before is replaced, at the end and in one step.
class RankFolder {
 public:
  /// Makes the hidden folder. @param ranks  must outlive this
  /// @throws base::SystemError on all ranks if it cannot be made, or if a file has its name
  RankFolder(const std::filesystem::path& path, comm::Communicator& ranks);
  /// Without `commit` nothing is left.
  ~RankFolder();
  RankFolder(const RankFolder&) = delete;
  RankFolder& operator=(const RankFolder&) = delete;

  /// Makes a folder in it. @throws base::SystemError on all ranks if that fails
  void make(const std::filesystem::path& name);
  /// A file in it, to be completed before the folder is.
  [[nodiscard]] RankFile file(const std::filesystem::path& name);
  /// @throws base::SystemError on all ranks, with why it could not be completed
  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tacit::io
