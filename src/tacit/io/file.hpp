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
#include "tacit/io/number.hpp"
#include "tacit/io/output.hpp"
#include "tacit/io/part.hpp"

namespace tacit::tasks {
class Scheduler;
}

namespace tacit::io {

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

/// How arrays are read.
struct Reading {
  tasks::Scheduler* workers = nullptr;  ///< which unpack and convert; outlives the reader. Null: the caller does
  /// All bytes of the file and of its parts have just been compared with their checksums (find_damage): those of chunks
  /// are not computed again.
  bool is_verified = false;
};

/// An HDF5 file, open for reading. Every read checks shape and type first, so a malformed file ends in an error.
class FileReader {
 public:
  /// @throws base::SystemError if there is no such file or it cannot be opened (the reason in words: missing, a
  /// directory,
  ///         no permission); base::FormatError if it is empty, truncated or no HDF5 file
  /// Of a file in parts: if one of them is missing, cut off, or that of another file.
  explicit FileReader(const std::filesystem::path& path) : FileReader(path, Parts::needed) {}
  /// Whether the parts of a file are looked at; without them its virtual arrays cannot be read.
  enum class Parts : std::uint8_t { needed, unseen };
  FileReader(const std::filesystem::path& path, Parts parts) : FileReader(path, parts, Reading{}) {}
  FileReader(const std::filesystem::path& path, Parts parts, const Reading& reading);
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
  /// The same numbers as they are: out.size() is a multiple of bytes_of(info(array).type), in this machine's order.
  void read_rows(const std::string& array, std::uint64_t first_row, std::span<std::byte> out) const;
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

/// Removes a file of this program with its parts: the file first, so that nothing names parts that are gone. What
/// cannot be removed stays.
void remove_file(const std::filesystem::path& path) noexcept;

/// What a file of this program takes with its parts, or a folder with its files [byte]; 0 if there is none.
[[nodiscard]] std::uint64_t bytes_of_file(const std::filesystem::path& path) noexcept;

/// Fills `out` with whole rows of an array, from row `first` on.
template <class T>
using RowSource = std::function<void(std::uint64_t first, std::span<T> out)>;

/// A new HDF5 file, written to a hidden file beside its target, which `commit` renames: complete, or absent. Behind its
/// data stand checksums of every byte (see verify).
///
/// What is given to it may change as soon as a call has returned. Memory: some pieces of half a MiB; where the files of
/// a run are written beside the computation, what waits, within the bounds of the Output.
///
/// Several ranks write one file together: each makes the same calls, and the first one, which alone touches the disk,
/// gets from the others what they have of an array (`part`). What is said by all alike is written by the first rank.
class FileWriter {
 public:
  /// Compression of the arrays that follow: gzip level 0 (none) to 9, with shuffle; every array carries Fletcher32.
  explicit FileWriter(const std::filesystem::path& path, int compression = 0);
  /// @param ranks  that write together
  FileWriter(const std::filesystem::path& path, int compression, comm::Communicator& ranks);
  /// The same of the ranks of a run, beside its computation if that is how it writes. @param output  outlives the file
  FileWriter(const std::filesystem::path& path, int compression, Output& output);
  ~FileWriter();
  FileWriter(FileWriter&&) noexcept;
  FileWriter& operator=(FileWriter&&) noexcept;

  /// Makes the group and those above it; one that is there stays.
  void group(const std::string& name);
  /// Writes an array as it is, or as `type`: numbers of 64 bits may become float32.
  void array(const std::string& name, const Values& values, std::span<const std::uint64_t> shape);
  void array(const std::string& name, const Values& values, std::span<const std::uint64_t> shape, Number type);

  /// The same, with rows made as they are needed, by several threads at once where those of a run help; a source of
  /// bytes gives numbers of `type` in this machine's order.
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
            const Values& values);
  /// The same, with the rows of the part (from 0 on) made as they are needed, as `stream` does.
  void part(const std::string& name, std::span<const std::uint64_t> shape, Number type, const Part& mine,
            const RowSource<double>& rows);
  /// The same of a source that gives numbers of `type` in this machine's order, and so writes what is stored at once.
  void part(const std::string& name, std::span<const std::uint64_t> shape, Number type, const Part& mine,
            const RowSource<std::byte>& rows);
  /// The same of ranks that have any number of parts, each. @param values  of one part after the other
  void parts(const std::string& name, std::span<const std::uint64_t> shape, Number type, std::span<const Part> mine,
             const Values& values);

  /// Attributes are one-dimensional arrays (length 1 for a single value), as SWIFT's readers expect.
  void attribute(const std::string& object, const std::string& name, std::span<const double> values);
  void attribute(const std::string& object, const std::string& name, std::span<const std::int64_t> values);
  void attribute(const std::string& object, const std::string& name, std::string_view text);  ///< fixed-length bytes

  /// Fsyncs the hidden file, renames it over the target, fsyncs the directory; where files are written beside the
  /// computation, later: Output::drain waits for it, and reports what failed.
  /// @return bytes written; 0 on ranks that write nothing, and where that happens later
  /// @throws base::SystemError naming path, bytes needed and bytes free, if anything fails; the temporary file is
  /// removed
  std::uint64_t commit();

 private:
  struct Handle;
  std::unique_ptr<Handle> handle_;
};

}  // namespace tacit::io
