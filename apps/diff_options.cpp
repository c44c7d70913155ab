// Reads the tolerances of tacit diff; says what is no result of a run.
// SPDX-License-Identifier: Apache-2.0
#include "diff_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "tacit/base/text.hpp"
#include "tacit/config/parameters.hpp"

namespace tacit::apps {
namespace {

constexpr std::array<std::string_view, 4> groups_of_provenance{"Provenance", "Code", "Parameters", "Parts"};
constexpr std::array<std::string_view, 5> attributes_of_provenance{
    "/@checksums", "Header@SnapshotDate", "Header@System", "Header@RunName", "Header@Parameters"};
/// Of the group `Engine` of a checkpoint.
constexpr std::array<std::string_view, 11> provenance_of_engine{"build", "commit",  "compiler",       "date",
                                                                "host",  "input",   "input checksum", "parameters",
                                                                "user",  "version", "updates"};
/// Of a checkpoint: with the key of each log, which is drawn by chance. The logs themselves are compared.
constexpr std::string_view places_in_logs = "Engine/log";
constexpr std::array<std::string_view, 3> files_of_provenance{"parameters.toml", "trace.json", "picture.png"};
/// Of statistics.csv and summary.json: what the run cost, how much of it one call did, and what ranks would send, which
/// a run on one rank alone says.
constexpr std::array<std::string_view, 13> columns_of_cost{
    "wall_s",  "ranks",    "threads",         "steps",      "updates",  "parallelism", "provenance",
    "version", "warnings", "hidden_fraction", "idle_share", "elements", "traffic"};
/// The checkpoints, of which the fingerprint is, are compared, with tolerances if there are any.
constexpr std::array<std::string_view, 5> beginnings_of_cost{"output_", "exposed_", "peak", "parts_", "fingerprint"};

template <class Names>
bool contains(const Names& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

DiffOptions::DiffOptions(const DiffArguments& arguments) : compares_all_(arguments.compares_all) {
  for (const std::string& text : arguments.tolerances) read("--tolerance", text, &OfField::relative);
  for (const std::string& text : arguments.absolutes) read("--absolute", text, &OfField::absolute);
}

void DiffOptions::read(std::string_view option, const std::string& text, std::optional<double> OfField::*member) {
  const std::size_t equals = text.rfind('=');
  const std::string_view number = equals == std::string::npos ? text : std::string_view(text).substr(equals + 1);
  double value = 0.0;
  const auto [end, code] = std::from_chars(number.data(), number.data() + number.size(), value);
  const bool is_number = code == std::errc() && end == number.data() + number.size();
  if (!is_number || !std::isfinite(value) || value < 0.0 || equals == 0) {
    throw config::Error({"tacit diff", 0, 0}, std::string(option),
                        fmt::format("'{}' is not a number >= 0, nor FIELD=NUMBER", base::printable(text)),
                        fmt::format("{} 1e-6, {} Densities=1e-3", option, option));
  }
  OfField& field = equals == std::string::npos ? of_all_ : of_field_[text.substr(0, equals)];
  field.*member = value;
}

std::optional<io::Tolerance> DiffOptions::tolerance_of(const std::string& name) const {
  auto found = of_field_.find(name);
  if (found == of_field_.end()) found = of_field_.find(name.substr(name.find_last_of("/@") + 1));
  OfField field = found == of_field_.end() ? OfField{} : found->second;
  if (!field.relative && !field.absolute) field = of_all_;
  if (!field.relative && !field.absolute) return std::nullopt;
  return io::Tolerance{.relative = field.relative.value_or(0.0), .absolute = field.absolute.value_or(0.0)};
}

bool DiffOptions::leaves_out(const std::string& name) const {
  if (compares_all_) return false;
  constexpr std::string_view engine = "Engine@";
  return contains(groups_of_provenance, name) || contains(attributes_of_provenance, name) || name == places_in_logs ||
         (name.starts_with(engine) && contains(provenance_of_engine, std::string_view(name).substr(engine.size())));
}

bool DiffOptions::leaves_out_file(std::string_view name) const {
  return !compares_all_ && contains(files_of_provenance, name);
}

bool DiffOptions::leaves_out_column(std::string_view name) const {
  const auto begins = [&](std::string_view beginning) { return name.starts_with(beginning); };
  return !compares_all_ && (contains(columns_of_cost, name) || name == "updates_per_core_s" ||
                            std::ranges::any_of(beginnings_of_cost, begins));
}

}  // namespace tacit::apps
