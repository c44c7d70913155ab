// The launcher that started this process, from its environment variables, and the bootstrap that it offers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tacit/comm/bootstrap/bootstrap.hpp"

namespace tacit::comm {

/// A parallel launcher: mpirun, srun.
struct Launch {
  std::string launcher;    ///< "Open MPI's mpirun"
  std::string variable;    ///< the one with the number of ranks
  std::uint32_t size = 1;  ///< its value
  std::uint32_t rank = 0;
  bool is_lower_bound = false;  ///< there may be more ranks: this launcher gives only our own number
};

/// Reads a variable of the environment; null: it is not set.
using Environment = std::function<const char*(const char*)>;

/// All launchers that left their variables, for one may have started another; the one that counts is first.
/// @param environment  std::getenv, but in tests
[[nodiscard]] std::vector<Launch> find_launches(const Environment& environment);
/// The first of these, if there is one.
[[nodiscard]] std::optional<Launch> find_launch(const Environment& environment);

/// What counts the ranks in a program, as it was built.
struct Counter {
  enum class Kind : std::uint8_t { mpi, pmix, none };
  Kind kind = Kind::none;
  std::string name;  ///< "Open MPI v4.1.4, which this program was built with,"
};

/// Compares the launcher's number of ranks with a program that sees one rank.
/// @throws LaunchError that names both and the remedy if the launcher started several ranks
void check_launch(const std::optional<Launch>& launch, const Counter& counter);

/// MPI's, where this build has it and it runs already or a launcher is seen; else that of PMIx, where this build has no
/// MPI and the launcher offers it; else rank 0 of 1.
/// @throws LaunchError if the launcher started several ranks and each of them would be alone
[[nodiscard]] std::unique_ptr<Bootstrap> bootstrap_of_launcher();

// What builds with and without MPI and PMIx differ in; each has a file for both.

/// MPI's, where it runs already or a launcher is seen; null otherwise, and in a build without MPI.
[[nodiscard]] std::unique_ptr<Bootstrap> started_by_mpi(const std::optional<Launch>& launch);
/// PMIx's, if its server left its variables; null otherwise, and in a build without PMIx.
[[nodiscard]] std::unique_ptr<Bootstrap> started_by_pmix();
/// "Open MPI v4.1.4"; empty without MPI.
[[nodiscard]] std::string describe_mpi();
/// "OpenPMIx 4.2.2"; empty without PMIx.
[[nodiscard]] std::string describe_pmix();

}  // namespace tacit::comm
