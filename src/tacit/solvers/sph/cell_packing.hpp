// How numbers of cells stand in messages to other ranks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "tacit/base/error.hpp"
#include "tacit/solvers/sph/kernels/upper_half.hpp"

namespace tacit::sph {

/// Doubles that were rounded to their upper halves, of which just these travel.
struct Halves {
  std::span<double> values;
};

/// Of numbers that travel, those of the first particles.
template <class T>
[[nodiscard]] std::span<T> first_of(std::span<T> values, std::size_t count) {
  return values.first(count);
}
[[nodiscard]] inline Halves first_of(const Halves& halves, std::size_t count) { return {halves.values.first(count)}; }

/// Writes numbers to the front of bytes. @return how many bytes
template <class T>
std::size_t put(std::span<std::byte> to, std::span<T> values) {
  TACIT_EXPECT(values.size_bytes() <= to.size());
  if (!values.empty()) std::memcpy(to.data(), values.data(), values.size_bytes());
  return values.size_bytes();
}
inline std::size_t put(std::span<std::byte> to, const Halves& halves) {
  const std::size_t bytes = halves.values.size() * sizeof(std::uint32_t);
  TACIT_EXPECT(bytes <= to.size());
  std::byte* at = to.data();
  for (const double value : halves.values) {
    const std::uint32_t bits = kernels::upper_half(value);
    std::memcpy(at, &bits, sizeof(bits));
    at += sizeof(bits);
  }
  return bytes;
}

/// Takes numbers off the front of bytes.
class Taker {
 public:
  explicit Taker(std::span<const std::byte> bytes) : bytes_(bytes) {}
  template <class T>
  void take(std::span<T> to) {
    const auto bytes = next(to.size_bytes());
    if (!bytes.empty()) std::memcpy(to.data(), bytes.data(), bytes.size());
  }
  void take(const Halves& to) {
    const std::byte* at = next(to.values.size() * sizeof(std::uint32_t)).data();
    for (double& value : to.values) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, at, sizeof(bits));
      value = kernels::from_upper_half(bits);
      at += sizeof(bits);
    }
  }
  [[nodiscard]] std::uint64_t take_count() {
    std::array<std::uint64_t, 1> count{};
    take(std::span<std::uint64_t>(count));
    return count[0];
  }

 private:
  std::span<const std::byte> next(std::size_t size) {
    if (size > bytes_.size()) throw base::Error("another rank sent less of its cells than they hold");
    const auto first = bytes_.first(size);
    bytes_ = bytes_.subspan(size);
    return first;
  }

  std::span<const std::byte> bytes_;
};

}  // namespace tacit::sph
