// How a collective is carried out, in one piece: what a tuner chooses and keeps.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tacit/comm/collectives/options.hpp"

namespace tacit::comm::detail {

/// It travels between ranks as it is.
struct Algorithm {
  Pattern pattern = Pattern::node_aware;
  std::uint32_t leaders = 1;
  std::uint64_t chunk = 0;  ///< [byte]
  Copying copying = Copying::by_size;

  bool operator==(const Algorithm&) const = default;
  [[nodiscard]] CollectiveOptions options() const noexcept { return {.pattern = pattern, .leaders = leaders}; }
  [[nodiscard]] Pull pull() const noexcept { return {.chunk = chunk, .copying = copying}; }
};

}  // namespace tacit::comm::detail
