// Results as JSON, for tools, and as a table, for people.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "framework/benchmark.hpp"
#include "framework/machine.hpp"

namespace tacit::bench {

/// {"machine": {...}, "results": [{"name", "value", "unit", "reference", "ratio", ...}]}, with a line feed at the end.
/// What is not known is null.
[[nodiscard]] std::string to_json(const Machine& machine, std::span<const Result> results);

/// The heads of the columns, and one line per result.
[[nodiscard]] std::string table_head();
[[nodiscard]] std::string table_row(const Result& result);
/// Machine, build and flag latencies, as lines.
[[nodiscard]] std::string machine_text(const Machine& machine);

}  // namespace tacit::bench
