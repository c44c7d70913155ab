// Transforms of FFTW on several ranks.
// SPDX-License-Identifier: Apache-2.0
#include <fftw3-mpi.h>

#include "comm/mpi_there.hpp"
#include "dns/round_trip.hpp"
#include "tacit/base/error.hpp"

namespace tacit::bench {
namespace {

enum class Order { kept, transposed };

class FftwMpi final : public RoundTrip {
 public:
  FftwMpi(std::size_t n, Order order) {
    const auto side = static_cast<std::ptrdiff_t>(n);
    std::ptrdiff_t planes = 0;
    std::ptrdiff_t first = 0;
    std::ptrdiff_t rows = 0;
    std::ptrdiff_t first_row = 0;
    const std::ptrdiff_t size =
        fftw_mpi_local_size_3d_transposed(side, side, side / 2 + 1, MPI_COMM_WORLD, &planes, &first, &rows, &first_row);
    modes_ = fftw_alloc_complex(static_cast<std::size_t>(size));
    auto* const points = reinterpret_cast<double*>(modes_);
    const bool is_transposed = order == Order::transposed;
    forward_ = fftw_mpi_plan_dft_r2c_3d(side, side, side, points, modes_, MPI_COMM_WORLD,
                                        FFTW_MEASURE | (is_transposed ? FFTW_MPI_TRANSPOSED_OUT : 0U));
    backward_ = fftw_mpi_plan_dft_c2r_3d(side, side, side, modes_, points, MPI_COMM_WORLD,
                                         FFTW_MEASURE | (is_transposed ? FFTW_MPI_TRANSPOSED_IN : 0U));
    if (forward_ == nullptr || backward_ == nullptr) throw base::Error("FFTW makes no plan for a cube on these ranks");
    for (std::ptrdiff_t i = 0; i < 2 * size; ++i) points[i] = 0.0;
  }
  ~FftwMpi() override {
    fftw_destroy_plan(forward_);
    fftw_destroy_plan(backward_);
    fftw_free(modes_);
  }
  void run(std::size_t times) override {
    for (std::size_t i = 0; i < times; ++i) {
      fftw_execute(forward_);
      fftw_execute(backward_);
    }
  }

 private:
  fftw_complex* modes_ = nullptr;
  fftw_plan forward_ = nullptr;
  fftw_plan backward_ = nullptr;
};

}  // namespace

bool fftw_mpi_is_there() { return true; }

std::vector<NamedRoundTrip> fftw_mpi_plans(Crew& /*crew*/, std::size_t n) {
  std::vector<NamedRoundTrip> all;
  if (!is_mpi_there()) return all;
  fftw_mpi_init();  // once or often
  all.push_back({"FFTW-MPI, transposed", std::make_unique<FftwMpi>(n, Order::transposed)});
  all.push_back({"FFTW-MPI", std::make_unique<FftwMpi>(n, Order::kept)});
  return all;
}

}  // namespace tacit::bench
