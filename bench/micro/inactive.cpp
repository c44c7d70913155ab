// What a task costs that a step does not activate.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "micro/own.hpp"
#include "tacit/tasks/graph.hpp"

namespace tacit::bench {
namespace {

using tasks::Activation;
using tasks::Graph;
using tasks::TaskId;
using tasks::TaskKind;

/// Rounds of tasks, one per cell, each of a kind of its own; a task reads three cells of one field and writes its cell
/// in another, in turn.
struct Rounds {
  std::uint32_t cells = 0;
  std::uint32_t rounds = 0;
};

/// Whether the task of a cell in a round is there, or active.
using Choice = bool (*)(std::uint32_t round, std::uint32_t cell);

/// Cells of a short time bin: each hundredth, in every round.
bool in_some_cells(std::uint32_t /*round*/, std::uint32_t cell) { return cell % 100 == 37; }
/// One kind of task in every cell.
bool in_one_round(std::uint32_t round, std::uint32_t /*cell*/) { return round % 100 == 37; }
bool everywhere(std::uint32_t /*round*/, std::uint32_t /*cell*/) { return true; }

/// A graph, what to activate of it, and the activation, whose memory is used again.
struct Part {
  Graph graph;
  std::vector<TaskId> tasks;
  std::vector<TaskKind> kinds;
  Activation activation;

  /// The tasks for which `exists`; those among them for which `active`, as a list and by the kinds of their rounds.
  Part(Rounds size, Choice exists, Choice active) {
    std::array<std::vector<tasks::DatumId>, 2> fields;
    for (auto& field : fields) {
      field.resize(size.cells + 2);  // one beyond each end, which no task writes
      for (auto& datum : field) datum = graph.add_datum();
    }
    for (std::uint32_t round = 0; round < size.rounds; ++round) add_round(size, round, fields, exists, active);
  }

  void add_round(Rounds size, std::uint32_t round, std::span<const std::vector<tasks::DatumId>, 2> fields,
                 Choice exists, Choice active) {
    const TaskKind kind = graph.kind("round " + std::to_string(round));
    const auto& from = fields[round % 2];
    const auto& to = fields[(round + 1) % 2];
    for (std::uint32_t cell = 0; cell < size.cells; ++cell) {
      if (!exists(round, cell)) continue;
      const TaskId task =
          graph.add(kind, tasks::reads(from[cell], from[cell + 1], from[cell + 2]) + tasks::writes(to[cell + 1]),
                    [cell](tasks::StepContext& /*step*/) { asm volatile(""
                                                                        :
                                                                        : "r"(cell)); }, {.key = cell});
      if (!active(round, cell)) continue;
      tasks.push_back(task);
      if (kinds.empty() || kinds.back() != kind) kinds.push_back(kind);
    }
  }
};

/// One step with a part of the graph: activation and run.
template <class What>
Contestant step(OwnScheduler& own, std::string name, Part& part, const What& what) {
  return own.contestant(std::move(name), [&own, &part, &what] {
    part.graph.activate(what, part.activation);
    own.scheduler().run(part.graph, part.activation, {});
  });
}

/// Nanoseconds by which a step of `whole` is longer than one of `bare`, per task of `skipped`.
Result difference(std::string name, std::span<const double> whole, std::span<const double> bare, std::size_t skipped) {
  std::vector<double> ns(whole.size());
  std::ranges::transform(whole, bare, ns.begin(),
                         [skipped](double a, double b) { return (a - b) * 1e9 / static_cast<double>(skipped); });
  return {.name = std::move(name), .unit = "ns", .ours = summarise(std::move(ns)), .limit = 2.0};
}

}  // namespace

void measure_inactive(Session& session) {
  const Rounds size{.cells = static_cast<std::uint32_t>(session.size(10'000, 100)), .rounds = 100};
  Part all_by_list(size, everywhere, in_some_cells);
  Part bare_list(size, in_some_cells, in_some_cells);
  Part all_by_kind(size, everywhere, in_one_round);
  Part bare_kind(size, in_one_round, in_one_round);
  OwnScheduler own({.workers = 2});
  std::vector<Contestant> steps;
  steps.push_back(step(own, "list", all_by_list, std::as_const(all_by_list.tasks)));
  steps.push_back(step(own, "bare list", bare_list, std::as_const(bare_list.tasks)));
  steps.push_back(step(own, "kind", all_by_kind, std::as_const(all_by_kind.kinds)));
  steps.push_back(step(own, "bare kind", bare_kind, std::as_const(bare_kind.kinds)));
  const auto seconds = measure_in_turns(steps, repetitions(session.effort(), 2));
  const std::size_t by_list = all_by_list.graph.size() - bare_list.graph.size();
  const std::size_t by_kind = all_by_kind.graph.size() - bare_kind.graph.size();
  session.add(difference("inactive_task_ns", seconds[0], seconds[1], by_list));
  session.add(difference("inactive_task_by_kind_ns", seconds[2], seconds[3], by_kind));
}

}  // namespace tacit::bench
