// Runs a check on many random cases, each with a seed of its own that repeats it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "random_graph.hpp"
#include "support/under_sanitizer.hpp"
#include "tacit/base/random.hpp"

namespace tacit::tasks::testing {

/// How many cases a property gets. With TACIT_TEST_FULL in the environment all; the properties together have 10^5.
struct Cases {
  std::uint64_t quick;
  std::uint64_t all;
  [[nodiscard]] std::uint64_t count() const {
    const std::uint64_t wanted = std::getenv("TACIT_TEST_FULL") != nullptr ? all : quick;
    // There switches of threads are 50 times as expensive.
    return under_tsan ? std::max(wanted / 20, std::min<std::uint64_t>(wanted, 200)) : wanted;
  }
};

/// Calls check(random) for each case. A failure shows the seed; TACIT_TEST_SEED in the environment repeats that case
/// alone, many times, since what the workers do is not in the seed.
/// @param property  a number of its own for each
template <class Check>
void for_all(std::uint64_t property, const Cases& cases, Check check) {
  constexpr std::uint64_t repeats = 100;
  const char* const only = std::getenv("TACIT_TEST_SEED");
  const std::uint64_t count = only != nullptr ? repeats : cases.count();
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t seed =
        only != nullptr ? std::strtoull(only, nullptr, 10) : base::mix64((property << 32U) + i + 1);
    SCOPED_TRACE("TACIT_TEST_SEED=" + std::to_string(seed));
    Random random(seed);
    check(random);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace tacit::tasks::testing
