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
  bool is_lower_bound = false;  ///< there may be more ranks: this launcher tells only our own number
};

/// Reads a variable of the environment; null: it is not set.
using Environment = std::function<const char*(const char*)>;

/// All launchers that left their variables, for one may have started another; the one that counts is first.
/// @param environment  std::getenv, but in tests
[[nodiscard]] std::vector<Launch> find_launches(const Environment& environment);
/// The first of these, if there is one.
[[nodiscard]] std::optional<Launch> find_launch(const Environment& environment);

/// Who counts the ranks in a program, as it was built.
struct Counter {
  enum class Kind : std::uint8_t { mpi, pmix, none };
  Kind kind = Kind::none;
  std::string name;  ///< "Open MPI v4.1.4, which this program was built with,"
};

/// Holds what the launcher says against a program that sees one rank.
/// @throws LaunchError that names both and says what to do if the launcher started several ranks
void check_launch(const std::optional<Launch>& launch, const Counter& counter);

}  // namespace tacit::comm
