// A chunk of an array as HDF5 stores it, back to numbers: what pack.hpp does, undone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tacit::io::detail {

/// Those of the HDF5 library that are undone here.
enum class Filter : std::uint8_t { shuffle, deflate, fletcher32 };

/// What was done to the chunks of an array.
struct Packed {
  std::vector<Filter> filters;  ///< in that order, each at most once
  std::size_t element_bytes = 8;
  std::size_t bytes = 0;     ///< of a chunk before it was packed
  bool is_verified = false;  ///< the file has been compared with its checksums: those of chunks are not looked at
};

/// What a chunk takes at most in a file, however badly it can be compressed [byte].
[[nodiscard]] std::size_t most_packed_bytes(const Packed& how) noexcept;

/// Unpacks chunks one after the other, with memory of its own; one for each thread.
class Unpacker {
 public:
  Unpacker() = default;
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;
  ~Unpacker();

  /// Memory for what is to be unpacked, or for anything else; stays until the next call.
  [[nodiscard]] std::span<std::byte> room(std::size_t bytes);
  /// Undoes the filters, the last one first.
  /// @param skipped  bit i: filter i was left out for this chunk
  /// @param flaw     what is wrong with the chunk, if something is
  /// @return         how.bytes bytes, which stay until the next call and as long as `packed` does; nothing if the chunk
  ///                 is damaged
  [[nodiscard]] std::optional<std::span<const std::byte>> unpack(std::span<const std::byte> packed, const Packed& how,
                                                                 std::uint32_t skipped, std::string_view& flaw);

 private:
  /// Memory that is not cleared, and never given back.
  struct Room {
    std::unique_ptr<std::byte[]> memory;
    std::size_t bytes = 0;
    [[nodiscard]] std::span<std::byte> of(std::size_t least);
  };
  [[nodiscard]] bool inflate(std::span<const std::byte> from, std::span<std::byte> to);

  Room packed_;
  Room inflated_;
  Room ordered_;
  void* decompressor_ = nullptr;  // libdeflate_decompressor
};

/// Undoes `shuffle`. @param to  as many bytes as `from`
void unshuffle(std::span<const std::byte> from, std::size_t element_bytes, std::byte* to) noexcept;

}  // namespace tacit::io::detail
