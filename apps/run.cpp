// tacit run: reads the file, runs the simulation, has the picture drawn.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>

#include "commands.hpp"
#include "failure.hpp"
#include "input.hpp"
#include "launch_environment.hpp"
#include "start_watch.hpp"
#include "tacit/comm/bootstrap/threads.hpp"
#include "tacit/comm/communicator.hpp"
#include "tacit/comm/routes.hpp"
#include "tacit/engine/simulation.hpp"
#include "tacit/engine/summary.hpp"
#include "tacit/engine/transports.hpp"
#include "terminal_reporter.hpp"

namespace tacit::apps {
namespace {

engine::Requests requests;
static_assert(std::atomic<bool>::is_always_lock_free);

/// The first signal asks the run to end after its step; a second one ends the process as usual.
extern "C" void request_stop(int signal) {
  requests.stop.store(true);
  std::signal(signal, SIG_DFL);
}

extern "C" void request_checkpoint(int) { requests.checkpoint.store(true); }

/// What remains to be done after a run.
struct Rest {
  int code = success;
  std::filesystem::path directory;
  bool wants_picture = false;
};

/// A restart of a run that is over leaves it as it is.
void print_nothing_to_do(const engine::Simulation& simulation) {
  fmt::print("the run in {} has already ended at {}: nothing to do, nothing changed\n", simulation.directory().string(),
             simulation.place());
  fmt::print("to go on from there, raise {}\n", simulation.is_out_of_steps() ? "time.max_steps" : simulation.end_key());
  std::fflush(stdout);
}

/// The run itself. On return its workers are gone, and with them the binding of this thread to one processor, which a
/// child process would inherit.
Rest simulate(const RunArguments& arguments, const Input& input, comm::Communicator& ranks) {
  std::signal(SIGINT, request_stop);
  std::signal(SIGTERM, request_stop);
  std::signal(SIGUSR1, request_checkpoint);

  TerminalReporter reporter;
  if (ranks.size() > 1) {
    const std::string transports = engine::describe_transports(ranks);
    if (engine::is_first(ranks)) reporter.note("ranks reach each other by " + transports);
  }
  engine::Simulation simulation(input.parameters, *input.solver, ranks,
                                {.restart = arguments.restart, .requests = &requests}, reporter);
  if (simulation.has_nothing_to_do()) {
    if (engine::is_first(ranks)) print_nothing_to_do(simulation);
    return {};
  }
  const engine::Summary summary = simulation.run();
  const int code = simulation.was_stopped() ? stopped_early : success;
  if (!engine::is_first(ranks)) return {.code = code, .directory = {}};
  reporter.finish();
  fmt::print("{}\n", engine::headline(summary));
  std::string raised;
  if (simulation.is_out_of_steps()) {
    // With the same number a restart would do nothing.
    const std::string key = fmt::format("{}.max_steps", summary.axis.name);
    fmt::print("{} has ended the run; to go on, raise it\n", key);
    raised = fmt::format("{}={}", key, 2 * input.parameters.count(key));
  }
  if (!summary.finished) fmt::print("continue with: {}\n", continuing_command(arguments, raised));
  fmt::print("results in {}\n", simulation.directory().string());
  std::fflush(stdout);
  return {.code = code,
          .directory = simulation.directory(),
          .wants_picture = simulation.parameters().picture && summary.finished};
}

/// What a rank knows of its input when the ranks meet: they meet even if one of them cannot read it.
struct Reading {
  std::optional<Input> input = std::nullopt;
  comm::Options options = {};
  std::string routes = {};
  Failure failure = {};

  explicit Reading(const RunArguments& arguments) {
    try {
      input.emplace(read_input(arguments));
      require_built(*input->solver, arguments.words);
      const engine::RankParameters ranks = engine::read_run_parameters(input->parameters).ranks;
      if (!ranks.routes.empty() && may_have_ranks()) {          // a rank alone has no routes
        static_cast<void>(comm::RouteMap::read(ranks.routes));  // its errors, before we meet
        routes = ranks.routes;
      }
      options.transport = ranks.transport;
      options.deadline_s = ranks.deadline_s;
      options.stopped_s = ranks.stopped_s;
      options.silent_s = ranks.silent_s;
    } catch (...) {
      failure = describe_failure();
    }
  }
};

/// The ranks of the launcher. Without one there is a single rank, for which no MPI is started.
comm::Communicator meet(const comm::Options& options) {
  if (may_have_ranks()) {
    // A short deadline is for ranks that run: their start takes what it takes.
    const StartWatch watch(std::max(options.deadline_s, options.setup_deadline_s));
    return comm::Communicator(options);
  }
  return comm::Communicator(comm::bootstrap_alone(), options);
}

Rest simulate_on_ranks(const RunArguments& arguments) {
  Reading reading(arguments);
  reading.options.routes = reading.routes;
  comm::Communicator ranks = meet(reading.options);
  if (reading.failure.code != success) return {.code = end_after(reading.failure, ranks), .directory = {}};
  try {
    return simulate(arguments, *reading.input, ranks);
  } catch (...) {
    return {.code = end_after(describe_failure(), ranks), .directory = {}};
  }
}

}  // namespace

int run(const RunArguments& arguments) {
  const Rest rest = simulate_on_ranks(arguments);
  if (rest.wants_picture) draw_run(rest.directory);
  return rest.code;
}

}  // namespace tacit::apps
