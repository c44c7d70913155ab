// What the handles of the C interface are, and how exceptions become numbers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
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

/// @throws BadUse that says `what`
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

[[nodiscard]] Options options_of(const tacit_options* options);

}  // namespace tacit::comm::c
