// Starts the ranks and the runs, and collects their figures.
// SPDX-License-Identifier: Apache-2.0
#include "io/io.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "comm/launch.hpp"
#include "comm/pingpong.hpp"
#include "comm/rank.hpp"
#include "framework/scratch_folder.hpp"
#include "io/rank.hpp"
#include "io/sections.hpp"
#include "sph/child.hpp"
#include "tacit/base/error.hpp"

namespace tacit::bench {
namespace {

constexpr std::string_view help =
    R"(Writes in a folder of its own below $TMPDIR, or /var/tmp without that; it must be on the disk in question and
have 8 GB free. What is written is removed, also where a signal ends the benchmark. All that is compared takes turns in
the same run; medians of 7; with --quick tiny files, under the same names. dirty_at_start_MB is what the kernel had not
written yet when it began.

Durable writes: 256 MiB in two arrays of doubles, of which each rank has some rows; from the call that makes the file to
its being under its name on the disk, fsync included, of the slowest rank. The measure is a plain sequential write of as
many bytes by one rank past the page cache (where that is refused: through it) and fsync. Beside it: "file per process",
each rank a plain file through the page cache and fsync; "MPI-IO", one file by MPI_File_write_at_all and MPI_File_sync;
"collective HDF5", one file by the parallel library, transferred collectively, and flush (a program of its own, which is
there where CMake finds MPI, and libhdf5-openmpi-dev for HDF5; in turns with its own plain write).

  write_STRATEGY_RANKS_ratio  bytes per second over those of the plain write; strategies (output.writers): one, nodes,
                              n2 (two ranks write), all, shared. On one machine "nodes" is one writer. One rank: no
                              rank hands another anything
  write_STRATEGY_RANKS_files, write_STRATEGY_RANKS_opens   files that are there then; calls that open them, of all ranks
  write_flat_4x1_..., write_hybrid_1x4_...   four ranks, each with a file of its own, and one with four threads
  durable_write_ratio         of one rank
  direct_write_RANKS_MB_per_s the plain write
  automatic_strategy_RANKS_ratio, automatic_strategy_ratio   the time of what a run takes that does not say, once it has
                              tried them on twelve files, over that of the best strategy; the largest of them
  restart_read_ratio          a file of one rank that the page cache does not have: all checksums compared, then all
                              arrays read; bytes per second over those of a read past the page cache. "read": through it
  restart_read_cached_ratio   the same of a file that it has

Runs of the solvers, uncompressed, with snapshots every few steps: heat 256 points a side, 5 steps; dns 128, 2 steps of
rk4; sph 65 536 particles, 2 steps. Beside them runs whose output is blocking (output.staging_memory = 0), and runs that
write only what begins and ends them ("without").

  output_hidden_fraction_SOLVER_RANKSxTHREADS   1 - (exposed - exposed without) / (exposed blocking - exposed without),
                              by output_exposed_s of summary.json
  output_hidden_of_wall_...   the same by the wall-clock time of the whole runs
  output_exposed_s_...        "blocking", "without": of those runs
  output_share_sedov, output_share_sedov_uncompressed   output_share of examples/sph/sedov with two threads
  step_time_during_output_ratio   heat, 400 points a side in double precision, writes 0.5 GB after 40 of 60 steps: the
                              median of the steps in which it is copied, packed or written over that of the 20 before
  whole_wall_ratio            the 20 steps from that on, and what the file took of the run, over the 20 before
  steps_in_flight             of those 20, in how many something of the file was under way

In memory:

  checksum_GB_per_s           Fletcher32 and XXH3 of chunks of 512 KiB, one thread: all that is computed of every byte
  fletcher32_GB_per_s, xxh3_GB_per_s
  compression_cpu_s_per_GB    shuffle, gzip level 1 and Fletcher32 of smooth floats; compressed_size: what is left
  staging_peak_ratio          memory of what waits over output.staging_memory, when eight times as much is given
  log_record_ns               a record of 72 bytes of the continuous log, one thread
  peak_gflops, bandwidth_gbs  of one core: multiplications and additions in registers; the triad
)";

void require_room(const Session& session, const std::filesystem::path& folder) {
  const std::uintmax_t needed = session.size(std::size_t{8} << 30U, std::size_t{1} << 28U);
  if (std::filesystem::space(folder).available >= needed) return;
  throw base::SystemError(
      folder.string(),
      fmt::format("has no {} GB free\n  hint: name a folder on another disk by TMPDIR", needed >> 30U));
}

void add_dirty_pages(Session& session) {
  std::ifstream lines("/proc/meminfo");
  double kilobytes = 0.0;
  for (std::string word; lines >> word;) {
    double value = 0.0;
    if ((word == "Dirty:" || word == "Writeback:") && lines >> value) kilobytes += value;
  }
  session.add({.name = "dirty_at_start_MB", .unit = "MB", .ours = summarise({1.024e-3 * kilobytes})});
}

/// What others have done in place of us, on some number of ranks.
struct Peer {
  std::string name;
  double ratio = 0.0;  ///< bytes per second over those of a plain write
  double opens = 0.0;
};

std::vector<Peer> measure_peers(const Session& session, const std::filesystem::path& folder, int ranks) {
  const auto program = own_program().parent_path() / "tacit-bench-io-peers";
  if (!std::filesystem::exists(program)) return {};
  const std::size_t bytes = session.size(std::size_t{256} << 20U, std::size_t{16} << 20U);
  Child child(
      launched(ranks, {program.string(), folder.string(), std::to_string(bytes), std::to_string(session.size(7, 2))}));
  std::vector<Peer> all;
  for (std::string line = child.read_line(); line != io_end; line = child.read_line()) {
    std::istringstream words(line);
    Peer peer;
    words >> peer.ratio >> peer.opens >> std::ws;
    std::getline(words, peer.name);
    all.push_back(std::move(peer));
  }
  child.wait_for_end();
  return all;
}

/// Those that take part, and one that could.
void name_peers(Session& session, const std::vector<Peer>& peers) {
  constexpr const char* hdf5 = "collective HDF5";
  for (const Peer& peer : peers) session.add_peer(peer.name, "there");
  if (std::ranges::find(peers, hdf5, &Peer::name) == peers.end()) {
    session.add_peer(hdf5, "missing (libhdf5-openmpi-dev)");
  }
}

struct Ranks {
  int ranks;
  std::size_t workers;
  std::string label;
  std::string what;
};

void collect(Session& session, const std::filesystem::path& folder, const Ranks& of, std::span<const Peer> peers) {
  const Words rank{own_program().string(),
                   std::string(io_rank),
                   session.effort() == Effort::full ? "full" : "quick",
                   folder.string(),
                   of.label,
                   std::to_string(of.workers),
                   of.what};
  Child ranks(of.ranks > 1 ? launched(of.ranks, rank) : rank);
  for (std::string line = ranks.read_line(); line != io_end; line = ranks.read_line()) {
    Result result = from_line(line);
    if (result.name.starts_with("write_")) {
      for (const Peer& peer : peers) {
        if (result.name.ends_with("_ratio")) result.peers.emplace_back(peer.name, peer.ratio);
        if (result.name.ends_with("_opens")) result.peers.emplace_back(peer.name, peer.opens);
      }
    }
    if (result.name == "write_one_1_ratio") {
      Result durable = result;
      durable.name = "durable_write_ratio";
      durable.limit = 0.9;
      session.add(std::move(durable));
    }
    session.add(std::move(result));
  }
  ranks.wait_for_end();
}

void add_writes(Session& session, const std::filesystem::path& folder) {
  const bool has_mpi = !mpi_version().empty();
  for (const int ranks : {1, 2, 4}) {
    if (ranks > 1 && !has_mpi) continue;
    const std::vector<Peer> peers = has_mpi ? measure_peers(session, folder, ranks) : std::vector<Peer>{};
    if (ranks == 1) name_peers(session, peers);
    collect(session, folder, {ranks, 1, std::to_string(ranks), "strategies"}, peers);
    if (ranks == 4) collect(session, folder, {4, 1, "flat_4x1", "all"}, peers);
  }
  collect(session, folder, {1, 4, "hybrid_1x4", "one"}, {});
  collect(session, folder, {1, 1, "1", "restart"}, {});
}

/// Over all numbers of ranks.
void add_worst_automatic(Session& session) {
  Result worst{.name = "automatic_strategy_ratio", .unit = "1", .limit = 1.1};
  for (const Result& result : session.results()) {
    if (result.name.starts_with("automatic_strategy_") && result.ours.median > worst.ours.median) {
      worst.ours = result.ours;
    }
  }
  session.add(std::move(worst));
}

void run(Session& session) {
  const ScratchFolder folder("tacit-bench-io");
  require_room(session, folder.path());
  add_dirty_pages(session);
  if (!mpi_version().empty()) session.add_peer("MPI", mpi_version());
  add_memory_figures(session, folder.path());
  const auto writes = folder.path() / "writes";
  std::filesystem::create_directory(writes);
  add_writes(session, writes);
  add_worst_automatic(session);
  add_share_of_sedov(session, folder.path());
  add_hidden_fractions(session, folder.path());
  add_steps_during_output(session, folder.path());
}

}  // namespace

void add_all_writes(Session& session) {
  const ScratchFolder folder("tacit-bench-io");
  require_room(session, folder.path());
  add_writes(session, folder.path());
}

Benchmark io_benchmark() {
  return {.name = "io",
          .summary = "durable writes beside MPI-IO and parallel HDF5; how much of output hides",
          .help = help,
          .run = run};
}

}  // namespace tacit::bench
