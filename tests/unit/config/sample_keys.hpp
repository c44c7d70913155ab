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

enum class Kernel : std::uint8_t { cubic = 4, quartic, quintic };

inline constexpr std::array solvers{Choice{"sph", 0, "smoothed particles"}};
inline constexpr std::array kernels{Choice{"cubic_spline", Kernel::cubic, "M4, the usual one"},
                                    Choice{"quartic_spline", Kernel::quartic, "M5"},
                                    Choice{"quintic_spline", Kernel::quintic, "M6"}};

inline constexpr std::array run_keys{
    Key::choice("solver", solvers, "What is simulated.").required(),
    Key{.name = "label", .type = Type::text, .help = "A name for the run.", .need = Need::has_default},
    Key::flag("deterministic", false, "Same bits on any ranks."),
};
inline constexpr std::array unit_keys{
    Key::quantity("units.length", dimension::length, "Unit of length.", "1 cm"),
    Key::quantity("units.mass", dimension::mass, "Unit of mass.", "1 g"),
    Key::quantity("units.velocity", dimension::velocity, "Unit of velocity.", "1 cm/s"),
    Key::quantity("units.temperature", dimension::temperature, "Unit of temperature.", "1 K"),
    Key::quantity("units.current", {.current = 1}, "Unit of current.", "1 A"),
};
inline constexpr std::array sph_keys{
    Key::positive("time.end", dimension::time, "When the run ends.").required(),
    Key::integer("time.steps", {1.0, 1e6}, "Most steps."),
    Key::choice("sph.kernel", kernels, Kernel::cubic, "The smoothing kernel | its shape."),
    Key::real("sph.eta", above(0.0, 3.0), "Smoothing length over mean separation.", "1.2348"),
    Key::non_negative("sph.viscosity.alpha", "Strength of the viscosity.", "0.8"),
    Key::quantity("sph.h_max", dimension::length, "Largest smoothing length.", {}, above(0.0, 10.0)),
    Key::vector("domain.size", dimension::length, "Edges of the box.", "[1, 1, 1]", positive),
    Key::flag("gravity.enabled", true, "Self-gravity."),
    Key::path("initial.file", "Initial conditions."),
    Key{.name = "output.directory",
        .type = Type::path,
        .help = "Where results go.",
        .need = Need::has_default,
        .default_value = "output"},
};
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
