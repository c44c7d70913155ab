// Binds the workers of any runtime to processors, as our own scheduler binds its own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "tacit/topology/cpus.hpp"

namespace tacit::bench {

/// Binds each worker to a processor of its own where our scheduler would: no peer shall lose because its threads were
/// moved.
class WorkerBinder {
 public:
  /// Asks for the processors; call on a thread that is not bound.
  explicit WorkerBinder(std::size_t workers);
  /// Binds the calling thread for the rest of its life; from any thread.
  void bind(std::size_t worker) const;

 private:
  std::vector<topology::CpuId> processors_;  // one per worker; empty: leave them alone
};

}  // namespace tacit::bench
