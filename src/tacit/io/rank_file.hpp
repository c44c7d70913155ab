// Plain files, of text or raw numbers, that the ranks of a run write together.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

namespace tacit::comm {
class Communicator;
}

namespace tacit::io::detail {
struct HiddenFolder;
}

namespace tacit::io {

/// A file of any format without a library for it: complete, or absent. Every rank writes its own bytes into one hidden
/// file beside the target, which is renamed when all of them are on disk; so all ranks must see the same folder.
///
///     io::RankFile file("dump.lammpstrj", world);        // all ranks, as all calls but `write`
///     file.append(is_first ? header : "");               // text of each rank, one behind the other
///     file.append(lines_of_my_atoms);
///     file.commit();
///
///     io::RankFile field("gauge.bin", world);
///     for (const Row& row : my_rows) field.write(row.place, row.bytes);   // raw numbers at places of their own
///     field.commit();
///
/// What fails is kept until `commit`, which says it on all ranks. A file that was there before keeps its content then.
class RankFile {
 public:
  /// Makes the hidden file. All ranks call it. @param ranks  must outlive this
  RankFile(const std::filesystem::path& path, comm::Communicator& ranks);
  /// Without `commit` nothing is left.
  ~RankFile();
  RankFile(const RankFile&) = delete;
  RankFile& operator=(const RankFile&) = delete;

  /// Writes at a place of the whole file [byte]; no other rank writes there. Called by any rank, any number of times.
  void write(std::uint64_t offset, std::span<const std::byte> bytes) noexcept;

  /// Writes what the ranks have behind all that any of them has written, in the order of ranks. All ranks call it, with
  /// as many bytes as each has, or none.
  /// @return where the bytes of this rank are
  std::uint64_t append(std::span<const std::byte> bytes);
  std::uint64_t append(std::string_view text) { return append(std::as_bytes(std::span(text))); }

  /// Ends the file, with the last byte that was written. All ranks call it, once.
  /// @return bytes of the whole
  /// @throws base::SystemError on all ranks, with the first rank that failed and why; comm::PeerError,
  ///         comm::DeadlineError
  std::uint64_t commit();

 private:
  friend class RankFolder;
  RankFile(const std::filesystem::path& name, comm::Communicator& ranks, const detail::HiddenFolder& folder);

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tacit::io
