// Counts the allocations of a test program that is made with count_allocations.cpp; not under a sanitizer, which brings
// an allocation of its own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>

namespace tacit::test {

inline std::atomic<std::size_t> allocations = 0;

}  // namespace tacit::test
