// Computes one product and says how long it took, how long workers were idle, and what came out.
// SPDX-License-Identifier: Apache-2.0
//
// usage: matrix_product pool|master|division [N [THREADS]]
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string_view>

#include "plain_mpi.hpp"
#include "pool.hpp"
#include "tacit/comm/bootstrap/mpi.hpp"

namespace {

using product::Method;
using product::Problem;
using product::Timing;

std::unique_ptr<Method> method_of(std::string_view how, tacit::comm::Communicator& world, const Problem& problem,
                                  std::size_t threads) {
  if (how == "pool") return product::by_pool(world, problem, threads);
  if (how == "master") return product::by_master(MPI_COMM_WORLD, problem);
  if (how == "division") return product::by_division(MPI_COMM_WORLD, problem);
  return nullptr;
}

/// @return  an exit code
int report(const Method& method, const Problem& problem, const Timing& timing, double workers) {
  const double mine[] = {timing.busy_s, workers * timing.seconds};
  double all[] = {0.0, 0.0};
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Reduce(mine, all, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank != 0) return EXIT_SUCCESS;
  const double flops = 2.0 * static_cast<double>(problem.n) * static_cast<double>(problem.n * problem.n);
  std::printf("%zu tiles, %.4f s, %.1f Gflop/s, idle %.1f %% of all workers\n", problem.tiles.size(), timing.seconds,
              1e-9 * flops / timing.seconds, 100.0 * (1.0 - all[0] / all[1]));
  const bool is_right = problem.is_product(method.c());
  const auto sum = static_cast<unsigned long long>(product::checksum(method.c()));
  std::printf("checksum %016llx, %s\n", sum, is_right ? "C = A B" : "C is NOT A B");
  return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}

int compute(std::string_view how, std::size_t n, std::size_t threads) {
  tacit::comm::Communicator world(tacit::comm::bootstrap_mpi(MPI_COMM_WORLD));
  const Problem problem(n);
  const auto method = method_of(how, world, problem, threads);
  if (method == nullptr) {
    std::fputs("usage: matrix_product pool|master|division [N [THREADS]]\n", stderr);
    return 2;
  }
  method->run();  // the first touches memory and opens connections
  const Timing timing = method->run();
  const std::size_t of_rank = how == "pool" ? threads : 1;
  return report(*method, problem, timing, static_cast<double>(of_rank));
}

}  // namespace

int main(int argc, char** argv) {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  int code = EXIT_FAILURE;
  try {
    code = compute(argc > 1 ? argv[1] : "", argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1000,
                   argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 1);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, code);
  }
  MPI_Finalize();
  return code;
}
