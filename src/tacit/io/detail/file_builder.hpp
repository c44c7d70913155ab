// A new HDF5 file, made object by object by one thread at a time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tacit/io/detail/atomic_write.hpp"
#include "tacit/io/detail/hdf5.hpp"
#include "tacit/io/detail/pack.hpp"
#include "tacit/io/number.hpp"
#include "tacit/io/part.hpp"

namespace tacit::io::detail {

/// An array in a file: its chunks are whole rows.
struct ArrayLayout {
  std::string name;
  std::vector<std::uint64_t> shape;  ///< at least one axis
  Number type = Number::float64;
  int compression = 0;

  [[nodiscard]] std::uint64_t size() const;
  [[nodiscard]] std::uint64_t row_bytes() const;
  /// Rows of a chunk: of half a MiB together (but at least one), and all chunks nearly alike.
  [[nodiscard]] std::uint64_t chunk_rows() const;
  [[nodiscard]] Packing packing() const { return {bytes_of(type), compression}; }
};

/// A piece of a virtual array: where its elements are.
struct Mapping {
  std::string file;                  ///< beside the file
  std::string array;                 ///< in it
  std::vector<std::uint64_t> shape;  ///< of that array
  std::uint64_t first_row = 0;       ///< of the piece in it, which takes whole rows from there on
  Part place;                        ///< in the virtual array
};

/// What an attribute holds: numbers (int64 or float64), or a text.
struct AttributeValue {
  Number type = Number::text;
  std::vector<std::byte> bytes;
};

/// Every function takes the lock of the library for as long as it uses it. Disk errors come from `commit`; what is
/// done before that after one is dropped.
class FileBuilder {
 public:
  /// @throws base::SystemError if the file cannot be made
  explicit FileBuilder(const std::filesystem::path& path);
  /// Completes a file into which arrays have been written.
  /// @param end      of them: what the library adds comes behind
  /// @param extents  of what has been written
  FileBuilder(const std::filesystem::path& path, std::unique_ptr<WholeFile> file, std::uint64_t end,
              std::vector<Extent> extents);
  ~FileBuilder();
  FileBuilder(const FileBuilder&) = delete;
  FileBuilder& operator=(const FileBuilder&) = delete;

  /// What the library may take at the front of a file whose arrays are there first.
  static constexpr std::uint64_t head_bytes = 4096;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  /// Makes the group and those above it; one that is there stays.
  void group(const std::string& name);
  void attribute(const std::string& object, const std::string& name, const AttributeValue& value);
  /// Makes an array, whose chunks come next.
  void array(const ArrayLayout& layout);
  /// Makes an array whose elements are in the file already, one after the other from byte `place` on.
  void placed_array(const ArrayLayout& layout, std::uint64_t place);
  /// Makes an array whose elements are in other files.
  void virtual_array(const ArrayLayout& layout, std::span<const Mapping> mappings);
  /// Names the files of such arrays; the last thing before `commit`.
  void name_parts(std::span<const std::filesystem::path> paths);
  /// Places a packed chunk of the last array. Its memory stays as it is until `write_chunks` or `commit`.
  void chunk(std::uint64_t first_row, const PackedChunk& chunk);
  /// Writes the chunks that are placed.
  void write_chunks();
  /// Completes the file on disk, under its name. @return bytes of it
  /// @throws base::SystemError naming path, bytes needed and bytes free
  std::uint64_t commit();

 private:
  [[noreturn]] void fail(const std::string& what);
  void make_group(const std::string& name);
  void open();
  [[nodiscard]] Array make_array(const ArrayLayout& layout, const Properties& creation);

  std::filesystem::path path_;
  std::unique_ptr<WholeFile> target_;  // outlives the library's file, which is written into it
  StreamedTarget streamed_;
  File file_;
  Array array_;  // the last one
  std::string array_name_;
  std::size_t axes_ = 0;  // of it
  std::vector<std::filesystem::path> parts_;
};

}  // namespace tacit::io::detail
