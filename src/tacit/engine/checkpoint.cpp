// Stores and loads the engine's part of a checkpoint.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/engine/checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

namespace tacit::engine {
namespace {

constexpr const char* group = "Engine";
constexpr std::int64_t layout_version = 4;  // 4: conserved quantities as a list
constexpr std::int64_t oldest_version = 3;  // 3: densities when steps began; rates without the mean flow
constexpr const char* names_of_conserved = "conserved";

/// As version 3 has it.
MechanicalSums sums_of(const std::vector<double>& n) {
  MechanicalSums c;
  if (n[13] != 0.0) c.mass = n[0];
  c.momentum = {n[1], n[2], n[3]};
  c.momentum_scale = n[4];
  c.kinetic_energy = n[5];
  if (n[14] != 0.0) c.internal_energy = n[6];
  if (n[15] != 0.0) c.potential_energy = n[7];
  if (n[8] != 0.0) c.angular_momentum = base::Vec3{n[9], n[10], n[11]};
  c.angular_momentum_scale = n[12];
  c.keeps_energy = n[16] != 0.0;
  return c;
}

/// A numeric attribute of the engine's group with exactly `count` finite elements.
std::vector<double> numbers(const io::FileReader& file, const std::string& name, std::size_t count) {
  if (!file.has_attribute(group, name)) {
    throw base::FormatError(file.path().string(), std::string("Engine: attribute '") + name + "' is missing");
  }
  auto values = file.attribute(group, name);
  bool good = values.size() == count;
  for (const double value : values) good = good && std::isfinite(value);
  if (!good) {
    throw base::FormatError(file.path().string(), "Engine: attribute '" + name + "' does not hold " +
                                                      std::to_string(count) + " finite numbers");
  }
  return values;
}

std::int64_t version_of(const io::FileReader& file) {
  return static_cast<std::int64_t>(numbers(file, "counters", 4)[0]);
}

Conservation load_conservation_of_version_3(const io::FileReader& file) {
  if (!file.has_attribute(group, "conserved start")) return {};
  Conservation both;
  for (const char* name : {"conserved start", "conserved last"}) {
    both.add(sums_of(numbers(file, name, 17)).conserved().quantities);
  }
  std::vector<Conservation::Entry> entries = both.entries();
  for (Conservation::Entry& entry : entries) {
    std::string name = entry.name + " drift";
    std::ranges::replace(name, '_', ' ');
    const auto drift = numbers(file, name, 2);
    entry.largest_change = drift[0];
    entry.scale = drift[1];
  }
  return Conservation(std::move(entries));
}

/// Of each quantity its drift, its scale, whether it is kept, its first value and its last.
void save_conservation(io::FileWriter& file, const Conservation& conservation) {
  std::string names;
  for (const Conservation::Entry& entry : conservation.entries()) {
    std::vector<double> values{entry.largest_change, entry.scale, entry.is_kept ? 1.0 : 0.0};
    values.insert(values.end(), entry.start.begin(), entry.start.end());
    values.insert(values.end(), entry.last.begin(), entry.last.end());
    file.attribute(group, "conserved " + entry.name, std::span<const double>(values));
    names += entry.name + "\n";
  }
  file.attribute(group, names_of_conserved, std::string_view(names));
}

Conservation load_conservation(const io::FileReader& file) {
  std::vector<Conservation::Entry> entries;
  std::istringstream names(file.text_attribute(group, names_of_conserved));
  for (std::string name; std::getline(names, name);) {
    const std::string attribute = "conserved " + name;
    const std::size_t count = file.has_attribute(group, attribute) ? file.attribute(group, attribute).size() : 0;
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
  file.group(group);
  const auto store = [&file](const std::string& name, const std::vector<double>& values) {
    file.attribute(group, name, std::span<const double>(values));
  };
  const std::array<std::int64_t, 4> counters{layout_version, static_cast<std::int64_t>(state.step),
                                             static_cast<std::int64_t>(state.snapshots),
                                             static_cast<std::int64_t>(state.updates)};
  file.attribute(group, "counters", std::span<const std::int64_t>(counters));
  file.attribute(group, "solver", std::string_view(state.solver));
  store("time", {state.time, state.dt});
  save_conservation(file, state.conservation);
  file.attribute(group, "parameters", std::string_view(state.parameters));
  for (const auto& [name, value] : state.provenance) file.attribute(group, name, std::string_view(value));
}

io::FileReader open_checkpoint(const std::filesystem::path& path, std::string_view solver) {
  if (!std::filesystem::exists(path)) {
    throw base::SystemError(path.string(),
                            "there is no checkpoint to continue from; leave out --restart to start again");
  }
  io::FileReader file(path);
  if (!file.has(group) || !file.has_attribute(group, "solver")) {
    throw base::FormatError(path.string(), "is not a checkpoint of Tacit (it has no group Engine)");
  }
  if (const std::string found = file.text_attribute(group, "solver"); found != solver) {
    throw base::FormatError(
        path.string(), "belongs to solver '" + found + "', but the parameter file says '" + std::string(solver) + "'");
  }
  if (const auto version = version_of(file); version < oldest_version || version > layout_version) {
    throw base::FormatError(path.string(),
                            "has a layout that this version of Tacit does not read; continue it with the "
                            "version that wrote it, or start from a snapshot");
  }
  return file;
}

EngineState load_engine(const io::FileReader& file) {
  EngineState state;
  state.solver = file.text_attribute(group, "solver");
  const auto counters = numbers(file, "counters", 4);
  state.step = static_cast<std::uint64_t>(counters[1]);
  state.snapshots = static_cast<std::uint64_t>(counters[2]);
  state.updates = static_cast<std::uint64_t>(counters[3]);
  const auto time = numbers(file, "time", 2);
  state.time = time[0];
  state.dt = time[1];
  const bool is_list = version_of(file) > oldest_version;
  state.conservation = is_list ? load_conservation(file) : load_conservation_of_version_3(file);
  for (const std::string& name : file.attribute_names(group)) {
    if (name == "input") state.origin.input = file.text_attribute(group, name);
    if (name == "input checksum") state.origin.checksum = file.text_attribute(group, name);
    if (name == "carried along") state.origin.more.emplace_back(name, file.text_attribute(group, name));
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
