// How the process treats memory that it has freed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tacit::base {

/// Makes the process keep what it frees for its next use, instead of giving it back to the system. Then a step touches
/// no new pages: the first touch of one costs as much as working through it several times. The process stays as large
/// as it has once been. For the beginning of `main`; without effect where the C library is not glibc.
void keep_freed_memory() noexcept;

}  // namespace tacit::base
