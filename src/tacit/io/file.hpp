// HDF5 files as named arrays and attributes; the only interface to the HDF5 library.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/io/part.hpp"

namespace tacit::comm {
class Communicator;
}

namespace tacit::io {

/// float16 is known by name only: no array of it is read.
enum class Number { float32, float64, int32, int64, uint32, uint64, float16, text, other };

/// Bytes of one number in memory; 0 for what is no number.
[[nodiscard]] std::size_t bytes_of(Number type) noexcept;

/// What an attribute holds: numbers, one text, or anything else (several texts, compounds, nothing).
enum class AttributeKind { numbers, text, other };

struct ArrayInfo {
  std::vector<std::uint64_t> shape;
  Number type = Number::other;
  std::uint64_t stored_bytes = 0;  ///< in the file, after compression
  std::uint64_t chunk_rows = 1;    ///< rows that are packed together, so that reading one costs reading all
};

/// Looks at a file without the library.
/// @throws base::SystemError, base::FormatError as opening it does, unless it is there and begins like an HDF5 file
void require_hdf5(const std::filesystem::path& path);

/// An HDF5 file, open for reading. Every read checks shape and type first, so a malformed file ends in an error.
class FileReader {
 public:
  /// @throws base::SystemError if there is no such file or it cannot be opened (the reason in words: missing, a
  /// directory,
  ///         no permission); base::FormatError if it is empty, truncated or no HDF5 file
  explicit FileReader(const std::filesystem::path& path);
  ~FileReader();
  FileReader(FileReader&&) noexcept;
  FileReader& operator=(FileReader&&) noexcept;

  [[nodiscard]] const std::filesystem::path& path() const noexcept;
  /// Whether a group or array of that name exists ("PartType0/Coordinates").
  /// @throws base::FormatError if there is a link of that name that leads to nothing, or out of the file
  [[nodiscard]] bool has(const std::string& name) const;
  /// Whether an array of that name exists.
  [[nodiscard]] bool is_array(const std::string& name) const;
  /// Names of the groups and arrays directly inside `group` ("/" for the root).
  [[nodiscard]] std::vector<std::string> list(const std::string& group) const;
  /// @throws base::FormatError if it is missing or a group, keeps its data elsewhere, needs a filter that is not there,
  ///         or claims more data than the file can hold: so its shape is safe to allocate
  [[nodiscard]] ArrayInfo info(const std::string& array) const;

  /// Reads a whole array, converted to the type of `out`.
  /// @throws base::FormatError if the array is missing, not numeric, or its number of elements is not out.size()
  void read(const std::string& array, std::span<double> out) const;
  void read(const std::string& array, std::span<std::uint64_t> out) const;
  /// Reads the numbers of `out` from row `first_row` on, whole rows (all that belongs to one first index).
  void read_rows(const std::string& array, std::uint64_t first_row, std::span<double> out) const;
  void read_rows(const std::string& array, std::uint64_t first_row, std::span<std::uint64_t> out) const;
  /// Reads the numbers of `out`, shape (part.count), the last index fastest.
  /// @throws base::FormatError if the array has another number of axes, or ends before the part does
  void read_part(const std::string& array, const Part& part, std::span<double> out) const;
  /// Reads a whole array of numbers as it is: bytes_of(info(array).type) bytes for each, in this machine's order.
  [[nodiscard]] std::vector<std::byte> read_bytes(const std::string& array) const;

  [[nodiscard]] bool has_attribute(const std::string& object, const std::string& name) const;
  /// All elements of a numeric attribute (scalars give one).
  [[nodiscard]] std::vector<double> attribute(const std::string& object, const std::string& name) const;
  [[nodiscard]] std::string text_attribute(const std::string& object, const std::string& name) const;
  [[nodiscard]] AttributeKind attribute_kind(const std::string& object, const std::string& name) const;
  [[nodiscard]] std::vector<std::string> attribute_names(const std::string& object) const;

 private:
  struct Handle;
  std::unique_ptr<Handle> handle_;
};

/// Fills `out` with whole rows of an array, from row `first` on.
template <class T>
using RowSource = std::function<void(std::uint64_t first, std::span<T> out)>;

/// A new HDF5 file, written to a hidden file beside its target, which `commit` renames: complete, or absent.
/// `commit` reports disk errors. Memory: some pieces of half a MiB, however large the file.
///
/// Several ranks write one file together: each makes the same calls, and the first one, which alone touches the disk,
/// gets from the others what they have of an array (`part`). What stands elsewhere is said by the first rank.
class FileWriter {
 public:
  /// Compression of the arrays that follow: gzip level 0 (none) to 9, with shuffle; every array carries Fletcher32.
  explicit FileWriter(const std::filesystem::path& path, int compression = 0);
  /// @param ranks  that write together
  FileWriter(const std::filesystem::path& path, int compression, comm::Communicator& ranks);
  ~FileWriter();
  FileWriter(FileWriter&&) noexcept;
  FileWriter& operator=(FileWriter&&) noexcept;

  /// Makes the group and those above it; one that is there stays.
  void group(const std::string& name);
  /// Writes an array as `type` (float32 or float64).
  void array(const std::string& name, std::span<const double> values, std::span<const std::uint64_t> shape,
             Number type);
  void array(const std::string& name, std::span<const std::uint64_t> values, std::span<const std::uint64_t> shape);
  void array(const std::string& name, std::span<const std::int64_t> values, std::span<const std::uint64_t> shape);

  /// The same, with rows made as they are needed; a source of bytes gives numbers of `type` in this machine's order.
  void stream(const std::string& name, std::span<const std::uint64_t> shape, Number type,
              const RowSource<double>& rows);
  void stream(const std::string& name, std::span<const std::uint64_t> shape, const RowSource<std::uint64_t>& rows);
  void stream(const std::string& name, std::span<const std::uint64_t> shape, Number type,
              const RowSource<std::byte>& rows);

  /// Writes an array of which every rank has a part: the same bytes as `array` makes of the whole.
  ///
  /// @param shape   of the whole, the same on all ranks
  /// @param mine    what this rank has; the parts of all ranks cover the whole once, and may be empty
  /// @param values  shape (mine.count), the last index fastest
  /// @throws comm::PeerError, comm::DeadlineError
  /// Cost: the first rank holds as many rows of the whole as are packed together, twice; a rank is done once its part
  /// has been taken.
  void part(const std::string& name, std::span<const std::uint64_t> shape, Number type, const Part& mine,
            std::span<const double> values);

  /// Attributes are one-dimensional arrays (length 1 for a single value), as SWIFT's readers expect.
  void attribute(const std::string& object, const std::string& name, std::span<const double> values);
  void attribute(const std::string& object, const std::string& name, std::span<const std::int64_t> values);
  void attribute(const std::string& object, const std::string& name, std::string_view text);  ///< fixed-length bytes

  /// Fsyncs the hidden file, renames it over the target, fsyncs the directory.
  /// @return bytes written; 0 on ranks that write nothing
  /// @throws base::SystemError naming path, bytes needed and bytes free, if anything fails; the temporary file is
  /// removed
  std::uint64_t commit();

 private:
  struct Handle;
  std::unique_ptr<Handle> handle_;
};

}  // namespace tacit::io
