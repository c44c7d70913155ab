// Files without any format: what the disk does, as the measure of those who write formats. Needs no library of ours.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <new>
#include <optional>
#include <span>

namespace tacit::bench {

/// Memory in whole pages, each of which has been written.
class Pages {
 public:
  explicit Pages(std::size_t bytes);
  [[nodiscard]] std::span<std::byte> bytes() noexcept { return {memory_.get(), bytes_}; }
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return {memory_.get(), bytes_}; }

 private:
  static constexpr std::align_val_t page{4096};
  struct Free {
    void operator()(std::byte* memory) const noexcept { ::operator delete(memory, page); }
  };
  std::size_t bytes_;
  std::unique_ptr<std::byte, Free> memory_;
};

enum class Through { page_cache, nothing };

/// Writes `content` several times, one after the other, to a new file, which is durable then.
///
/// @return  the time from opening it to the end of fsync [s]; nothing if the file system does not take writes past the
///          page cache
/// @throws std::system_error
std::optional<double> write_raw(const std::filesystem::path& path, std::span<const std::byte> content,
                                std::size_t times, Through through);

/// Reads a file into `into` from its begin on, as often as it takes. @return as write_raw
std::optional<double> read_raw(const std::filesystem::path& path, std::span<std::byte> into, Through through);

/// Drops what the page cache has of a file that is on disk.
void forget(const std::filesystem::path& path);

/// Removes all that is in a folder, and waits until the disk has done that.
void empty_folder(const std::filesystem::path& folder);

}  // namespace tacit::bench
