// Reads what a run has measured and counted, and does the arithmetic.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/placement/step_model.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

#include "tacit/base/error.hpp"
#include "tacit/base/read_text.hpp"
#include "tacit/placement/network/job.hpp"
#include "tacit/placement/network/prediction.hpp"

namespace tacit::placement {
namespace {

constexpr std::size_t largest_summary = 64'000'000;  // [byte]

[[noreturn]] void refuse_summary(const std::filesystem::path& file, const std::string& why) {
  throw base::FormatError(file.string(), why);
}

std::optional<CountedStep> find_ranks(const std::vector<CountedStep>& counted, double ranks) {
  const auto found = std::ranges::find(counted, ranks, &CountedStep::ranks);
  return found == counted.end() ? std::nullopt : std::optional(*found);
}

}  // namespace

MeasuredSteps read_measured_steps(const std::filesystem::path& file) {
  const auto text = base::read_text(file, largest_summary, "summary of a run");
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (json.is_discarded()) refuse_summary(file, "is no summary of a run (it is not JSON)");
  try {
    MeasuredSteps run{.solver = json.at("solver"), .threads = json.at("threads"), .counted = {}};
    if (json.at("ranks") != 1) refuse_summary(file, "is of a run on several ranks; the model is fitted at 1");
    if (!json.contains("traffic")) {
      refuse_summary(
          file,
          "does not say what other numbers of ranks would send: its solver or version does not count that, or "
          "it has too few cells");
    }
    run.elements = json.at("elements");
    const double rate = json.at("updates_per_core_s");
    if (!(rate > 0.0)) refuse_summary(file, "is of a run that made no step");
    run.update_s = 1.0 / rate;
    for (const auto& step : json.at("traffic")) {
      run.counted.push_back({.ranks = step.at("ranks"),
                             .messages = step.at("messages"),
                             .bytes = step.at("bytes"),
                             .most_messages = step.at("most_messages"),
                             .most_bytes = step.at("most_bytes"),
                             .largest_share = step.at("largest_share"),
                             .row_ranks = step.at("row_ranks"),
                             .row_bytes = step.at("row_bytes")});
    }
    return run;
  } catch (const nlohmann::json::exception& problem) {
    refuse_summary(file, fmt::format("is no summary of a run ({})", problem.what()));
  }
}

RankNetwork rank_network(const network::Network& machine, double ranks_per_node) {
  return {.name = machine.name,
          .latency = machine.latency,
          .bandwidth = machine.injection_bandwidth / std::max(ranks_per_node, 1.0)};
}

double transpose_seconds(const network::Network& machine, const CountedStep& sends, std::uint32_t ranks_per_node) {
  const auto ranks = static_cast<std::uint32_t>(sends.ranks);
  const auto row = static_cast<std::uint32_t>(sends.row_ranks);
  const std::vector<network::NodeId> nodes = network::usable_nodes(machine);
  const std::uint32_t on_node = std::max(ranks_per_node, 1U);
  if (row == 0 || ranks % row != 0 || (ranks + on_node - 1) / on_node > nodes.size()) return 0.0;
  const std::uint32_t column = ranks / row;
  const auto each = [&](double bytes, std::uint32_t together) {
    return together > 1 ? bytes / (sends.ranks * static_cast<double>(together - 1)) : 0.0;
  };
  const network::Job job{.pattern = network::Transposes{.row_ranks = row,
                                                        .column_ranks = column,
                                                        .row_bytes = each(sends.row_bytes, row),
                                                        .column_bytes = each(sends.bytes - sends.row_bytes, column)},
                         .ranks_per_node = on_node};
  network::Placement placement(ranks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) placement[rank] = nodes[rank / on_node];
  double seconds = 0.0;
  for (const network::ExchangeTime& exchange : network::predict(machine, job, placement).exchanges) {
    seconds += std::max(exchange.link_seconds, exchange.node_seconds);
  }
  return seconds;
}

PredictedStep predict_step(const MeasuredSteps& run, const RankNetwork& network, double elements,
                           const CountedStep& sends) {
  return {.sends = sends,
          .elements = elements,
          .compute_s = elements * sends.largest_share * run.update_s / run.threads,
          .network_s = sends.most_messages * network.latency + sends.most_bytes / network.bandwidth};
}

std::vector<PredictedStep> predict_same(const MeasuredSteps& run, const RankNetwork& network) {
  std::vector<PredictedStep> steps;
  for (const CountedStep& sends : run.counted) steps.push_back(predict_step(run, network, run.elements, sends));
  return steps;
}

std::vector<PredictedStep> predict_as_much_each(const MeasuredSteps& run, const RankNetwork& network,
                                                std::span<const double> ranks) {
  const auto few = find_ranks(run.counted, 8.0);
  const auto many = find_ranks(run.counted, 64.0);
  if (!few || !many || few->bytes <= 0.0 || many->bytes <= 0.0 || many->row_ranks > 0.0) return {};
  // From 64 ranks to 8 a rank has 8 times as much, and as one that has all of the run 8 times as much again.
  const auto grown = [](double of_many, double of_few) { return of_few * of_few / of_many; };
  const double bytes = grown(many->bytes / many->ranks, few->bytes / few->ranks);
  const double most = grown(many->most_bytes, few->most_bytes);
  std::vector<PredictedStep> steps;
  for (const double count : ranks) {
    CountedStep sends{.ranks = count,
                      .messages = many->messages / many->ranks * count,
                      .bytes = bytes * count,
                      .most_messages = many->most_messages,
                      .most_bytes = most,
                      .largest_share = few->largest_share * few->ranks / count};
    steps.push_back(predict_step(run, network, run.elements * count, sends));
  }
  return steps;
}

}  // namespace tacit::placement
