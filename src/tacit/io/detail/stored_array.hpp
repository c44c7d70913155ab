// An array whose numbers are taken from the file without the filters and conversions of the HDF5 library.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tacit/io/detail/cut.hpp"
#include "tacit/io/detail/hdf5.hpp"
#include "tacit/io/detail/unpack.hpp"
#include "tacit/io/number.hpp"

namespace tacit::io::detail {

/// What messages about an array name.
struct ArrayName {
  std::string path;  ///< of its file
  std::string array;
};

/// An array of numbers of this machine's kind that is stored in chunks of whole rows, as files of this program have
/// them, or in one piece. Made and destroyed with a Session held; it reads without one.
class StoredArray {
 public:
  /// @param file         outlives it
  /// @param is_verified  the file has been compared with its checksums
  /// @return             nothing where only the library can read it
  /// @pre `array` has passed FileReader's checks of its storage
  [[nodiscard]] static std::optional<StoredArray> of(const Object& array, hid_t file, ArrayName name, bool is_verified);

  [[nodiscard]] const std::vector<std::uint64_t>& shape() const noexcept { return shape_; }
  [[nodiscard]] Number type() const noexcept { return type_; }
  /// Rows that are read together: those of a chunk.
  [[nodiscard]] std::uint64_t piece_rows() const noexcept { return piece_rows_; }
  /// Memory that reading a piece takes at most [byte].
  [[nodiscard]] std::uint64_t piece_room() const noexcept;

  /// Reads what the cut takes of a piece. From any thread. @param first  row of the piece, a multiple of piece_rows()
  /// @throws base::FormatError if it is damaged, base::SystemError if it cannot be read
  void read(std::uint64_t first, const Cut& cut, const Target& target, Unpacker& unpacker) const;

 private:
  [[nodiscard]] bool find_shape();
  [[nodiscard]] bool find_chunks(hid_t creation);
  [[nodiscard]] bool find_place(hid_t file);
  [[nodiscard]] std::span<const std::byte> read_chunk(std::uint64_t first, Unpacker& unpacker) const;
  void read_place(std::uint64_t first, std::uint64_t rows, const Cut& cut, const Target& target,
                  Unpacker& unpacker) const;
  [[nodiscard]] std::uint64_t row_bytes() const;
  [[noreturn]] void fail(std::string_view reason) const;

  Object array_;
  ArrayName name_;
  std::vector<std::uint64_t> shape_;
  Number type_ = Number::other;
  std::uint64_t piece_rows_ = 0;
  Packed packed_;            // of chunks
  int descriptor_ = -1;      // of a file in which the array is one piece
  std::uint64_t place_ = 0;  // in it
};

}  // namespace tacit::io::detail
