// Refuses to run as one of several ranks.
// SPDX-License-Identifier: Apache-2.0
#include "launch_environment.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "commands.hpp"
#include "tacit/base/error.hpp"
#include "tacit/comm/bootstrap/launcher.hpp"

namespace tacit::apps {
namespace {

/// Launchers end all ranks when one fails: rank 0 must have spoken by then.
[[noreturn]] void leave_after_rank_0() {
  std::this_thread::sleep_for(std::chrono::seconds(2));
  std::exit(machine_failed);
}

}  // namespace

void require_one_rank() {
  for (const comm::Launch& launch : comm::find_launches([](const char* name) { return std::getenv(name); })) {
    if (launch.size <= 1) continue;
    if (launch.rank != 0) leave_after_rank_0();
    throw base::SystemError("tacit",
                            fmt::format("{} started {} ranks, but this program runs on 1 so far, and each would "
                                        "compute the same. Start one rank and use --threads",
                                        launch.launcher, launch.size));
  }
}

}  // namespace tacit::apps
