// The command line of Tacit: reads the arguments, calls a command, turns errors into messages and exit codes.
// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "commands.hpp"
#include "failure.hpp"
#include "launch_environment.hpp"
#include "tacit/base/memory.hpp"
#include "tacit/base/provenance.hpp"
#include "tacit/base/text.hpp"
#include "tacit/config/parameters.hpp"

namespace {

using namespace tacit;

/// The integers from `least` to `most`. Looks at the letters before they are converted, since -1 as an unsigned number
/// is a large one.
CLI::Validator whole_number(std::uint64_t least, std::uint64_t most) {
  const auto fault = [least, most](const std::string& text) -> std::string {
    std::uint64_t value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_number = code == std::errc() && end == text.data() + text.size();
    if (is_number && value >= least && value <= most) return {};
    return fmt::format("'{}' is not a whole number from {} to {}", base::printable(text), least, most);
  };
  return CLI::Validator(fault, "");
}

/// The options that `run` and `check` share.
void declare_run(CLI::App& command, apps::RunArguments& arguments) {
  command.add_option("FILE", arguments.file, "Parameter file (TOML)")->required();
  command.add_option("--set", arguments.settings, "Override a key of the file, as key=value (may be repeated)")
      ->type_name("KEY=VALUE");
  command.add_option("--threads", arguments.threads, "Worker threads; 0: as many as this process may use")
      ->type_name("N");
  command.add_option("--output", arguments.output, "Directory for all results")->type_name("DIR");
}

void declare_place(CLI::App& command, apps::PlaceArguments& arguments) {
  command.add_option("MACHINE", arguments.machine, "Machine file (TOML), topology.conf or topology.yaml");
  command.add_option("--ranks", arguments.ranks, "Ranks of the job")
      ->type_name("N")
      ->check(whole_number(1, apps::most_ranks));
  command.add_option("--ranks-per-node", arguments.ranks_per_node, "Ranks on a node; by default one on each core")
      ->type_name("M")
      ->check(whole_number(1, apps::most_ranks));
  command.add_option("--grid", arguments.grid, "Ranks of a row and of a column, or along x, y, z of a halo")
      ->type_name("RxC");
  command.add_option("--points", arguments.points, "Grid points on a side; by default 128^3 for each rank")
      ->type_name("N")
      ->check(whole_number(1, 10'000'000));
  command.add_option("--word", arguments.word, "Bytes of a value: 8, or 4 in single precision")->type_name("BYTES");
  command.add_option("--pattern", arguments.pattern, "pencils, halo, or trace:FILE with lines FROM TO BYTES")
      ->type_name("PATTERN");
  command.add_option("--nodes", arguments.nodes, "Nodes to use: a[1-4],b7, a file, or slurm for those of this job")
      ->type_name("LIST");
  command.add_option("--exclude", arguments.excluded, "Nodes not to use")->type_name("LIST");
  command.add_option("--down", arguments.down, "Nodes that are broken; their partners are left out")->type_name("LIST");
  command.add_flag("--keep-lone", arguments.keeps_lone_nodes, "Use nodes whose partner on the router is down");
  command.add_option("--spares", arguments.spares, "Spare nodes to request beyond those that run ranks")
      ->type_name("K")
      ->check(whole_number(0, apps::most_ranks));
  command.add_option("--dump", arguments.dump, "Bytes of one output of the job, which goes to the service nodes")
      ->type_name("BYTES");
  command
      .add_option("--exchanges-per-dump", arguments.exchanges_per_dump,
                  "How often the exchanges are made for one output; 1000 by default")
      ->type_name("E");
  command.add_option("--order", arguments.order, "Order in which nodes get ranks; by default the best of all")
      ->type_name("ORDER");
  command.add_option("--seed", arguments.seed, "Random seed for the random orders")
      ->type_name("N")
      ->check(whole_number(0, std::numeric_limits<std::uint64_t>::max()));
  command.add_option("--output", arguments.output, "Folder for the files that launchers read")->type_name("DIR");
  command.add_option("--compare", arguments.compare, "Compare the prediction in the --output folder with this run")
      ->type_name("RUN");
  command
      .add_option("--fields", arguments.fields,
                  "Fields that one exchange of that run carries; by default from its bytes")
      ->type_name("F");
  command.add_flag("--blue-waters", arguments.wants_blue_waters)->group("");  // gone; hidden
  command.add_flag("--json", arguments.as_json, "As JSON, for tools");
}

void declare_trace(CLI::App& command, apps::TraceArguments& arguments) {
  command.add_option("RUN", arguments.run, "Directory of a run, or its trace.json")->required();
  command.add_flag_callback(
      "--json", [&arguments] { arguments.format = apps::TraceFormat::json; }, "As JSON, for tools");
  auto* model = command.add_flag("--model", arguments.wants_model, "Predict steps on many ranks from a run on one");
  auto* machine = command.add_option("--machine", arguments.machine, "Machine file of `place`, for its network")
                      ->type_name("MACHINE")
                      ->needs(model);
  command
      .add_option("--ranks-per-node", arguments.ranks_per_node, "Ranks that share the network of a node; 1 by default")
      ->type_name("M")
      ->check(whole_number(1, apps::most_ranks))
      ->needs(machine);
  auto* ranks = command.add_option("--ranks", arguments.ranks, "Predict for these, where parameters say what is sent")
                    ->type_name("N")
                    ->check(whole_number(2, apps::most_ranks))
                    ->needs(model);
  command.add_option("--set", arguments.settings, "Of another size: set a key for --ranks (may be repeated)")
      ->type_name("KEY=VALUE")
      ->needs(ranks);
}

void declare_diff(CLI::App& command, apps::DiffArguments& arguments) {
  command.add_option("A", arguments.a, "File, or directory of a run")->required();
  command.add_option("B", arguments.b, "Another one, or a fingerprint (16 hexadecimal digits)")->required();
  command
      .add_option("--tolerance", arguments.tolerances,
                  "Real numbers may differ by X of their value, those of a field if it is named (may be repeated)")
      ->type_name("[FIELD=]X");
  command
      .add_option("--absolute", arguments.absolutes,
                  "Real numbers may differ by X, those of a field if it is named (may be repeated)")
      ->type_name("[FIELD=]X");
  command.add_flag("--all", arguments.compares_all,
                   "Also compare what says when, where, by whom and how a run was made");
}

void declare_keys(CLI::App& command, apps::KeysArguments& arguments) {
  command.add_option("SOLVER", arguments.solver, "Only this solver's file");
  auto* section =
      command.add_option("SECTION", arguments.section, "Only this key, or keys with this beginning: time, sph.kernel");
  auto* word = command.add_option("--search", arguments.word, "Only keys with this word in their name or help")
                   ->type_name("WORD");
  auto* markdown = command.add_flag_callback(
      "--markdown", [&arguments] { arguments.format = apps::KeysFormat::markdown; }, "As a page of documentation");
  auto* schema = command.add_flag_callback(
      "--schema", [&arguments] { arguments.format = apps::KeysFormat::schema; }, "As a JSON Schema, for editors");
  auto* description = command.add_flag_callback(
      "--description", [&arguments] { arguments.format = apps::KeysFormat::description; },
      "As a program reads it that is built without the solver");
  schema->excludes(markdown)->excludes(description);
  markdown->excludes(description);
  for (auto* whole : {markdown, schema, description}) whole->excludes(section)->excludes(word);
}

[[noreturn]] void refuse(const CLI::App& command, std::string message, std::string hint) {
  const CLI::App* parent = command.get_parent();
  const std::string name = parent == nullptr ? command.get_name() : parent->get_name() + " " + command.get_name();
  throw config::Error({name, 0, 0}, "", std::move(message), std::move(hint));
}

/// @throws config::Error unless the first word is one of the commands, or an option
void require_command(const CLI::App& app, int argc, const char* const* argv) {
  std::vector<std::string_view> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  if (argc < 2) refuse(app, fmt::format("expected one of {}", fmt::join(names, ", ")), "tacit run FILE");
  const std::string_view word = argv[1];
  if (word.starts_with('-') || std::ranges::find(names, word) != names.end()) return;
  const auto guess = config::closest(word, names);
  refuse(app, fmt::format("'{}' is not one of {}", base::printable(word), fmt::join(names, ", ")),
         guess ? "did you mean '" + *guess + "'?" : "'tacit --help' describes them");
}

/// @throws config::Error that says what is wrong with the words after the command
[[noreturn]] void refuse_arguments(const CLI::App& app, const CLI::ParseError& error) {
  const auto chosen = app.get_subcommands();
  const CLI::App& command = chosen.empty() ? app : *chosen.front();
  const std::string advice =
      fmt::format("'{} --help' lists what it takes", chosen.empty() ? "tacit" : "tacit " + command.get_name());
  const auto extras = command.remaining();
  const auto option = std::ranges::find_if(extras, [](const std::string& word) { return word.starts_with("-"); });
  if (option == extras.end()) {
    refuse(command, extras.empty() ? error.what() : fmt::format("'{}' is one argument too many", extras.front()),
           advice);
  }
  std::vector<std::string> names;
  for (const CLI::Option* known : command.get_options()) names.push_back(known->get_name());
  const auto guess = config::closest(*option, std::vector<std::string_view>(names.begin(), names.end()));
  refuse(command, fmt::format("'{}' is not an option", base::printable(*option)),
         guess ? "did you mean '" + *guess + "'?" : advice);
}

/// `--restart if-any` as one word: what else follows --restart is no value of it.
std::vector<const char*> join_restart(int argc, const char* const* argv) {
  std::vector<const char*> words;
  for (int i = 0; i < argc; ++i) {
    const bool is_joined =
        i + 1 < argc && std::string_view(argv[i]) == "--restart" && std::string_view(argv[i + 1]) == "if-any";
    words.push_back(is_joined ? "--restart=if-any" : argv[i]);
    if (is_joined) ++i;
  }
  return words;
}

engine::Restart restart_of(const CLI::App& run, const std::string& given) {
  if (given.empty()) return engine::Restart::never;
  if (given == "true") return engine::Restart::always;
  if (given == "if-any") return engine::Restart::if_any;
  refuse(run, fmt::format("--restart: '{}' is not a way to restart", base::printable(given)),
         "--restart alone needs a checkpoint; with --restart if-any the run begins where there is none");
}

int parse_and_run(int argc, char** argv) {
  CLI::App app{"Tacit, a simulation engine that hides its communication.", "tacit"};
  app.set_version_flag("--version", base::provenance().version + " (" + base::provenance().commit + ")");
  app.require_subcommand(1);

  apps::RunArguments run_arguments;
  auto* run = app.add_subcommand("run", "Run a simulation");
  declare_run(*run, run_arguments);
  std::string restart;
  run->add_flag(
      "--restart", restart,
      "Continue from the newest checkpoint in the output directory; --restart if-any: begin where there is none");

  apps::RunArguments check_arguments;
  auto* check = app.add_subcommand("check", "Check a parameter file and its input; predict memory, disk and time");
  declare_run(*check, check_arguments);
  check
      ->add_option("--ranks", check_arguments.ranks,
                   "Ranks of the run; without it as many as a launcher starts, or one")
      ->check(whole_number(1, 1U << 24U));

  apps::KeysArguments keys_arguments;
  auto* keys = app.add_subcommand("keys", "List the keys of the parameter file");
  declare_keys(*keys, keys_arguments);

  std::string info_path;
  auto* info = app.add_subcommand("info", "Show the contents of a file or of the directory of a run");
  info->add_option("PATH", info_path, "Snapshot, initial conditions, checkpoint or directory")->required();
  apps::InfoOf info_of = apps::InfoOf::contents;
  info->add_flag_callback(
      "--verify", [&info_of] { info_of = apps::InfoOf::checksums; }, "Compare every byte with its checksums");

  apps::DiffArguments diff_arguments;
  auto* diff = app.add_subcommand("diff", "Compare two files or two runs, bit by bit or with tolerances");
  declare_diff(*diff, diff_arguments);

  apps::TraceArguments trace_arguments;
  auto* trace = app.add_subcommand("trace", "Report what the workers of a run did and what communication cost");
  declare_trace(*trace, trace_arguments);

  apps::PlaceArguments place_arguments;
  auto* place = app.add_subcommand("place", "Choose process grid, nodes and order of ranks for a job on a network");
  declare_place(*place, place_arguments);

  auto* plot = app.add_subcommand("plot", "Draw snapshots, runs or traces; 'tacit plot --help' lists options");
  plot->prefix_command();
  plot->set_help_flag();  // passed on

  auto* movie = app.add_subcommand("movie", "Make a film of the snapshots of a run");
  auto* report = app.add_subcommand("report", "Write a page about a run: pictures, what was kept, where the time went");
  for (CLI::App* by_python : {movie, report}) {
    by_python->prefix_command();
    by_python->set_help_flag();
  }

  auto* bench = app.add_subcommand("bench", "Measure the speed of Tacit and of other codes (a separate program)");
  bench->prefix_command();
  bench->set_help_flag();

  require_command(app, argc, argv);
  try {
    const std::vector<const char*> words = join_restart(argc, argv);
    app.parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::Success& help) {  // --help, --version
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    refuse_arguments(app, error);
  }
  run_arguments.restart = restart_of(*run, restart);
  for (auto* words : {&run_arguments.words, &check_arguments.words, &keys_arguments.words})
    words->assign(argv + 1, argv + argc);
  if (run->parsed()) return apps::run(run_arguments);
  apps::leave_to_first_rank(apps::success);  // the others need no ranks
  if (check->parsed()) return apps::check(check_arguments);
  if (info->parsed()) return apps::info(info_path, info_of);
  if (diff->parsed()) return apps::diff(diff_arguments);
  if (trace->parsed()) return apps::trace(trace_arguments);
  if (place->parsed()) return apps::place(place_arguments);
  if (plot->parsed()) return apps::draw("plot", plot->remaining());
  if (movie->parsed()) return apps::draw("movie", movie->remaining());
  if (report->parsed()) return apps::draw("report", report->remaining());
  if (bench->parsed()) refuse(*bench, "the benchmarks are a separate program; ./tacit bench runs it", "");
  return apps::keys(keys_arguments);
}

}  // namespace

int main(int argc, char** argv) {
  base::keep_freed_memory();
  try {
    return parse_and_run(argc, argv);
  } catch (...) {
    const apps::Failure failure = apps::describe_failure();
    apps::leave_to_first_rank(failure.code);
    fmt::print(stderr, "{}\n", failure.message);
    return failure.code;
  }
}
