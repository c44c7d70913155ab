// Looks whether steps between ranks allocate; not under a sanitizer, which brings an allocation of its own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstddef>

#include "support/count_allocations.hpp"
#include "tacit/comm/communicator.hpp"

namespace tacit::comm::testing {

/// Called by all ranks, which are threads of this process. Fewer steps, where each takes long, find as much.
template <class Step>
void expect_no_allocations(Communicator& world, Step&& step, std::size_t steps = 200) {
  step();
  world.synchronise();
  // The other rank may still be synchronising when this one begins: then it allocates its messages, a few of them.
  const std::size_t after_synchronising = test::allocations.load();
  for (std::size_t i = 0; i < steps; ++i) step();
  const std::size_t during = test::allocations.load() - after_synchronising;
  EXPECT_LE(during, steps / 4) << "one allocation in each of " << steps << " steps would show";
  world.synchronise();
}

}  // namespace tacit::comm::testing
