// From exceptions to messages and exit codes, alone and on several ranks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tacit/comm/communicator.hpp"

namespace tacit::apps {

struct Failure {
  int code = 0;
  std::string message;
};

/// @pre called while an exception is handled
[[nodiscard]] Failure describe_failure();

/// Tells the other ranks that this one ends, and prints what went wrong, once for all of them: what went wrong
/// everywhere is said by the first rank, what went wrong on one by that one, that a rank is gone by the first one left.
/// @return the exit code
[[nodiscard]] int end_after(const Failure& failure, comm::Communicator& ranks);

}  // namespace tacit::apps
