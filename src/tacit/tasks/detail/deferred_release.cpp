// The list of what waits to be destroyed, one per thread.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/tasks/detail/deferred_release.hpp"

#include <utility>

namespace tacit::tasks::detail {

namespace {

constexpr int most_nested = 256;

struct Graves {
  int depth = 0;
  Mortal* top = nullptr;
};
constinit thread_local Graves graves;

}  // namespace

void release_deferred(Mortal& mortal) noexcept {
  if (graves.depth == most_nested) {
    mortal.below = std::exchange(graves.top, &mortal);
    return;
  }
  ++graves.depth;
  mortal.destroy(mortal);
  while (graves.depth == 1 && graves.top != nullptr) {
    Mortal& next = *graves.top;
    graves.top = next.below;
    next.destroy(next);
  }
  --graves.depth;
}

}  // namespace tacit::tasks::detail
