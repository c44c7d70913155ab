// What the handles of the C interface are, and how exceptions become numbers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "tacit/comm/c/tacit_comm.h"
#include "tacit/comm/window.hpp"

struct tacit_comm {
  tacit::comm::Communicator communicator;
  std::uint32_t connections = 0;  ///< not freed yet
  std::uint32_t collectives = 0;  ///< not freed yet
};

struct tacit_connection {
  tacit_comm* comm = nullptr;
  tacit::comm::Connection connection;
  std::uint32_t windows = 0;  ///< not freed yet
};

struct tacit_send_window {
  tacit_connection* connection = nullptr;
  tacit::comm::detail::SendEnd end;
  std::size_t element_bytes = 1;
  bool is_under_way = false;
};

struct tacit_recv_window {
  tacit_connection* connection = nullptr;
  tacit::comm::detail::ReceiveEnd end;
  std::size_t element_bytes = 1;
  std::uint32_t granted = 0;  ///< and not taken
};

namespace tacit::comm::c {

/// An argument or an order of calls that cannot be.
class BadUse : public base::Error {
 public:
  using base::Error::Error;
};

/// @throws BadUse(what)
inline void require(bool condition, const char* what) {
  if (!condition) [[unlikely]]
    throw BadUse(what);
}

/// Keeps the words of the exception that is being handled for this thread. @return  its number
tacit_status take_exception() noexcept;

/// Calls `function`, whose exceptions become numbers.
template <class Function>
tacit_status guarded(Function&& function) noexcept {
  try {
    if constexpr (std::is_same_v<decltype(function()), bool>) {
      return function() ? TACIT_OK : TACIT_NOT_YET;
    } else {
      function();
      return TACIT_OK;
    }
  } catch (...) {
    return take_exception();
  }
}

/// Makes an object for the caller: `*handle` is what `function` returns, NULL if it throws.
template <class Handle, class Function>
tacit_status make(Handle** handle, Function&& function) noexcept {
  if (handle != nullptr) *handle = nullptr;
  return guarded([&] {
    require(handle != nullptr, "there is nowhere to put the new object: NULL");
    *handle = function().release();
  });
}

// What the types of the C interface are called, and how long they are.

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

[[nodiscard]] Options options_of(const tacit_options* options);

}  // namespace tacit::comm::c
