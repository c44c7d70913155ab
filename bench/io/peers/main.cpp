// Durable writes by others: MPI-IO and, where it is there, the parallel HDF5 library, in turns with plain writes. A
// program of its own, so that it can have another HDF5 library than we do.
// SPDX-License-Identifier: Apache-2.0
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "io/opens.hpp"
#include "io/peers/writes.hpp"
#include "io/raw_file.hpp"

namespace tacit::bench {
namespace {

struct Writer {
  std::string name;
  void (*write)(const PeerJob& job);
  std::vector<double> seconds = {};
  double opens = 0.0;
};

/// The first rank alone, as many bytes as all have.
void write_directly(const PeerJob& job) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (rank != 0) return;
  const auto path = job.folder / "plain";
  const auto times = static_cast<std::size_t>(ranks);
  if (!write_raw(path, job.mine, times, Through::nothing)) write_raw(path, job.mine, times, Through::page_cache);
}

/// Of the slowest rank.
double time_of(const Writer& writer, const PeerJob& job) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  writer.write(job);
  double seconds = MPI_Wtime() - begin;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

double sum_of(double mine) {
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return mine;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

void measure(const PeerJob& job, std::size_t samples) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<Writer> writers{{"direct", write_directly}, {"MPI-IO", write_by_mpi}};
  if (has_collective_hdf5()) writers.push_back({"collective HDF5", write_by_hdf5});
  for (std::size_t sample = 0; sample <= samples; ++sample) {
    for (Writer& writer : writers) {
      count_opens_in(job.folder.string());
      const double seconds = time_of(writer, job);
      writer.opens = sum_of(static_cast<double>(opens()));
      if (sample > 0) writer.seconds.push_back(seconds);
      if (rank == 0) empty_folder(job.folder);
      MPI_Barrier(MPI_COMM_WORLD);
    }
  }
  if (rank != 0) return;
  for (const Writer& writer : writers) {
    if (writer.name == "direct") continue;
    std::vector<double> ratios;
    for (std::size_t i = 0; i < samples; ++i) ratios.push_back(writers[0].seconds[i] / writer.seconds[i]);
    std::printf("%.6g %.0f %s\n", median(ratios), writer.opens, writer.name.c_str());
  }
  std::printf("end\n");
  std::fflush(stdout);
}

}  // namespace
}  // namespace tacit::bench

/// Called as PROGRAM FOLDER BYTES SAMPLES; prints a line for each peer, "RATIO OPENS NAME".
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc == 4) {
    const std::size_t bytes = std::strtoull(argv[2], nullptr, 10) / static_cast<std::size_t>(ranks);
    const tacit::bench::Pages pages(bytes);
    tacit::bench::measure({argv[1], pages.bytes()}, std::strtoull(argv[3], nullptr, 10));
  }
  MPI_Finalize();
  return argc == 4 ? 0 : 2;
}
