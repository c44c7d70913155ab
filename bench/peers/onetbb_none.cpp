// In place of oneTBB, where it was not found.
// SPDX-License-Identifier: Apache-2.0
#include "peers/peers.hpp"

namespace tacit::bench {

std::optional<RuntimeEntry> onetbb() { return std::nullopt; }

std::optional<RuntimeEntry> onetbb_light() { return std::nullopt; }

}  // namespace tacit::bench
