// What the types of the C interface are called, and how long they are.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "tacit/comm/c/handles.hpp"

namespace tacit::comm::c {

struct Type {
  std::string_view name;
  std::size_t bytes;
};

/// By tacit_type; the names are those of the C++ windows, so that both can be ends of one connection.
inline constexpr std::array<Type, 7> types{
    {{"byte", 1}, {"int32", 4}, {"int64", 8}, {"uint32", 4}, {"uint64", 8}, {"float32", 4}, {"float64", 8}}};

/// @throws BadUse if there is no such type
inline const Type& type_of(tacit_type type) {
  const auto number = static_cast<std::size_t>(type);
  require(number < types.size(), "there is no such tacit_type");
  return types[number];
}

inline detail::Elements elements_of(const Type& type, std::size_t count) {
  detail::Elements elements{.count = count, .bytes = type.bytes};
  std::ranges::copy(type.name, elements.type.begin());
  return elements;
}

}  // namespace tacit::comm::c
