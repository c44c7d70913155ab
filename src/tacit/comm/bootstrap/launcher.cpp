// Reads the variables that mpirun and srun set.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/bootstrap/launcher.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstring>

#include "tacit/comm/error.hpp"

namespace tacit::comm {
namespace {

struct Known {
  const char* launcher;
  const char* size;
  const char* rank;
};

// SLURM_NTASKS is also set for a plain program inside an allocation, so srun is recognised by its step's own variable.
constexpr std::array known_launchers{
    Known{"Open MPI's mpirun", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
    Known{"a PMI launcher (MPICH's mpirun)", "PMI_SIZE", "PMI_RANK"},
    Known{"srun", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID"},
};

std::optional<std::uint32_t> number_in(const char* text) {
  if (text == nullptr) return std::nullopt;
  std::uint32_t value = 0;
  const char* end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, value);
  if (error != std::errc{} || rest != end) return std::nullopt;
  return value;
}

}  // namespace

std::vector<Launch> find_launches(const Environment& environment) {
  std::vector<Launch> found;
  for (const Known& known : known_launchers) {
    const auto size = number_in(environment(known.size));
    const auto rank = number_in(environment(known.rank));
    if (size && rank) found.push_back({known.launcher, known.size, *size, *rank});
  }
  return found;
}

std::optional<Launch> find_launch(const Environment& environment) {
  const std::vector<Launch> launches = find_launches(environment);
  return launches.empty() ? std::nullopt : std::optional(launches.front());
}

void check_launch(const std::optional<Launch>& launch, std::uint32_t size, const std::string& seen) {
  if (!launch || launch->size <= 1 || size != 1) return;
  throw LaunchError(
      fmt::format("{} started {} ranks ({}={}), but {} sees 1: the program was started by another MPI than it was "
                  "built with. Start it with the launcher of its own MPI",
                  launch->launcher, launch->size, launch->variable, launch->size, seen));
}

}  // namespace tacit::comm
