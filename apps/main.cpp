// The command line of Tacit: reads the arguments, calls a command, turns errors into messages and exit codes.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "commands.hpp"
#include "launch_environment.hpp"
#include "tacit/base/error.hpp"
#include "tacit/base/provenance.hpp"
#include "tacit/config/parameters.hpp"
#include "tacit/engine/solver.hpp"
#include "toml_text.hpp"

namespace {

using namespace tacit;

/// The options that `run` and `check` share.
struct RunOptions {
  apps::RunArguments arguments;
  int threads = -1;
  std::string output;

  void declare(CLI::App& command) {
    command.add_option("FILE", arguments.file, "Parameter file (TOML)")->required();
    command.add_option("--set", arguments.overrides, "Override a key of the file, as key=value (may be repeated)")
        ->type_name("KEY=VALUE");
    command.add_option("--threads", threads, "Worker threads; 0: as many as this process may use")
        ->check(CLI::Range(0, 1024));
    command.add_option("--output", output, "Directory for all results")->type_name("DIR");
  }

  [[nodiscard]] apps::RunArguments complete() const {
    apps::RunArguments result = arguments;
    if (threads >= 0) result.overrides.push_back("run.threads=" + std::to_string(threads));
    if (!output.empty()) result.overrides.push_back("output.directory=" + apps::toml_text(output));
    return result;
  }
};

int parse_and_run(int argc, char** argv) {
  CLI::App app{"Tacit, a simulation engine that hides its communication.", "tacit"};
  app.set_version_flag("--version", base::provenance().version + " (" + base::provenance().commit + ")");
  app.require_subcommand(1);

  RunOptions run_options;
  auto* run = app.add_subcommand("run", "Run a simulation");
  run_options.declare(*run);
  run->add_flag("--restart", run_options.arguments.restart, "Continue from the checkpoint in the output directory");

  RunOptions check_options;
  auto* check = app.add_subcommand("check", "Check a parameter file and its input; predict memory, disk and time");
  check_options.declare(*check);

  std::string solver;
  auto* keys = app.add_subcommand("keys", "List the keys of the parameter file");
  keys->add_option("SOLVER", solver, "Only this solver's file");
  bool as_markdown = false;
  bool as_schema = false;
  auto* markdown = keys->add_flag("--markdown", as_markdown, "As a page of documentation");
  keys->add_flag("--schema", as_schema, "As a JSON Schema, for editors")->excludes(markdown);

  std::string info_path;
  auto* info = app.add_subcommand("info", "Say what is in a file or in the directory of a run");
  info->add_option("PATH", info_path, "Snapshot, initial conditions, checkpoint or directory")->required();

  auto* plot = app.add_subcommand("plot", "Draw a snapshot or a run; 'tacit plot --help' lists the options");
  plot->prefix_command();
  plot->set_help_flag();  // passed on

  CLI11_PARSE(app, argc, argv);
  if (run->parsed()) return apps::run(run_options.complete());
  if (check->parsed()) return apps::check(check_options.complete());
  if (info->parsed()) return apps::info(info_path);
  if (plot->parsed()) return apps::plot(plot->remaining());
  return apps::keys(solver, as_schema     ? apps::KeysFormat::schema
                            : as_markdown ? apps::KeysFormat::markdown
                                          : apps::KeysFormat::terminal);
}

int fail(int code, const std::string& message) {
  fmt::print(stderr, "{}\n", message);
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    apps::require_one_rank();
    return parse_and_run(argc, argv);
  } catch (const config::Error& error) {
    return fail(apps::bad_input, error.what());
  } catch (const base::FormatError& error) {
    return fail(apps::bad_input, error.what());
  } catch (const engine::NumericsError& error) {
    return fail(apps::numerics_failed, error.what());
  } catch (const base::SystemError& error) {
    return fail(apps::machine_failed, error.what());
  } catch (const base::Error& error) {
    return fail(apps::bad_input, error.what());
  } catch (const std::bad_alloc&) {
    return fail(apps::machine_failed, "out of memory: 'tacit check FILE' says how much a run needs");
  } catch (const std::exception& error) {
    return fail(apps::bug, std::string("internal error: ") + error.what());
  }
}
