// A piece of work outside any graph: what futures, coroutines and loops are made of.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tacit/trace/trace.hpp"

namespace tacit::tasks {

/// Work that a scheduler runs once. Embedded in what it serves (a future's state, a coroutine's promise), so submitting
/// allocates nothing; it must stay where it is until `run` is called.
struct Job {
  /// Does the work; may destroy the job. Must not throw.
  void (*run)(Job& job) = nullptr;
  trace::KindId kind{};   ///< how the trace names it
  std::uint32_t key = 0;  ///< which one of its kind
};

}  // namespace tacit::tasks
