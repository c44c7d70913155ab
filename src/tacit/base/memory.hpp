// Memory use of the process, and whether it keeps freed memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace tacit::base {

/// Makes the process keep what it frees for its next use, instead of giving it back to the system. Then a step touches
/// no new pages: the first touch of one costs as much as working through it several times. The process keeps its
/// peak size. For the beginning of `main`; without effect where the C library is not glibc.
void keep_freed_memory() noexcept;

/// The largest resident memory of the process so far [byte]; absent where the system does not say. Unlike what wait4
/// says of a child, it does not count the memory of the parent process.
[[nodiscard]] std::optional<std::uint64_t> peak_memory();

/// The memory that all processes here may use together [byte]: that of the machine, or what the control groups of this
/// process grant (memory.max of version 2, memory.limit_in_bytes of version 1) where that is less.
///
/// @param root  where /proc and /sys are found: "/" but for tests
/// @return      none where the system does not say
[[nodiscard]] std::optional<std::uint64_t> usable_memory(const std::filesystem::path& root = "/");

/// What of it is free at present [byte]: what the machine has available, or what is left of that of the control groups
/// where that is less.
///
/// @return  none where the system does not say
[[nodiscard]] std::optional<std::uint64_t> free_memory(const std::filesystem::path& root = "/");

}  // namespace tacit::base
