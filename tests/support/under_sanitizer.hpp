// Whether the tests run under a sanitizer, which makes them slow or takes over the allocation.
// SPDX-License-Identifier: Apache-2.0
#pragma once

// g++ says it with macros, clang with features.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TACIT_UNDER_TSAN
#elif __has_feature(address_sanitizer)
#define TACIT_UNDER_ASAN
#endif
#elif defined(__SANITIZE_THREAD__)
#define TACIT_UNDER_TSAN
#elif defined(__SANITIZE_ADDRESS__)
#define TACIT_UNDER_ASAN
#endif

namespace tacit::tasks::testing {

#if defined(TACIT_UNDER_TSAN)
inline constexpr bool under_tsan = true;
#else
inline constexpr bool under_tsan = false;
#endif

}  // namespace tacit::tasks::testing
