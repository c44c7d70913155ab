// Reads the words after `tacit bench` and does what they say.
// SPDX-License-Identifier: Apache-2.0
#include "framework/command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <ostream>
#include <vector>

#include "framework/flag_latency.hpp"
#include "framework/machine.hpp"
#include "framework/report.hpp"
#include "tacit/base/text.hpp"

namespace tacit::bench {
namespace {

constexpr std::array<std::string_view, 3> options{"--json", "--quick", "--help"};

std::vector<std::string_view> names_of(std::span<const Benchmark> benchmarks) {
  std::vector<std::string_view> names;
  for (const Benchmark& benchmark : benchmarks) names.push_back(benchmark.name);
  return names;
}

[[noreturn]] void refuse(std::string_view word, std::string_view what, std::span<const std::string_view> known) {
  const auto guess = base::closest(word, known);
  throw UsageError(fmt::format("tacit bench: '{}' is not {} {}\n  hint: {}", base::printable(word), what,
                               fmt::join(known, ", "),
                               guess ? "did you mean '" + *guess + "'?" : "'./tacit bench' describes them"));
}

void list(std::span<const Benchmark> benchmarks, std::ostream& out) {
  for (const Benchmark& benchmark : benchmarks) out << fmt::format("{:<12} {}\n", benchmark.name, benchmark.summary);
}

void print_usage(std::string_view name, std::ostream& out) {
  out << "usage: ./tacit bench " << name << " [--json] [--quick]\n"
      << "  --json    results as JSON on stdout\n"
      << "  --quick   tiny sizes, to see that everything runs: the figures mean nothing\n\n";
}

void print_help(const Benchmark& benchmark, std::ostream& out) {
  print_usage(benchmark.name, out);
  out << benchmark.summary << "\n\n" << benchmark.help;
}

void run(const Benchmark& benchmark, const Command& command, std::ostream& out, std::ostream& progress) {
  Machine machine = describe_machine();
  std::ostream& rows = command.as_json ? progress : out;
  rows << table_head() << std::flush;
  Session session(command.effort, [&](const Result& result) { rows << table_row(result) << std::flush; });
  benchmark.run(session);
  machine.flag_after = measure_flag_latency(machine.processors);
  machine.peers = session.peers();
  rows << machine_text(machine) << std::flush;
  if (command.as_json) out << to_json(machine, session.results()) << std::flush;
}

}  // namespace

Command parse_command(std::span<const std::string_view> words, std::span<const Benchmark> benchmarks) {
  Command command;
  const auto names = names_of(benchmarks);
  for (const std::string_view word : words) {
    if (word == "--json") {
      command.as_json = true;
    } else if (word == "--quick") {
      command.effort = Effort::quick;
    } else if (word == "--help" || word == "-h") {
      command.wants_help = true;
    } else if (word.starts_with('-')) {
      refuse(word, "one of the options", options);
    } else if (std::ranges::find(names, word) == names.end()) {
      refuse(word, "one of the benchmarks", names);
    } else if (!command.name.empty()) {
      throw UsageError(fmt::format("tacit bench: '{}' is one benchmark too many\n  hint: run one at a time", word));
    } else {
      command.name = word;
    }
  }
  return command;
}

void execute(const Command& command, std::span<const Benchmark> benchmarks, std::ostream& out, std::ostream& progress) {
  if (command.name.empty()) {
    if (command.wants_help) print_usage("[NAME]", out);
    return list(benchmarks, out);
  }
  const Benchmark& chosen = *std::ranges::find(benchmarks, command.name, &Benchmark::name);
  if (command.wants_help) return print_help(chosen, out);
  run(chosen, command, out, progress);
}

}  // namespace tacit::bench
