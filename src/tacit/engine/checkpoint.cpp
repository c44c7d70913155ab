// Stores and loads the engine's part of a checkpoint.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/engine/checkpoint.hpp"

#include <array>
#include <cmath>

namespace tacit::engine {
namespace {

constexpr const char* group = "Engine";
constexpr std::int64_t layout_version = 3;  // 3: densities when steps began; rates without the mean flow
constexpr std::size_t count_of_numbers = 17;

std::vector<double> to_numbers(const Conserved& c) {
  const base::Vec3 l = c.angular_momentum.value_or(base::Vec3{});
  return {c.mass.value_or(0.0),
          c.momentum.x,
          c.momentum.y,
          c.momentum.z,
          c.momentum_scale,
          c.kinetic_energy,
          c.internal_energy.value_or(0.0),
          c.potential_energy.value_or(0.0),
          c.angular_momentum ? 1.0 : 0.0,
          l.x,
          l.y,
          l.z,
          c.angular_momentum_scale,
          c.mass ? 1.0 : 0.0,
          c.internal_energy ? 1.0 : 0.0,
          c.potential_energy ? 1.0 : 0.0,
          c.keeps_energy ? 1.0 : 0.0};
}

Conserved from_numbers(const std::vector<double>& n) {
  Conserved c;
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

constexpr std::array drift_names{"mass drift", "momentum drift", "energy drift", "angular momentum drift"};

template <class C>
auto drifts(C& conservation) {
  return std::array{&conservation.mass, &conservation.momentum, &conservation.energy, &conservation.angular_momentum};
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
  if (!state.conservation.empty()) {
    store("conserved start", to_numbers(state.conservation.start()));
    store("conserved last", to_numbers(state.conservation.last()));
    for (std::size_t i = 0; i < drift_names.size(); ++i) {
      const auto* drift = drifts(state.conservation)[i];
      store(drift_names[i], {drift->largest_change, drift->scale});
    }
  }
  file.attribute(group, "parameters", std::string_view(state.parameters));
  for (const auto& [name, value] : state.provenance) file.attribute(group, name, std::string_view(value));
}

io::FileReader open_checkpoint(const std::filesystem::path& path, std::string_view solver) {
  if (!std::filesystem::exists(path)) {
    throw base::SystemError(path.string(),
                            "there is no checkpoint to continue from; leave out --restart to begin anew");
  }
  io::FileReader file(path);
  if (!file.has(group) || !file.has_attribute(group, "solver")) {
    throw base::FormatError(path.string(), "is not a checkpoint of Tacit (it has no group Engine)");
  }
  if (const std::string found = file.text_attribute(group, "solver"); found != solver) {
    throw base::FormatError(
        path.string(), "belongs to solver '" + found + "', but the parameter file says '" + std::string(solver) + "'");
  }
  if (const auto version = numbers(file, "counters", 4)[0]; version != static_cast<double>(layout_version)) {
    throw base::FormatError(path.string(),
                            "has another layout than this version of Tacit writes; continue it with the "
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
  if (file.has_attribute(group, "conserved start")) {
    state.conservation.add(from_numbers(numbers(file, "conserved start", count_of_numbers)));
    state.conservation.add(from_numbers(numbers(file, "conserved last", count_of_numbers)));
    for (std::size_t i = 0; i < drift_names.size(); ++i) {
      const auto values = numbers(file, drift_names[i], 2);
      drifts(state.conservation)[i]->largest_change = values[0];
      drifts(state.conservation)[i]->scale = values[1];
    }
  }
  return state;
}

}  // namespace tacit::engine
