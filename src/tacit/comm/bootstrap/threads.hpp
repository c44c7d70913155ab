// Several ranks in one process, each on a thread of its own: for tests, and to see races with a thread sanitizer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "tacit/comm/bootstrap/bootstrap.hpp"

namespace tacit::comm {

/// The bootstraps of `size` ranks of this process, by rank. Each thread makes its Communicator from one of them.
[[nodiscard]] std::vector<std::unique_ptr<Bootstrap>> bootstrap_threads(std::size_t size);
/// Rank 0 of 1: of a process that has no other bootstrap.
[[nodiscard]] std::unique_ptr<Bootstrap> bootstrap_alone();

}  // namespace tacit::comm
