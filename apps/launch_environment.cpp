// Refuses to run as one of several ranks.
// SPDX-License-Identifier: Apache-2.0
#include "launch_environment.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "commands.hpp"
#include "tacit/base/error.hpp"
#include "tacit/comm/bootstrap/launcher.hpp"

namespace tacit::apps {

void require_one_rank() {
  for (const comm::Launch& launch : comm::find_launches([](const char* name) { return std::getenv(name); })) {
    if (launch.size <= 1) continue;
    if (launch.rank != 0) std::exit(machine_failed);
    throw base::SystemError("tacit", fmt::format("{} started {} ranks, but this build runs on 1 (it has no MPI). "
                                                 "Start one rank and use --threads",
                                                 launch.launcher, launch.size));
  }
}

}  // namespace tacit::apps
