// In place of OpenMP, where it was not found.
// SPDX-License-Identifier: Apache-2.0
#include "peers/peers.hpp"

namespace tacit::bench {

std::optional<RuntimeEntry> openmp() { return std::nullopt; }

}  // namespace tacit::bench
