// What a parallel launcher says about this process.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tacit::apps {

/// Makes sure that a launcher did not start several ranks of this build, which runs on one.
/// @throws base::SystemError naming the launcher's number of ranks and ours; ranks other than 0 stay quiet
void require_one_rank();

}  // namespace tacit::apps
