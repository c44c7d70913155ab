// What a rank sends in a step, and what it gets: the same copies for all who are compared.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "comm/pingpong.hpp"

namespace tacit::bench {

/// The part of a field that others need, and the ghosts that they fill. Each step writes it, packs it, unpacks the
/// ghosts and reads them.
class Rim {
 public:
  explicit Rim(std::size_t bytes) : own_(bytes), ghosts_(bytes) {}
  [[nodiscard]] std::size_t bytes() const noexcept { return own_.size(); }
  void pack(std::uint64_t turn, std::span<std::byte> to) noexcept {
    touch(own_, turn);
    std::memcpy(to.data(), own_.data(), own_.size());
  }
  /// @throws base::Error if it is not that of this step
  void unpack(std::uint64_t turn, std::span<const std::byte> from) {
    std::memcpy(ghosts_.data(), from.data(), ghosts_.size());
    sum_ += read_touched(ghosts_, turn);
  }

 private:
  std::vector<std::byte> own_;
  std::vector<std::byte> ghosts_;
  std::uint64_t sum_ = 0;
};

/// Many short messages each way: each is packed and unpacked on its own.
class Cells {
 public:
  static constexpr std::size_t bytes = 1024;  ///< of a message

  explicit Cells(std::size_t count) : own_(count * bytes), ghosts_(count * bytes) {}
  [[nodiscard]] std::size_t count() const noexcept { return own_.size() / bytes; }
  void pack(std::size_t i, std::uint64_t turn, std::span<std::byte> to) noexcept {
    std::byte* from = own_.data() + i * bytes;
    const std::uint64_t mark = turn + i;
    std::memcpy(from, &mark, sizeof(mark));
    std::memcpy(to.data(), from, bytes);
  }
  /// @throws base::Error if it is not that of this step
  void unpack(std::size_t i, std::uint64_t turn, std::span<const std::byte> from);

 private:
  std::vector<std::byte> own_;
  std::vector<std::byte> ghosts_;
};

}  // namespace tacit::bench
