// Numbers in memory that know their type.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <ranges>
#include <span>

#include "tacit/base/number.hpp"

namespace tacit::io {

using base::bytes_of;
using base::count_of;
using base::Number;
using base::number_type;

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
