// What the environment says of the launcher that started this process.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tacit::comm {

/// A parallel launcher: mpirun, srun.
struct Launch {
  std::string launcher;    ///< "Open MPI's mpirun"
  std::string variable;    ///< that says how many ranks there are
  std::uint32_t size = 1;  ///< what it says
  std::uint32_t rank = 0;
};

/// Reads a variable of the environment; null: it is not set.
using Environment = std::function<const char*(const char*)>;

/// All launchers that left their variables, for one may have started another; the one that counts is first.
/// @param environment  std::getenv, but in tests
[[nodiscard]] std::vector<Launch> find_launches(const Environment& environment);
/// The first of these, if there is one.
[[nodiscard]] std::optional<Launch> find_launch(const Environment& environment);

/// Holds what the launcher says against what the program sees.
/// @param size  ranks that the program sees
/// @param seen  who sees them: "Open MPI v4.1.4", "this build, which has no MPI"
/// @throws LaunchError that names both if the launcher started several ranks and each of them sees one
void check_launch(const std::optional<Launch>& launch, std::uint32_t size, const std::string& seen);

}  // namespace tacit::comm
