// Destroys chains of owners of any depth without recursion.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tacit::tasks::detail {

/// Something that is destroyed through `release_deferred`.
struct DeferredObject {
  void (*destroy)(DeferredObject& object) noexcept = nullptr;
  DeferredObject* below = nullptr;
};

/// Destroys `object`, whose destructor may call release_deferred on others: a coroutine that owns a coroutine that owns
/// ...
///
/// The first 256 levels nest, in the order of the language. Deeper ones wait until those above are gone, so that 10^6
/// levels do not overflow the stack: destructors at such depth must not use what lives in the frames above.
void release_deferred(DeferredObject& object) noexcept;

}  // namespace tacit::tasks::detail
