// What a parallel launcher says about this process.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace tacit::apps {

/// How many ranks a launcher says that it has started; 1 without one.
[[nodiscard]] std::size_t ranks_started();

/// Whether this process may be one of several ranks: then they have to meet to know how many they are.
[[nodiscard]] bool may_have_ranks();

/// Whether the launcher that started this process writes to a terminal itself, or there is none. Open MPI gives its
/// ranks a terminal of its own also where what they write goes to a file.
[[nodiscard]] bool launcher_has_terminal();

/// Ends this process with that code if it is a rank that need not speak: the first one does the same and says what
/// there is to say. Launchers end all ranks when one fails, so the others leave later.
void leave_to_first_rank(int code);

}  // namespace tacit::apps
