// From exceptions to messages and exit codes, alone and on several ranks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "tacit/comm/communicator.hpp"

namespace tacit::apps {

struct Failure {
  int code = 0;
  std::string message;
  std::string_view kind = {};  ///< of the exception, by which Python chooses its own: "parameter", "numerics", ...
};

/// @pre called while an exception is handled
[[nodiscard]] Failure describe_failure();

/// Tells the other ranks that this one ends, and prints what went wrong, once for all of them: an error of all ranks is
/// printed by the first one, that of one rank by that rank, the loss of a rank by the first one left.
/// @return the exit code
[[nodiscard]] int end_after(const Failure& failure, comm::Communicator& ranks);

}  // namespace tacit::apps
