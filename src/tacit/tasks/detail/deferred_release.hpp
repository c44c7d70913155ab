// Destroying what owns what owns ..., to any depth.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tacit::tasks::detail {

/// Something that is destroyed through `release_deferred`.
struct Mortal {
  void (*destroy)(Mortal& mortal) noexcept = nullptr;
  Mortal* below = nullptr;
};

/// Destroys `mortal`, whose destructor may release_deferred others, and so on: a coroutine that holds a coroutine that
/// holds ...
///
/// The first 256 levels nest, in the order of the language. Deeper ones wait until those above are gone, so that 10^6
/// levels do not overflow the stack: destructors at such depth must not use what lives in the frames above.
void release_deferred(Mortal& mortal) noexcept;

}  // namespace tacit::tasks::detail
