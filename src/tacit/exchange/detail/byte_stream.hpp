// Bytes that elements on their way consist of, and tallies of what has left and what has come.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "tacit/comm/rank.hpp"

namespace tacit::exchange::detail {

/// How many elements, and a number that does not depend on their order.
struct Tally {
  std::uint64_t count = 0;
  std::uint64_t hash = 0;

  /// @see Steele, Lea & Flood (2014), OOPSLA, 453: the finaliser of SplitMix64
  static constexpr std::uint64_t mixed(std::uint64_t number) noexcept {
    number = (number ^ (number >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    number = (number ^ (number >> 27U)) * 0x94d049bb133111ebULL;
    return number ^ (number >> 31U);
  }
  /// An element that comes to another rank than it left for changes the hash, too.
  void add(std::uint64_t id, comm::RankId owner) noexcept {
    ++count;
    hash += mixed(mixed(id + 0x9e3779b97f4a7c15ULL) ^ (number(owner) + 1));
  }
  void add(const Tally& other) noexcept {
    count += other.count;
    hash += other.hash;
  }
};

/// Bytes for a rank, or from it: elements one behind the other, which rounds cut anywhere.
struct ByteStream {
  std::vector<std::byte> bytes;
  std::size_t done = 0;  ///< sent, or found to be whole elements
  Tally tally;

  [[nodiscard]] std::size_t left() const noexcept { return bytes.size() - done; }
  void clear() noexcept {
    bytes.clear();
    done = 0;
    tally = {};
  }
  /// Copies the next bytes. @return how many
  std::size_t take(std::span<std::byte> to) noexcept {
    const std::size_t count = std::min(to.size(), left());
    if (count > 0) std::memcpy(to.data(), bytes.data() + done, count);
    done += count;
    return count;
  }
  void append(std::span<const std::byte> more) { bytes.insert(bytes.end(), more.begin(), more.end()); }
};

/// Both directions between this rank and another one.
struct Link {
  ByteStream out;
  ByteStream in;
  void clear() noexcept {
    out.clear();
    in.clear();
  }
  [[nodiscard]] std::size_t memory_bytes() const noexcept { return out.bytes.capacity() + in.bytes.capacity(); }
};

}  // namespace tacit::exchange::detail
