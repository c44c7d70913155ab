// HDF5 inside the io layer: RAII handles, the lock around the library, opening files, types, and writing into a
// WholeFile. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tacit/io/detail/atomic_write.hpp"
#include "tacit/io/detail/footer.hpp"
#include "tacit/io/file.hpp"

namespace tacit::io::detail {

/// Owns one HDF5 identifier and closes it with `close`; a negative identifier owns nothing.
template <herr_t (*close)(hid_t)>
class Hid {
 public:
  Hid() = default;
  explicit Hid(hid_t id) noexcept : id_(id) {}
  Hid(Hid&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
  Hid& operator=(Hid&& other) noexcept {
    if (this != &other) {
      reset();
      id_ = std::exchange(other.id_, -1);
    }
    return *this;
  }
  Hid(const Hid&) = delete;
  Hid& operator=(const Hid&) = delete;
  ~Hid() { reset(); }

  [[nodiscard]] explicit operator bool() const noexcept { return id_ >= 0; }
  [[nodiscard]] hid_t get() const noexcept { return id_; }
  void reset() noexcept {
    if (id_ >= 0) close(std::exchange(id_, -1));
  }

 private:
  hid_t id_ = -1;
};

using File = Hid<H5Fclose>;
using Object = Hid<H5Oclose>;
using Array = Hid<H5Dclose>;
using Group = Hid<H5Gclose>;
using Attribute = Hid<H5Aclose>;
using Space = Hid<H5Sclose>;
using Type = Hid<H5Tclose>;
using Properties = Hid<H5Pclose>;

/// Held around every use of the library: it may be built without thread safety, and its habit of printing errors is
/// a setting of each thread. Recursive, so that public functions may call each other.
class Session {
 public:
  Session();

 private:
  std::unique_lock<std::recursive_mutex> lock_;
};

/// How this machine holds a number of that type.
[[nodiscard]] hid_t native_type(Number type);

/// What the library said about its latest failure, innermost reason first; "unknown reason" if it said nothing.
[[nodiscard]] std::string failure_reason();

/// The file, opened for reading; with a Session held.
/// @throws base::SystemError, base::FormatError if it is missing, no file, empty, no HDF5 file or damaged
[[nodiscard]] File open_file(const std::filesystem::path& path);

/// How links are followed: never out of the file.
[[nodiscard]] Properties link_access();

/// In messages.
[[nodiscard]] std::string_view name_of(Number number);
/// The type of this machine in which numbers of a type are read: the same, or one that holds them. Integers of up to 64
/// bits, real numbers and truth values count as numbers, if their layout is sound.
[[nodiscard]] Number number_of(hid_t type);
/// What an array or attribute of a type holds: in messages.
[[nodiscard]] std::string description_of(hid_t type);
[[nodiscard]] bool is_number(Number number);
[[nodiscard]] bool is_integer(Number number);

[[nodiscard]] std::vector<std::uint64_t> shape_of(hid_t space);
/// a * b, or the largest number if it does not fit.
[[nodiscard]] std::uint64_t times(std::uint64_t a, std::uint64_t b);
[[nodiscard]] std::uint64_t element_count(std::span<const std::uint64_t> shape);

/// Where a file that the library writes goes to. It must outlive the library's file.
struct StreamedTarget {
  WholeFile* file = nullptr;
  std::uint64_t size = 0;              ///< of the file as laid out so far
  bool closed = false;                 ///< whether the library has closed it: all of it is handed over
  std::span<const std::byte> piece;    ///< that the library is told to write
  std::span<const std::byte> pages;    ///< the same up to the end of its last page
  std::uint64_t pages_hash = 0;        ///< of that, which becomes an extent
  std::vector<Extent> extents;         ///< of pieces
  std::optional<std::uint64_t> place;  ///< of the array that is made next, where it is not for the library to choose
  std::vector<Run> runs;               ///< pieces that the library has placed, and that are still to be written
};

/// File access by which H5Fcreate writes into `target`.
///
/// The library does not recover from a write that fails: it may keep the file open and trip over it when the process
/// ends. So it is never told; WholeFile remembers and says so when the file is committed.
[[nodiscard]] Properties streamed_access(StreamedTarget& target);

}  // namespace tacit::io::detail
