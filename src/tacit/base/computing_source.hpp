// Completions of what computes elsewhere, which are no communication.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tacit/base/completion.hpp"

namespace tacit::base {

/// A source whose operations are computations, as launches on a device are. Workers who have nothing else to wait for
/// are idle, the time of polls counts as work, and the ends of operations are no transfers in the trace: no part of it
/// is what communication costs.
class ComputingSource : public CompletionSource {};

}  // namespace tacit::base
