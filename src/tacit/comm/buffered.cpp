// Errors of buffered windows whose messages are too long or too short.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/buffered.hpp"

#include <fmt/format.h>

#include "tacit/base/error.hpp"

namespace tacit::comm::detail {

void throw_full(std::size_t filled, std::size_t more, std::size_t capacity) {
  throw base::Error(fmt::format("{} elements cannot be inserted behind {}: a message of this window has {} at most",
                                more, filled, capacity));
}

void throw_exhausted(std::size_t extracted, std::size_t more, std::size_t size) {
  throw base::Error(
      fmt::format("{} elements cannot be extracted behind {}: the message has {}", more, extracted, size));
}

}  // namespace tacit::comm::detail
