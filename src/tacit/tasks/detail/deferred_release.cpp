// The per-thread list of objects whose release was deferred.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/tasks/detail/deferred_release.hpp"

#include <utility>

namespace tacit::tasks::detail {

namespace {

constexpr int most_nested = 256;

struct Graves {
  int depth = 0;
  DeferredObject* top = nullptr;
};
constinit thread_local Graves graves;

}  // namespace

void release_deferred(DeferredObject& object) noexcept {
  if (graves.depth == most_nested) {
    object.below = std::exchange(graves.top, &object);
    return;
  }
  ++graves.depth;
  object.destroy(object);
  while (graves.depth == 1 && graves.top != nullptr) {
    DeferredObject& next = *graves.top;
    graves.top = next.below;
    next.destroy(next);
  }
  --graves.depth;
}

}  // namespace tacit::tasks::detail
