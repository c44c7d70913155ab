// Stores and loads the engine's part of a checkpoint.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/engine/checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>
#include <utility>

#include "tacit/base/provenance.hpp"

namespace tacit::engine {
namespace {

constexpr const char* engine_group = "Engine";
/// Which is written, and the first that is read: none before it was released. Those that are read are kept in
/// tests/data/checkpoints and listed in docs/guide/restarting.md.
constexpr std::int64_t layout = 6;
constexpr std::int64_t oldest_layout = 6;
constexpr const char* names_of_conserved = "conserved";

/// A numeric attribute of the engine's group with exactly `count` finite elements.
std::vector<double> numbers(const io::FileReader& file, const std::string& name, std::size_t count) {
  if (!file.has_attribute(engine_group, name)) {
    throw base::FormatError(file.path().string(), std::string("Engine: attribute '") + name + "' is missing");
  }
  auto values = file.attribute(engine_group, name);
  bool good = values.size() == count;
  for (const double value : values) good = good && std::isfinite(value);
  if (!good) {
    throw base::FormatError(file.path().string(), fmt::format("Engine: attribute '{}' does not hold {} finite number{}",
                                                              name, count, count == 1 ? "" : "s"));
  }
  return values;
}

double number(const io::FileReader& file, const std::string& name) { return numbers(file, name, 1)[0]; }

std::uint64_t counter(const io::FileReader& file, const std::string& name) {
  const double value = number(file, name);
  if (value >= 0.0 && value < 0x1p53) return static_cast<std::uint64_t>(value);
  throw base::FormatError(file.path().string(), fmt::format("Engine: attribute '{}' counts nothing: {}", name, value));
}

/// Layouts before 5 had it beside others in one attribute.
std::int64_t layout_of(const io::FileReader& file) {
  if (file.has_attribute(engine_group, "counters")) return static_cast<std::int64_t>(numbers(file, "counters", 4)[0]);
  return static_cast<std::int64_t>(number(file, "layout"));
}

/// Of each quantity its drift, its scale, whether it is kept, its first value and its last.
void save_conservation(io::FileWriter& file, const Conservation& conservation) {
  std::string names;
  for (const Conservation::Entry& entry : conservation.entries()) {
    std::vector<double> values{entry.largest_change, entry.scale, entry.is_kept ? 1.0 : 0.0};
    values.insert(values.end(), entry.start.begin(), entry.start.end());
    values.insert(values.end(), entry.last.begin(), entry.last.end());
    file.attribute(engine_group, "conserved " + entry.name, std::span<const double>(values));
    names += entry.name + "\n";
  }
  file.attribute(engine_group, names_of_conserved, std::string_view(names));
}

Conservation load_conservation(const io::FileReader& file) {
  std::vector<Conservation::Entry> entries;
  std::istringstream names(file.text_attribute(engine_group, names_of_conserved));
  for (std::string name; std::getline(names, name);) {
    const std::string attribute = "conserved " + name;
    const std::size_t count =
        file.has_attribute(engine_group, attribute) ? file.attribute(engine_group, attribute).size() : 0;
    const auto values = numbers(file, attribute, std::max<std::size_t>(count, 5));
    const auto middle = values.begin() + 3 + static_cast<std::ptrdiff_t>(values.size() - 3) / 2;
    entries.push_back({.name = name,
                       .start = {values.begin() + 3, middle},
                       .last = {middle, values.end()},
                       .largest_change = values[0],
                       .scale = values[1],
                       .is_kept = values[2] != 0.0});
  }
  return Conservation(std::move(entries));
}

}  // namespace

void save_engine(io::FileWriter& file, const EngineState& state) {
  file.group(engine_group);
  const auto count = [&file](const std::string& name, std::uint64_t value) {
    file.attribute(engine_group, name, std::array{static_cast<std::int64_t>(value)});
  };
  count("layout", layout);
  count("step", state.step);
  count("snapshots", state.snapshots);
  count("updates", state.updates);
  if (state.statistics_step) count("statistics step", *state.statistics_step);
  file.attribute(engine_group, "solver", std::string_view(state.solver));
  file.attribute(engine_group, "time", std::array{state.time});
  file.attribute(engine_group, "dt", std::array{state.dt});
  save_conservation(file, state.conservation);
  file.attribute(engine_group, "parameters", std::string_view(state.parameters));
  for (const auto& [name, value] : state.provenance) file.attribute(engine_group, name, std::string_view(value));
}

void require_checkpoint(const io::FileReader& file) {
  if (file.has(engine_group) && file.has_attribute(engine_group, "solver")) return;
  throw base::FormatError(file.path().string(), "is not a checkpoint of Tacit (it has no group Engine)");
}

io::FileReader open_checkpoint(const std::filesystem::path& path, std::string_view solver, const io::Reading& reading) {
  io::FileReader file(path, io::FileReader::Parts::needed, reading);
  require_checkpoint(file);
  if (const std::string found = file.text_attribute(engine_group, "solver"); found != solver) {
    throw base::FormatError(
        path.string(), "belongs to solver '" + found + "', but the parameter file says '" + std::string(solver) + "'");
  }
  if (const std::int64_t found = layout_of(file); found < oldest_layout || found > layout) {
    const std::string writer = file.has_attribute(engine_group, "version")
                                   ? "version " + file.text_attribute(engine_group, "version")
                                   : "an earlier version";
    const std::string read = oldest_layout == layout ? fmt::format("layout {}", layout)
                                                     : fmt::format("layouts {} to {}", oldest_layout, layout);
    throw base::FormatError(path.string(),
                            fmt::format("has the layout {} of {}, and this version, {}, reads {}; continue it with a "
                                        "version that reads it (docs/guide/restarting.md), or start from a snapshot",
                                        found, writer, base::provenance().version, read));
  }
  return file;
}

void require_same_parameters(const io::FileReader& checkpoint, const config::Parameters& now) {
  const std::string path = checkpoint.path().string();
  std::vector<config::Parameters::Change> changes;
  try {
    changes = now.changes_since(checkpoint.text_attribute(engine_group, "parameters"), path);
  } catch (const config::Error&) {
    throw base::FormatError(path, "the parameters in it cannot be read; the file is damaged");
  }
  std::vector<config::Problem> problems;
  for (const auto& [key, then, value] : changes) {
    const std::string set_back = then.empty() ? "remove it" : fmt::format("write {} again", then);
    problems.push_back(
        {now.where(key), key,
         fmt::format("{}, but {} was written {}; this key may not change on a restart",
                     value.empty() ? "is not given" : "is " + value, path,
                     then.empty() ? "without it" : "with " + then),
         fmt::format("{}, or start a new run, from a snapshot if it is to begin here (initial.file)", set_back)});
  }
  if (!problems.empty()) throw config::Error(std::move(problems));
}

EngineState load_engine(const io::FileReader& file) {
  EngineState state;
  state.solver = file.text_attribute(engine_group, "solver");
  state.step = counter(file, "step");
  state.snapshots = counter(file, "snapshots");
  state.updates = counter(file, "updates");
  // Earlier versions of this layout do not say.
  if (file.has_attribute(engine_group, "statistics step")) state.statistics_step = counter(file, "statistics step");
  state.time = number(file, "time");
  state.dt = number(file, "dt");
  state.conservation = load_conservation(file);
  for (const std::string& name : file.attribute_names(engine_group)) {
    if (name == "input") state.origin.input = file.text_attribute(engine_group, name);
    if (name == "input checksum") state.origin.checksum = file.text_attribute(engine_group, name);
    if (name == "carried along") state.origin.more.emplace_back(name, file.text_attribute(engine_group, name));
  }
  return state;
}

void save_provenance(io::FileWriter& file, const Provenance& provenance) {
  file.group("Provenance");
  for (const auto& [name, value] : provenance) file.attribute("Provenance", name, std::string_view(value));
}

void save_settings(io::FileWriter& file, const std::string& of, const std::string& settings) {
  file.attribute(of, "physics", std::string_view(settings));
}

void require_same_settings(const io::FileReader& file, const std::string& of, const std::string& settings,
                           std::string_view advice) {
  const std::string found = file.text_attribute(of, "physics");
  if (found == settings) return;
  throw base::FormatError(file.path().string(),
                          fmt::format("was written with other settings than the parameter file has now:\n  {}\n  {}\n"
                                      "  Set these back, or {}",
                                      found, settings, advice));
}

double load_number(const io::FileReader& file, const std::string& of, const std::string& name, std::string_view what,
                   double least) {
  const std::vector<double> found = file.attribute(of, name);
  if (found.size() == 1 && std::isfinite(found[0]) && found[0] >= least) return found[0];
  throw base::FormatError(file.path().string(), fmt::format("has no {}; the file is damaged", what));
}

std::uint64_t write_failed_state(const std::filesystem::path& path, const Solver& solver, const NumericsError& error,
                                 const FileContext& context, comm::Communicator& ranks) {
  io::FileWriter file(path, 0, ranks);
  file.group("Header");
  file.attribute("Header", "RunName", std::string_view(context.run_name));
  file.attribute("Header", "Time", std::array{context.coordinate});
  file.group("Failure");
  file.attribute("Failure", "error", std::string_view(error.flaw().text));
  file.attribute("Failure", "field", std::string_view(error.flaw().field));
  file.attribute("Failure", "step", std::array{static_cast<std::int64_t>(context.step)});
  if (error.flaw().element) {
    file.attribute("Failure", "element", std::array{static_cast<std::int64_t>(*error.flaw().element)});
  }
  if (error.flaw().rank) {
    file.attribute("Failure", "rank", std::array{static_cast<std::int64_t>(*error.flaw().rank)});
  }
  save_provenance(file, context.provenance);
  solver.save_failed(file);
  return file.commit();
}

}  // namespace tacit::engine
