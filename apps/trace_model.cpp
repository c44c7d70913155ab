// tacit trace --model: what a run on one rank would take on many.
// SPDX-License-Identifier: Apache-2.0
#include "trace_model.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "amounts.hpp"
#include "input.hpp"
#include "place_input.hpp"
#include "tacit/base/error.hpp"
#include "tacit/placement/step_model.hpp"

namespace tacit::apps {
namespace {

using placement::PredictedStep;

/// Without a machine file: a fast network of today, one rank on a node.
placement::RankNetwork assumed_network() { return {.name = "assumed", .latency = 2e-6, .bandwidth = 10e9}; }

/// For which the prediction is printed, where each rank has as much as the run.
constexpr std::array<double, 5> many_ranks{8, 64, 512, 4096, 10'000};

struct Model {
  placement::MeasuredSteps run;
  placement::RankNetwork network = assumed_network();
  std::vector<PredictedStep> asked = {};  ///< one, with --ranks
  std::vector<PredictedStep> same = {};
  std::vector<PredictedStep> as_much_each = {};
};

/// What the run's solver says of its parameters with other settings.
engine::Prediction predict_job(const TraceArguments& arguments, std::size_t ranks,
                               const std::vector<std::string>& settings) {
  RunArguments run;
  run.file = arguments.run / "parameters.toml";
  run.settings = settings;
  const Input input = read_input(run);
  require_built(*input.solver, {});
  return input.solver->predict(input.parameters, ranks);
}

placement::CountedStep counted(const engine::StepTraffic& traffic) {
  return {.ranks = static_cast<double>(traffic.ranks),
          .messages = static_cast<double>(traffic.messages),
          .bytes = static_cast<double>(traffic.bytes),
          .most_messages = static_cast<double>(traffic.most_messages),
          .most_bytes = static_cast<double>(traffic.most_bytes),
          .largest_share = traffic.largest_share,
          .row_ranks = static_cast<double>(traffic.row_ranks),
          .row_bytes = static_cast<double>(traffic.row_bytes)};
}

/// Adds the step of a job whose messages follow from its parameters; an update costs what it costs there.
void add_asked(const TraceArguments& arguments, const std::optional<placement::Machine>& machine, Model& model) {
  const engine::Prediction own = predict_job(arguments, 1, {});
  const engine::Prediction job = predict_job(arguments, arguments.ranks, arguments.settings);
  if (job.traffic.ranks != arguments.ranks) {
    throw base::FormatError(arguments.run.string(),
                            fmt::format("is a run of '{}', whose messages do not follow from parameters alone; without "
                                        "--ranks the model takes those that the run has counted",
                                        model.run.solver));
  }
  model.run.update_s *= job.work_of_element / own.work_of_element;
  const placement::CountedStep sends = counted(job.traffic);
  PredictedStep step = placement::predict_step(model.run, model.network, static_cast<double>(job.elements), sends);
  if (machine) {
    const double links_s = placement::transpose_seconds(machine->network, sends, arguments.ranks_per_node);
    step.network_s = std::max(step.network_s, links_s + sends.most_messages * model.network.latency);
  }
  model.asked.push_back(step);
}

// ---- text -----------------------------------------------------------------------------------------------------------

/// A time with three digits.
std::string seconds_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.3g} us", 1e6 * seconds);
  if (seconds < 1.0) return fmt::format("{:.3g} ms", 1e3 * seconds);
  return fmt::format("{:.3g} s", seconds);
}

std::string head(std::string_view gain) {
  return fmt::format("{:>6}  {:>9}  {:>9}  {:>9}  {:>9}  {:>9}  {:>9}  {:>9}  {:>21}  {:>14}\n", "ranks", "each has",
                     "messages", "bytes", "of a rank", "bytes", "compute", "network", "step", gain);
}

/// @param unit_s  time that is to be compared with the step
std::string row(const PredictedStep& step, double unit_s) {
  return fmt::format("{:>6.0f}  {:>9.4g}  {:>9.4g}  {:>9}  {:>9.4g}  {:>9}  {:>9}  {:>9}  {:>21}  {:>14}\n",
                     step.sends.ranks, step.elements / step.sends.ranks, step.sends.messages,
                     bytes_text(step.sends.bytes), step.sends.most_messages, bytes_text(step.sends.most_bytes),
                     seconds_text(step.compute_s), seconds_text(step.network_s),
                     fmt::format("{} to {}", seconds_text(step.least_s()), seconds_text(step.most_s())),
                     fmt::format("{:.2f} to {:.2f}", unit_s / step.most_s(), unit_s / step.least_s()));
}

std::string table(std::string_view title, std::string_view gain, const std::vector<PredictedStep>& steps,
                  const auto& unit_s_of) {
  if (steps.empty()) return {};
  std::string text = fmt::format("\n{}\n{}", title, head(gain));
  for (const PredictedStep& step : steps) text += row(step, unit_s_of(step));
  return text;
}

std::string text_of(const Model& model) {
  const double alone_s = model.run.elements * model.run.update_s / model.run.threads;
  const auto alone = [alone_s](const PredictedStep&) { return alone_s; };
  const auto own_share = [&model](const PredictedStep& step) {
    return step.elements / step.sends.ranks * model.run.update_s / model.run.threads;
  };
  return fmt::format(
             "A prediction for steps that all elements end; nothing of it was measured on more than 1 rank.\n"
             "fitted at 1 rank of {:.0f} thread{}: {:.3g} us of a core per update\n"
             "network ({}): {:.3g} us per message, {}/s of a rank\n",
             model.run.threads, model.run.threads == 1.0 ? "" : "s", 1e6 * model.run.update_s, model.network.name,
             1e6 * model.network.latency, bytes_text(model.network.bandwidth)) +
         table("the job that was asked for; messages and bytes counted", "efficiency", model.asked, own_share) +
         table("this run on more ranks; messages and bytes counted", "times as fast", model.same, alone) +
         table("as much on each rank as this run has; messages and bytes extrapolated", "efficiency",
               model.as_much_each, own_share) +
         "\nA step takes from what it takes if all messages hide behind computation to what it takes if none does.\n";
}

// ---- JSON -----------------------------------------------------------------------------------------------------------

std::string json_of(const PredictedStep& step) {
  return fmt::format(
      R"({{"ranks":{},"elements":{},"messages":{},"bytes":{},"most_messages":{},"most_bytes":{},"largest_share":{},)"
      R"("compute_s":{},"network_s":{},"least_s":{},"most_s":{}}})",
      step.sends.ranks, step.elements, step.sends.messages, step.sends.bytes, step.sends.most_messages,
      step.sends.most_bytes, step.sends.largest_share, step.compute_s, step.network_s, step.least_s(), step.most_s());
}

std::string json_of(const std::vector<PredictedStep>& steps) {
  std::vector<std::string> list;
  for (const PredictedStep& step : steps) list.push_back(json_of(step));
  return fmt::format("[{}]", fmt::join(list, ","));
}

std::string json_of(const Model& model) {
  return fmt::format(R"({{"is_prediction":true,"update_s":{},"elements":{},"threads":{},"latency_s":{},)"
                     R"("bandwidth":{},"asked":{},"same":{},"as_much_each":{}}})"
                     "\n",
                     model.run.update_s, model.run.elements, model.run.threads, model.network.latency,
                     model.network.bandwidth, json_of(model.asked), json_of(model.same), json_of(model.as_much_each));
}

}  // namespace

std::string trace_model(const TraceArguments& arguments) {
  Model model{.run = placement::read_measured_steps(arguments.run / "summary.json")};
  std::optional<placement::Machine> machine;
  if (!arguments.machine.empty()) {
    PlaceArguments place;
    place.machine = arguments.machine;
    machine = read_machine(place);
    model.network = placement::rank_network(machine->network, arguments.ranks_per_node);
  }
  if (arguments.ranks > 0) {
    add_asked(arguments, machine, model);
  } else {
    model.same = placement::predict_same(model.run, model.network);
    model.as_much_each = placement::predict_as_much_each(model.run, model.network, many_ranks);
  }
  return arguments.format == TraceFormat::json ? json_of(model) : text_of(model);
}

}  // namespace tacit::apps
