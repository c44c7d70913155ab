// Tables of keys with one of everything, and parameter files on disk, for the tests of this layer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/config/parameters.hpp"

namespace config_test {

using namespace tacit::config;
namespace dimension = tacit::base::dimension;

inline constexpr std::array<Choice, 1> solvers{{{"sph", "smoothed particles"}}};
inline constexpr std::array<Choice, 3> kernels{
    {{"cubic_spline", "M4, the usual one"}, {"quartic_spline", "M5"}, {"quintic_spline", "M6"}}};

inline constexpr std::array<Key, 3> run_keys{{
    {.name = "solver", .type = Type::choice, .help = "What is simulated.", .need = Need::required, .choices = solvers},
    {.name = "label", .type = Type::text, .help = "A name for the run.", .need = Need::has_default},
    {.name = "deterministic",
     .type = Type::flag,
     .help = "Same bits on any ranks.",
     .need = Need::has_default,
     .default_value = "false"},
}};
inline constexpr std::array<Key, 5> unit_keys{{
    {.name = "units.length",
     .type = Type::quantity,
     .help = "Unit of length.",
     .need = Need::has_default,
     .default_value = "1 cm",
     .dimension = dimension::length},
    {.name = "units.mass",
     .type = Type::quantity,
     .help = "Unit of mass.",
     .need = Need::has_default,
     .default_value = "1 g",
     .dimension = dimension::mass},
    {.name = "units.velocity",
     .type = Type::quantity,
     .help = "Unit of velocity.",
     .need = Need::has_default,
     .default_value = "1 cm/s",
     .dimension = dimension::velocity},
    {.name = "units.temperature",
     .type = Type::quantity,
     .help = "Unit of temperature.",
     .need = Need::has_default,
     .default_value = "1 K",
     .dimension = dimension::temperature},
    {.name = "units.current",
     .type = Type::quantity,
     .help = "Unit of current.",
     .need = Need::has_default,
     .default_value = "1 A",
     .dimension = {.current = 1}},
}};
inline constexpr std::array<Key, 10> sph_keys{{
    {.name = "time.end",
     .type = Type::quantity,
     .help = "When the run ends.",
     .need = Need::required,
     .dimension = dimension::time,
     .range = positive},
    {.name = "time.steps", .type = Type::integer, .help = "Most steps.", .range = {.lower = 1.0, .upper = 1e6}},
    {.name = "sph.kernel",
     .type = Type::choice,
     .help = "The smoothing kernel | its shape.",
     .need = Need::has_default,
     .default_value = "cubic_spline",
     .choices = kernels},
    {.name = "sph.eta",
     .type = Type::real,
     .help = "Smoothing length over mean separation.",
     .need = Need::has_default,
     .default_value = "1.2348",
     .range = {.lower = 0.0, .upper = 3.0, .lower_open = true}},
    {.name = "sph.viscosity.alpha",
     .type = Type::real,
     .help = "Strength of the viscosity.",
     .need = Need::has_default,
     .default_value = "0.8",
     .range = non_negative},
    {.name = "sph.h_max",
     .type = Type::quantity,
     .help = "Largest smoothing length.",
     .dimension = dimension::length,
     .range = {.lower = 0.0, .upper = 10.0, .lower_open = true}},
    {.name = "domain.size",
     .type = Type::vector,
     .help = "Edges of the box.",
     .need = Need::has_default,
     .default_value = "[1, 1, 1]",
     .dimension = dimension::length,
     .range = positive},
    {.name = "gravity.enabled",
     .type = Type::flag,
     .help = "Self-gravity.",
     .need = Need::has_default,
     .default_value = "true"},
    {.name = "initial.file", .type = Type::path, .help = "Initial conditions."},
    {.name = "output.directory",
     .type = Type::path,
     .help = "Where results go.",
     .need = Need::has_default,
     .default_value = "output"},
}};
inline constexpr std::array<KeyTable, 3> tables{
    {{"The run", run_keys}, {"Code units", unit_keys}, {"Smoothed-particle hydrodynamics", sph_keys}}};

/// A file that is right, and the shortest.
inline constexpr std::string_view minimal = "solver = \"sph\"\n[time]\nend = 1.0\n";

/// A folder of its own, which is also the working directory while it lives, so that messages hold short names.
class Folder {
 public:
  Folder() : before_(std::filesystem::current_path()) {
    path_ = std::filesystem::temp_directory_path() / ("tacit_config_" + std::to_string(::getpid()));
    std::filesystem::create_directories(path_);
    std::filesystem::current_path(path_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::current_path(before_, ignored);
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path before_;
  std::filesystem::path path_;
};

/// Removes the file first: some file systems wait for the disk when a file is emptied and written again.
inline void write_file(std::string_view text, const std::filesystem::path& file = "run.toml") {
  std::filesystem::remove(file);
  std::ofstream(file, std::ios::binary).write(text.data(), static_cast<std::streamsize>(text.size()));
}

/// "key=value" as --set gives it.
inline std::vector<Override> set(const std::vector<std::string>& texts) {
  std::vector<Override> overrides;
  for (const std::string& text : texts) overrides.push_back({text});
  return overrides;
}

/// Writes run.toml into the working directory and reads it.
inline Parameters read(std::string_view text, const std::vector<std::string>& overrides = {}) {
  write_file(text);
  return Document("run.toml", set(overrides)).read(tables);
}

/// The message that reading gives; "read" if there is none.
inline std::string message_of(std::string_view text, const std::vector<std::string>& overrides = {}) {
  try {
    (void)read(text, overrides);
    return "read";
  } catch (const tacit::base::Error& error) {
    return error.what();
  }
}

/// The message for `minimal` followed by more lines; places count from the line after its three.
inline std::string message_after_minimal(std::string_view lines) {
  return message_of(std::string(minimal).append(lines));
}

/// The message for `minimal` with one override.
inline std::string message_of_override(const std::string& text) { return message_of(minimal, {text}); }

}  // namespace config_test
