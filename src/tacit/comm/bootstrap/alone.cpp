// One rank that writes to itself.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/bootstrap/alone.hpp"

#include "tacit/comm/bootstrap/threads.hpp"

namespace tacit::comm {

std::unique_ptr<Bootstrap> bootstrap_alone() { return std::move(bootstrap_threads(1).front()); }

}  // namespace tacit::comm
