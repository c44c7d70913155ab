// tacit place --compare: the model beside the time line of a run.
// SPDX-License-Identifier: Apache-2.0
#include "place_compare.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "place_input.hpp"
#include "place_text.hpp"
#include "tacit/base/error.hpp"
#include "tacit/topology/placement/record.hpp"
#include "tacit/trace/transfers.hpp"
#include "toml_text.hpp"

namespace tacit::apps {
namespace {

/// How often and how long, of all transfers that belong to this exchange: "rows to points", "send halo".
struct Measured {
  std::uint64_t count = 0;
  double seconds = 0.0;
  [[nodiscard]] double mean() const { return seconds / static_cast<double>(count); }
};

std::optional<Measured> measured(const std::vector<trace::TransferSum>& transfers, std::string_view exchange) {
  Measured sum;
  for (const auto& transfer : transfers) {
    if (transfer.name.find(exchange) == std::string::npos) continue;
    sum.count += transfer.count;
    sum.seconds += transfer.seconds;
  }
  return sum.count > 0 ? std::optional(sum) : std::nullopt;
}

std::string row(const topology::network::ExchangeTime& predicted, const std::optional<Measured>& found, bool as_json) {
  const double ratio = found && predicted.seconds > 0.0 ? found->mean() / predicted.seconds : 0.0;
  if (as_json) {
    const std::string mean = found ? fmt::format("{}", found->mean()) : "null";
    return fmt::format(R"({{"name": "{}", "predicted_s": {}, "measured_s": {}, "count": {}, "ratio": {}}})",
                       predicted.name, predicted.seconds, mean, found ? found->count : 0,
                       ratio > 0.0 ? fmt::format("{}", ratio) : "null");
  }
  return fmt::format("{:<12}{:>12}{:>12}{:>10}{:>12}\n", predicted.name, seconds_text(predicted.seconds),
                     found ? seconds_text(found->mean()) : "-", found ? found->count : 0,
                     ratio > 0.0 ? fmt::format("{:.2f}", ratio) : "-");
}

}  // namespace

int place_compare(const PlaceArguments& arguments) {
  if (arguments.output.empty()) {
    refuse_place("--compare", "needs --output DIR, the folder with the placement.json of that run",
                 "tacit place MACHINE.toml --ranks N --output DIR writes it");
  }
  const topology::Predicted predicted = topology::read_predicted(arguments.output / "placement.json");
  if (!(arguments.fields > 0.0))
    refuse_place("--fields", fmt::format("is {}; expected a number above 0", arguments.fields));
  const auto transfers = trace::read_transfers(arguments.compare / "trace.json");
  std::string rows;
  std::string names;
  bool has_any = false;
  for (topology::network::ExchangeTime exchange : predicted.exchanges) {
    exchange.seconds *= arguments.fields;
    const auto found = measured(transfers, exchange.name);
    has_any = has_any || found.has_value();
    names += (names.empty() ? "'" : ", '") + exchange.name + "'";
    if (arguments.as_json && !rows.empty()) rows += ", ";
    rows += row(exchange, found, arguments.as_json);
  }
  if (!has_any) {
    throw base::FormatError(
        (arguments.compare / "trace.json").string(),
        fmt::format("has no transfers with {} in their names: the run had one rank, or its solver exchanges others",
                    names));
  }
  if (arguments.as_json) {
    fmt::print("{{\"machine\": {}, \"ranks\": {}, \"exchanges\": [{}]}}\n", toml_text(predicted.machine),
               predicted.ranks, rows);
  } else {
    fmt::print("{}: {} ranks, grid {}\n{:<12}{:>12}{:>12}{:>10}{:>12}\n{}", predicted.machine, predicted.ranks,
               predicted.grid, "exchange", "predicted", "measured", "times", "meas./pred.", rows);
  }
  return success;
}

}  // namespace tacit::apps
