// Reads the launcher's variables.
// SPDX-License-Identifier: Apache-2.0
#include "launch_environment.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "commands.hpp"
#include "tacit/comm/bootstrap/launcher.hpp"

namespace tacit::apps {
namespace {

std::vector<comm::Launch> launches() {
  return comm::find_launches([](const char* name) { return std::getenv(name); });
}

/// The first launcher that started several ranks: one may have been started by another.
std::optional<comm::Launch> launch() {
  for (const comm::Launch& found : launches()) {
    if (found.size > 1) return found;
  }
  return std::nullopt;
}

}  // namespace

std::size_t ranks_started() {
  const auto found = launch();
  return found ? found->size : 1;
}

bool may_have_ranks() {
  const auto found = launches();
  // A launcher that tells only our own number says nothing of the others.
  return ranks_started() > 1 || (!found.empty() && found.front().is_lower_bound);
}

bool launcher_has_terminal() {
  if (launches().empty()) return true;
  std::error_code unknown;
  const auto output = std::filesystem::read_symlink("/proc/" + std::to_string(::getppid()) + "/fd/1", unknown).string();
  return !unknown && (output.starts_with("/dev/pts/") || output.starts_with("/dev/tty"));
}

void leave_to_first_rank(int code) {
  const auto found = launch();
  if (!found || found->rank == 0) return;
  if (code != success) std::this_thread::sleep_for(std::chrono::seconds(2));
  std::exit(code);
}

}  // namespace tacit::apps
