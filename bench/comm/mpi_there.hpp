// Whether MPI runs, and tags for its messages.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tacit::bench {

[[nodiscard]] bool is_mpi_there();
/// The first of `count` tags that no other object has.
[[nodiscard]] int next_tags(int count);

}  // namespace tacit::bench
