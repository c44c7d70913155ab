// Reads the variables that mpirun and srun set.
// SPDX-License-Identifier: Apache-2.0
#include "launch_environment.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <string>

#include "commands.hpp"
#include "tacit/base/error.hpp"

namespace tacit::apps {
namespace {

struct Launcher {
  const char* name;
  const char* size;
  const char* rank;
};

// SLURM_NTASKS is also set for a plain program inside an allocation, so srun is recognised by its step's own variable.
constexpr std::array launchers{
    Launcher{"Open MPI's mpirun", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
    Launcher{"a PMI launcher (MPICH's mpirun)", "PMI_SIZE", "PMI_RANK"},
    Launcher{"srun", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID"},
};

int number(const char* variable, int otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::atoi(text);
}

}  // namespace

void require_one_rank() {
  for (const Launcher& launcher : launchers) {
    const int size = number(launcher.size, 1);
    if (size <= 1 || std::getenv(launcher.rank) == nullptr) continue;
    if (number(launcher.rank, 0) != 0) std::exit(machine_failed);
    throw base::SystemError("tacit", fmt::format("{} started {} ranks, but this build runs on 1 (it has no MPI). "
                                                 "Start one rank and use --threads",
                                                 launcher.name, size));
  }
}

}  // namespace tacit::apps
