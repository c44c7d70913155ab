// Types of numbers, in memory and in files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace tacit::base {

enum class Number : std::uint8_t {
  float32,
  float64,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  text,
  other
};

/// Bytes of one number in memory; 0 for what is no number.
[[nodiscard]] constexpr std::size_t bytes_of(Number type) noexcept {
  switch (type) {
    case Number::int8:
    case Number::uint8:
      return 1;
    case Number::int16:
    case Number::uint16:
      return 2;
    case Number::float32:
    case Number::int32:
    case Number::uint32:
      return 4;
    case Number::float64:
    case Number::int64:
    case Number::uint64:
      return 8;
    default:
      return 0;
  }
}

/// How many such numbers so many bytes are; 0 of what is no number.
[[nodiscard]] constexpr std::size_t count_of(Number type, std::size_t bytes) noexcept {
  const std::size_t of_one = bytes_of(type);
  return of_one == 0 ? 0 : bytes / of_one;
}

/// The type of a T; `other` if there is none.
template <class T>
[[nodiscard]] constexpr Number number_type() noexcept {
  if constexpr (std::same_as<T, float>) return Number::float32;
  if constexpr (std::same_as<T, double>) return Number::float64;
  if constexpr (std::integral<T> && !std::same_as<T, bool>) {
    constexpr bool has_sign = std::is_signed_v<T>;
    switch (sizeof(T)) {
      case 1:
        return has_sign ? Number::int8 : Number::uint8;
      case 2:
        return has_sign ? Number::int16 : Number::uint16;
      case 4:
        return has_sign ? Number::int32 : Number::uint32;
      default:
        return has_sign ? Number::int64 : Number::uint64;
    }
  }
  return Number::other;
}

}  // namespace tacit::base
