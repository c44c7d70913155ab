// Reads the variables that mpirun and srun set.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/bootstrap/launcher.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "tacit/comm/bootstrap/threads.hpp"
#include "tacit/comm/error.hpp"

namespace tacit::comm {
namespace {

struct Known {
  const char* launcher;
  const char* size;  // null: only the rank is known
  const char* rank;
  // What to do if ranks do not find each other, for programs built with MPI, with PMIx alone, and with neither.
  std::array<const char*, 3> advice;
};

// SLURM_NTASKS is also set for a plain program inside an allocation, so srun is recognised by its step's own variable.
// PMIx comes last: Open MPI's mpirun and srun offer it, and provide more.
constexpr std::array known_launchers{
    Known{"Open MPI's mpirun",
          "OMPI_COMM_WORLD_SIZE",
          "OMPI_COMM_WORLD_RANK",
          {"Start it with the launcher of its own MPI, or build it with Open MPI",
           "This mpirun offers no PMIx: start it with another one (Open MPI 4 or newer), or build it with Open MPI",
           "Build it with Open MPI (-DTACIT_MPI=ON) or with PMIx (-DTACIT_PMIX=ON)"}},
    Known{"a PMI launcher (MPICH's mpirun, srun --mpi=pmi2)",
          "PMI_SIZE",
          "PMI_RANK",
          {"Start it with the launcher of its own MPI, or build it with the MPI of this launcher",
           "This launcher offers PMI, not PMIx: build it with the MPI of this launcher (-DTACIT_MPI=ON), or start it "
           "with `srun --mpi=pmix` or Open MPI's mpirun",
           "Build it with the MPI of this launcher (-DTACIT_MPI=ON)"}},
    Known{"srun",
          "SLURM_STEP_NUM_TASKS",
          "SLURM_PROCID",
          {"Start it with `srun --mpi=pmix`, or with what `srun --mpi=list` offers for its MPI",
           "Start it with `srun --mpi=pmix`",
           "Build it with MPI (-DTACIT_MPI=ON) or with PMIx (-DTACIT_PMIX=ON), and start it with `srun --mpi=pmix`"}},
    Known{"a PMIx launcher",
          nullptr,
          "PMIX_RANK",
          {"Start it with the launcher of its own MPI, or build it with an MPI that uses PMIx",
           "Its server does not answer as one of several ranks: start it with another launcher",
           "Build it with MPI (-DTACIT_MPI=ON) or with PMIx (-DTACIT_PMIX=ON)"}},
};

std::optional<std::uint32_t> number_in(const char* text) {
  if (text == nullptr) return std::nullopt;
  std::uint32_t value = 0;
  const char* end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, value);
  if (error != std::errc{} || rest != end) return std::nullopt;
  return value;
}

/// What to do, and why if that is known.
std::string advice_for(const Launch& launch, Counter::Kind kind) {
  const auto known = std::ranges::find(known_launchers, launch.launcher, &Known::launcher);
  const auto column = static_cast<std::size_t>(kind);
  const std::string advice = known == known_launchers.end() ? "Start it with another launcher" : known->advice[column];
  const bool is_another = kind == Counter::Kind::mpi;
  return (is_another ? ": the program was started by another MPI than it was built with. " : ". ") + advice;
}

/// What counts ranks in this build.
Counter counter_of_build() {
  if (const std::string mpi = describe_mpi(); !mpi.empty()) {
    return {Counter::Kind::mpi, fmt::format("{}, which this program was built with,", mpi)};
  }
  const std::string pmix = describe_pmix();
  if (pmix.empty()) return {Counter::Kind::none, "this program, which was built without MPI and without PMIx,"};
  return {Counter::Kind::pmix, fmt::format("this program, which was built without MPI and with {},", pmix)};
}

}  // namespace

std::vector<Launch> find_launches(const Environment& environment) {
  std::vector<Launch> found;
  for (const Known& known : known_launchers) {
    const auto rank = number_in(environment(known.rank));
    if (!rank) continue;
    if (known.size == nullptr) {
      found.push_back({known.launcher, known.rank, *rank + 1, *rank, true});
    } else if (const auto size = number_in(environment(known.size))) {
      found.push_back({known.launcher, known.size, *size, *rank, false});
    }
  }
  return found;
}

std::optional<Launch> find_launch(const Environment& environment) {
  const std::vector<Launch> launches = find_launches(environment);
  return launches.empty() ? std::nullopt : std::optional(launches.front());
}

void check_launch(const std::optional<Launch>& launch, const Counter& counter) {
  if (!launch || launch->size <= 1) return;
  const std::string ranks =
      launch->is_lower_bound ? fmt::format("rank {}", launch->rank) : fmt::format("{} ranks", launch->size);
  const std::uint32_t said = launch->is_lower_bound ? launch->rank : launch->size;
  throw LaunchError(fmt::format("{} started {} ({}={}), but {} sees 1{}", launch->launcher, ranks, launch->variable,
                                said, counter.name, advice_for(*launch, counter.kind)));
}

std::unique_ptr<Bootstrap> bootstrap_of_launcher() {
  const auto launch = find_launch([](const char* variable) -> const char* { return std::getenv(variable); });
  auto bootstrap = started_by_mpi(launch);
  // A single rank needs no PMIx, which would serve only the first of several programs that such a rank starts.
  const bool is_one = launch && launch->size == 1 && !launch->is_lower_bound;
  if (bootstrap == nullptr && describe_mpi().empty() && !is_one) bootstrap = started_by_pmix();
  if (bootstrap == nullptr) bootstrap = bootstrap_alone();
  if (bootstrap->size() == 1) check_launch(launch, counter_of_build());
  return bootstrap;
}

}  // namespace tacit::comm
