// Says which length is too long.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/detail/length.hpp"

#include <fmt/format.h>

#include "tacit/comm/error.hpp"

namespace tacit::comm::detail {

void throw_longer_than_memory(std::size_t count, std::size_t bytes) {
  throw ArgumentError(fmt::format("{} elements of {} B are longer than any memory: 2^48 B at most", count, bytes));
}

}  // namespace tacit::comm::detail
