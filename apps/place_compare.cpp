// tacit place --compare: the model beside the trace of a run.
// SPDX-License-Identifier: Apache-2.0
#include "place_compare.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "place_input.hpp"
#include "place_text.hpp"
#include "quoted_text.hpp"
#include "tacit/base/error.hpp"
#include "tacit/placement/files.hpp"
#include "tacit/trace/transfers.hpp"

namespace tacit::apps {
namespace {

/// Sums over all transfers that belong to an exchange: "rows to points", "send halo". Those of passes that look for the
/// fastest way do not.
trace::TransferSum measured(const std::vector<trace::TransferSum>& transfers, std::string_view exchange) {
  trace::TransferSum sum;
  for (const auto& transfer : transfers) {
    if (transfer.name.find(exchange) != std::string::npos && !transfer.name.starts_with("tuning: ")) sum.add(transfer);
  }
  return sum;
}

/// Of one exchange, for one message of each rank to each other: prediction and run.
struct Row {
  std::string name;
  double predicted_s = 0.0;
  std::uint64_t count = 0;
  // 0: not known
  double bytes = 0.0;
  double alone_s = 0.0;
  double measured_s = 0.0;

  /// What the model is about: messages that nothing else is in the way of.
  [[nodiscard]] double ratio() const {
    return predicted_s > 0.0 ? (alone_s > 0.0 ? alone_s : measured_s) / predicted_s : 0.0;
  }
};

/// @param fields  that one exchange of the run carries; 0: by the bytes that it says
Row row_of(const placement::network::ExchangeTime& predicted, const trace::TransferSum& found, double fields) {
  Row row{.name = predicted.name, .predicted_s = predicted.seconds, .count = found.count};
  if (found.count > 0) {
    const auto count = static_cast<double>(found.count);
    row.bytes = found.bytes / count;
    row.alone_s = found.alone_s / count;
    row.measured_s = found.seconds / count;
  }
  if (fields > 0.0) {
    row.predicted_s *= fields;
  } else if (row.bytes > 0.0 && predicted.rank_bytes > 0.0) {
    const double latency = predicted.latency_seconds;
    row.predicted_s = latency + (predicted.seconds - latency) * row.bytes / predicted.rank_bytes;
  }
  return row;
}

std::string number_or_null(double value) { return value > 0.0 ? fmt::format("{}", value) : "null"; }

std::string json_of(const Row& row) {
  return fmt::format(
      R"({{"name": "{}", "predicted_s": {}, "alone_s": {}, "measured_s": {}, "bytes": {}, "count": {}, "ratio": {}}})",
      row.name, row.predicted_s, number_or_null(row.alone_s), number_or_null(row.measured_s), number_or_null(row.bytes),
      row.count, number_or_null(row.ratio()));
}

std::string text_of(const Row& row) {
  const auto seconds = [](double value) { return value > 0.0 ? seconds_text(value) : std::string("-"); };
  return fmt::format("{:<12}{:>12}{:>12}{:>12}{:>10}{:>12}\n", row.name, seconds_text(row.predicted_s),
                     seconds(row.alone_s), seconds(row.measured_s), row.count,
                     row.ratio() > 0.0 ? fmt::format("{:.2f}", row.ratio()) : "-");
}

}  // namespace

int place_compare(const PlaceArguments& arguments) {
  if (arguments.output.empty()) {
    refuse_place("--compare", "needs --output DIR, the folder with the placement.json of that run",
                 "tacit place MACHINE.toml --ranks N --output DIR writes it");
  }
  const placement::Predicted predicted = placement::read_predicted(arguments.output / "placement.json");
  if (arguments.fields && !(*arguments.fields > 0.0))
    refuse_place("--fields", fmt::format("is {}; expected a number above 0", *arguments.fields));
  const auto transfers = trace::read_transfers(arguments.compare / "trace.json");
  std::string rows;
  std::string names;
  bool has_any = false;
  for (const placement::network::ExchangeTime& exchange : predicted.exchanges) {
    const auto found = measured(transfers, exchange.name);
    has_any = has_any || found.count > 0;
    names += (names.empty() ? "'" : ", '") + exchange.name + "'";
    const Row row = row_of(exchange, found, arguments.fields.value_or(0.0));
    if (arguments.as_json && !rows.empty()) rows += ", ";
    rows += arguments.as_json ? json_of(row) : text_of(row);
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
    fmt::print("{}: {} ranks, grid {}\n{:<12}{:>12}{:>12}{:>12}{:>10}{:>12}\n{}", predicted.machine, predicted.ranks,
               predicted.grid, "exchange", "predicted", "alone", "in the run", "times", "meas./pred.", rows);
  }
  return success;
}

}  // namespace tacit::apps
