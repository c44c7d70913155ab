// Counts how often this process opens files in a folder: what a shared file system's servers feel.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace tacit::bench {

/// Begins to count; folders that are opened do not count. @param folder  absolute
void count_opens_in(const std::string& folder);
/// How many there were since. From any thread.
[[nodiscard]] std::uint64_t opens() noexcept;

}  // namespace tacit::bench
