// Types of numbers in files, and numbers in memory that know theirs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <type_traits>

namespace tacit::io {

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

/// The type in files of a T in memory; `other` if there is none.
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

template <class T>
concept Storable = number_type<T>() != Number::other;

/// Numbers of one type in memory, as spans, vectors and arrays give them.
class Values {
 public:
  Values() = default;
  template <std::ranges::contiguous_range R>
    requires(std::ranges::sized_range<R> && Storable<std::ranges::range_value_t<R>>)
  Values(const R& numbers)
      : type_(number_type<std::ranges::range_value_t<R>>()),
        bytes_(std::as_bytes(std::span(std::ranges::data(numbers), std::ranges::size(numbers)))) {}
  /// @pre bytes.size() is a multiple of bytes_of(type)
  Values(Number type, std::span<const std::byte> bytes) : type_(type), bytes_(bytes) {}

  [[nodiscard]] Number type() const noexcept { return type_; }
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::size_t size() const noexcept { return count_of(type_, bytes_.size()); }
  /// `count` numbers from `first` on.
  [[nodiscard]] Values part(std::size_t first, std::size_t count) const {
    return {type_, bytes_.subspan(first * bytes_of(type_), count * bytes_of(type_))};
  }

 private:
  Number type_ = Number::float64;
  std::span<const std::byte> bytes_;
};

}  // namespace tacit::io
