// Names of the types of numbers, as users see them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "tacit/io/number.hpp"

namespace tacit::apps {

[[nodiscard]] inline std::string_view name_of(io::Number type) {
  switch (type) {
    case io::Number::float32:
      return "float32";
    case io::Number::float64:
      return "float64";
    case io::Number::int8:
      return "int8";
    case io::Number::int16:
      return "int16";
    case io::Number::int32:
      return "int32";
    case io::Number::int64:
      return "int64";
    case io::Number::uint8:
      return "uint8";
    case io::Number::uint16:
      return "uint16";
    case io::Number::uint32:
      return "uint32";
    case io::Number::uint64:
      return "uint64";
    case io::Number::text:
      return "text";
    case io::Number::other:
      break;
  }
  return "other";
}

}  // namespace tacit::apps
