// The hidden file of a file that all ranks write into: made by the first one, opened by all.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <filesystem>
#include <memory>
#include <utility>

#include "tacit/io/detail/atomic_write.hpp"

namespace tacit::comm {
class Communicator;
}

namespace tacit::io::detail {

/// What fails is kept until the file is left.
class JointFile {
 public:
  /// Called by all. @param ranks  null: only this one
  JointFile(const std::filesystem::path& target, comm::Communicator* ranks);

  /// Into which this rank writes.
  [[nodiscard]] WholeFile& share() noexcept { return *share_; }
  [[nodiscard]] std::unique_ptr<WholeFile> take_share() noexcept { return std::move(share_); }
  /// The file itself, on the first rank; null where it could not be made. Who takes it completes or removes it.
  [[nodiscard]] std::unique_ptr<WholeFile> take_whole() noexcept { return std::move(whole_); }
  /// Why it could not be made, on the first rank; null if it could.
  [[nodiscard]] std::exception_ptr failure() const noexcept { return failure_; }

  /// Fsyncs and closes the share of this rank. @param size  of the whole. @throws base::SystemError as WholeFile
  void leave(std::uint64_t size);
  /// Completes the file, on the first rank. @pre all have left. @throws base::SystemError as WholeFile
  void commit(std::uint64_t size);

 private:
  std::unique_ptr<WholeFile> whole_;  // on the first rank
  std::unique_ptr<WholeFile> share_;
  std::exception_ptr failure_;
};

}  // namespace tacit::io::detail
