// Says what jumps and what drifts.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/engine/conservation_watch.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "tacit/engine/error.hpp"

namespace tacit::engine {
namespace {

/// What a quantity may change by without a word, of its scale.
constexpr double most_of_jump = 0.05;

/// "angular momentum"
std::string words_of(std::string name) {
  std::ranges::replace(name, '_', ' ');
  return name;
}

std::string text_of(const std::vector<double>& value) {
  return value.size() == 1 ? fmt::format("{:.6g}", value[0]) : fmt::format("({:.6g})", fmt::join(value, ", "));
}

}  // namespace

void ConservationWatch::resume(const Conservation& lines, std::optional<std::uint64_t> line_step) {
  lines_ = all_ = lines;
  line_step_ = line_step;
  last_step_ = line_step.value_or(0);
}

std::vector<std::string> ConservationWatch::add_line(std::span<const Quantity> state, std::uint64_t step, double at) {
  std::vector<std::string> warnings = look(state, step, at);
  lines_.add(state);
  line_step_ = step;
  return warnings;
}

std::vector<std::string> ConservationWatch::look(std::span<const Quantity> state, std::uint64_t step, double at) {
  std::vector<std::string> warnings = jumps_to(state, step, at);
  begin_at(state, step);
  return warnings;
}

void ConservationWatch::begin_at(std::span<const Quantity> state, std::uint64_t step) {
  all_.add(state);
  last_step_ = step;
}

void ConservationWatch::note_cost(double seconds) {
  last_look_s_ = seconds;
  looks_s_ += seconds;
}

bool ConservationWatch::is_watched() const {
  return std::ranges::any_of(all_.entries(), &Conservation::Entry::is_kept);
}

bool ConservationWatch::may_look(double steps_s) const {
  constexpr double share = 0.005;
  return looks_s_ + last_look_s_ <= share * steps_s;
}

/// Since the last state that is known, and since the last line, between which small changes may have added up.
std::vector<std::string> ConservationWatch::jumps_to(std::span<const Quantity> state, std::uint64_t step, double at) {
  std::vector<std::string> warnings;
  const auto warn = [&](const Conservation::Jump& jump, std::uint64_t since) {
    if (!have_jumped_.insert(jump.name).second) return;
    warnings.push_back(fmt::format(
        "warning: step {}, {}: the {} has gone from {} to {} {}, by {:.3g} of its scale: steps may be too long{}", step,
        axis_.at(at), words_of(jump.name), text_of(jump.before), text_of(jump.after),
        step == since + 1 ? "in one step" : fmt::format("since step {}", since), jump.part,
        axis_.is_counted() ? "" : " (cfl, time.dt_max)"));
  };
  for (const auto& jump : all_.jumps_to(state, most_of_jump)) warn(jump, last_step_);
  for (const auto& jump : lines_.jumps_to(state, most_of_jump)) warn(jump, line_step_.value_or(0));
  return warnings;
}

void ConservationWatch::require_small_drift(std::uint64_t step, double at) const {
  const Conservation::Entry* const entry = lines_.find_beyond(limits_);
  if (entry == nullptr) return;
  const bool is_named =
      std::ranges::find(limits_.named, entry->name, &std::pair<std::string, double>::first) != limits_.named.end();
  const std::string key = "drift." + (is_named ? entry->name : "limit");
  Flaw flaw{.text = fmt::format("step {}, {}: the {} has drifted by {:.3g} of its scale, more than {} = {:.3g} allows\n"
                                "  Look at statistics.csv{} if it may drift so far, raise {}.",
                                step, axis_.at(at), words_of(entry->name), entry->max_drift(), key,
                                *limits_.of(entry->name),
                                axis_.is_counted() ? ";" : "; shorter steps (cfl, time.dt_max) may help;", key)};
  flaw.field = entry->name;
  throw NumericsError(flaw);
}

}  // namespace tacit::engine
