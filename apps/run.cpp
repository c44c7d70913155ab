// tacit run: reads the file, runs the simulation, has the picture drawn.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <filesystem>

#include "commands.hpp"
#include "input.hpp"
#include "picture.hpp"
#include "tacit/engine/simulation.hpp"
#include "tacit/engine/summary.hpp"
#include "terminal_reporter.hpp"

namespace tacit::apps {
namespace {

std::atomic<bool> stop_requested{false};
static_assert(std::atomic<bool>::is_always_lock_free);

/// The first signal asks the run to end after its step; a second one ends the process as usual.
extern "C" void request_stop(int signal) {
  stop_requested.store(true);
  std::signal(signal, SIG_DFL);
}

/// What remains to be done after a run.
struct Rest {
  std::filesystem::path directory;
  bool wants_picture = false;
};

/// The run itself. On return its workers are gone, and with them the binding of this thread to one processor, which a
/// child process would inherit.
Rest simulate(const RunArguments& arguments) {
  const Input input = read_input(arguments);
  std::signal(SIGINT, request_stop);
  std::signal(SIGTERM, request_stop);

  TerminalReporter reporter;
  engine::Simulation simulation(input.parameters, *input.solver,
                                {.restart = arguments.restart, .stop = &stop_requested}, reporter);
  const engine::Summary summary = simulation.run();
  reporter.finish();
  fmt::print("{}\n", engine::headline(summary));
  if (!summary.finished) fmt::print("continue with: tacit run {} --restart\n", arguments.file.string());
  fmt::print("results in {}\n", simulation.directory().string());
  std::fflush(stdout);
  return {.directory = simulation.directory(), .wants_picture = simulation.parameters().picture && summary.finished};
}

}  // namespace

int run(const RunArguments& arguments) {
  const Rest rest = simulate(arguments);
  if (rest.wants_picture) draw_run(rest.directory);
  return success;
}

}  // namespace tacit::apps
