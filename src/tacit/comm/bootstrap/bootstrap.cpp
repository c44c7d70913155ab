// Keeps messages going while a rank waits in the set-up.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/bootstrap/bootstrap.hpp"

#include "tacit/comm/detail/progress_engine.hpp"

namespace tacit::comm {

void Bootstrap::carry_on() noexcept {
  if (engine_ != nullptr && engine_->has_work()) engine_->progress();
}

}  // namespace tacit::comm
