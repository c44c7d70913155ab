// The commands of the command line; each returns the exit code.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tacit/engine/simulation.hpp"

namespace tacit::apps {

/// What the exit code says. 3 belongs to the launcher: packages are missing.
enum ExitCode : int {
  success = 0,
  numerics_failed = 1,  ///< the simulation itself failed
  differs = 1,          ///< of `diff`: what was compared is not the same
  bad_input = 2,        ///< usage, parameter file or initial conditions
  machine_failed = 4,   ///< files, memory, processes
  bug = 5,
  stopped_early = 6,  ///< on request, or at the end of its wall-clock time: `--restart` goes on
};

/// What `run` and `check` are given.
struct RunArguments {
  std::filesystem::path file;
  std::vector<std::string> settings;  ///< key=value, from --set
  std::string threads;                ///< as typed; empty: not given
  std::string output;                 ///< likewise
  engine::Restart restart = engine::Restart::never;
  unsigned ranks = 0;  ///< that `check` is to think of; 0: those of the launcher, or one
  /// The command and all that follows it, with which ./tacit begins again if it has to build the solver first; empty:
  /// it does not.
  std::vector<std::string> words = {};
};

int run(const RunArguments& arguments);
int check(const RunArguments& arguments);

enum class KeysFormat { terminal, markdown, schema, description };
/// What `keys` is given.
struct KeysArguments {
  std::string solver;   ///< its name; empty: all
  std::string section;  ///< a key or what its name begins with, "time" or "sph.k"; empty: all
  std::string word;     ///< that name, help or choices contain, in whatever case; empty: all
  KeysFormat format = KeysFormat::terminal;
  std::vector<std::string> words = {};  ///< as in RunArguments
};
/// Prints the keys of a solver, or of all.
int keys(const KeysArguments& arguments);

enum class InfoOf { contents, checksums };
/// Prints what a file or the directory of a run holds, or whether every byte of it is as it was written.
/// @return bad_input if one is not, or has no checksums
int info(const std::filesystem::path& path, InfoOf what);

/// What `diff` is given.
struct DiffArguments {
  std::filesystem::path a;
  std::filesystem::path b;
  std::vector<std::string> tolerances;  ///< as typed: X, or FIELD=X
  std::vector<std::string> absolutes;   ///< likewise
  bool compares_all = false;
};
/// Prints what differs between two files, or the directories of two runs.
int diff(const DiffArguments& arguments);

enum class TraceFormat { terminal, json };
/// What `trace` is given.
struct TraceArguments {
  std::filesystem::path run;  ///< its directory, or a trace.json
  TraceFormat format = TraceFormat::terminal;
  bool wants_model = false;
  std::filesystem::path machine;      ///< of the model's network; empty: an assumed one
  std::uint32_t ranks_per_node = 1;   ///< that share the network of a node
  std::uint32_t ranks = 0;            ///< 0: some numbers, as the run has counted
  std::vector<std::string> settings;  ///< key=value, from --set: of a job of another size, with `ranks`
};
/// Prints the sums of a run's trace, or what the run would take on many ranks.
int trace(const TraceArguments& arguments);

/// Of a job that can be asked for.
inline constexpr std::uint32_t most_ranks = 16'000'000;

/// What `place` is given.
struct PlaceArguments {
  std::filesystem::path machine;  ///< empty with `compare`
  std::uint32_t ranks = 0;
  std::uint32_t ranks_per_node = 0;  ///< 0: as many as a node has cores
  std::uint64_t points = 0;          ///< 0: 128^3 for each rank
  double word = 8.0;
  std::string pattern = "pencils";
  std::string grid;   ///< empty: to be chosen
  std::string nodes;  ///< hostlist, file, or "slurm"; empty: all of the machine
  std::string excluded;
  std::string down;
  bool keeps_lone_nodes = false;
  std::uint32_t spares = 0;
  std::optional<double> dump;  ///< bytes of one output
  double exchanges_per_dump = 1000.0;
  std::string order = "best";
  std::uint64_t seed = 1;
  std::filesystem::path output;    ///< folder of the files for launchers; empty: none are written
  std::filesystem::path compare;   ///< folder of a run
  bool wants_blue_waters = false;  ///< an old option, which is refused
  std::optional<double> fields;    ///< that an exchange of that run carries; else by its bytes
  bool as_json = false;
};
/// Chooses process grid, nodes and order of ranks for a job, or compares predictions with a run.
int place(const PlaceArguments& arguments);

/// Replaces this process by the Python that draws.
/// @param command  "plot", "movie" or "report"   @param arguments  passed on as they are
int draw(const std::string& command, const std::vector<std::string>& arguments);

/// Draws the picture of a finished run in a child process; a failure is a warning, the results are there all the same.
void draw_run(const std::filesystem::path& directory);

}  // namespace tacit::apps
