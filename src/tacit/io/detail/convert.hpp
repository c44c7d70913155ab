// Numbers of one type as those of another.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>
#include <span>

#include "tacit/io/number.hpp"

namespace tacit::io::detail {

template <class T>
std::span<T> as(std::span<std::byte> bytes) {
  return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
}

inline bool can_become(Number from, Number to) {
  return from == to || (from == Number::float64 && to == Number::float32) ||
         (from == Number::float32 && to == Number::float64);
}

template <class From, class To>
void convert_numbers(std::span<const std::byte> in, std::span<std::byte> out) {
  const std::span<To> to = as<To>(out);
  for (std::size_t i = 0; i < to.size(); ++i) {
    From number;
    std::memcpy(&number, in.data() + i * sizeof(From), sizeof(From));
    to[i] = static_cast<To>(+number);  // of one byte it is a number, too, not a letter
  }
}

/// @pre can_become(values.type(), type), and room for as many numbers
inline void convert(const Values& values, Number type, std::span<std::byte> out) {
  if (values.type() == type) {
    if (!out.empty()) std::memcpy(out.data(), values.bytes().data(), out.size());
  } else if (type == Number::float32) {
    convert_numbers<double, float>(values.bytes(), out);
  } else {
    convert_numbers<float, double>(values.bytes(), out);
  }
}

}  // namespace tacit::io::detail
