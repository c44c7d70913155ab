// The bootstrap of a process that has no other.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tacit/comm/bootstrap/bootstrap.hpp"

namespace tacit::comm {

/// Rank 0 of 1.
[[nodiscard]] std::unique_ptr<Bootstrap> bootstrap_alone();

}  // namespace tacit::comm
