// Transforms of heFFTe on several ranks.
// SPDX-License-Identifier: Apache-2.0
#include <heffte.h>

#include <array>
#include <complex>
#include <optional>
#include <string>
#include <vector>

#include "comm/mpi_there.hpp"
#include "dns/round_trip.hpp"

namespace tacit::bench {
namespace {

using Backend = heffte::backend::fftw;

/// The options that its manual names, those of the FFTW backend.
struct Options {
  const char* name;
  bool is_reordered;
  bool has_pencils;
  heffte::reshape_algorithm algorithm;
};
constexpr std::array option_sets{
    Options{"slabs, reordered, all-to-all-v", true, false, heffte::reshape_algorithm::alltoallv},
    Options{"slabs, all-to-all-v", false, false, heffte::reshape_algorithm::alltoallv},
    Options{"slabs, reordered, pipelined", true, false, heffte::reshape_algorithm::p2p_plined},
    Options{"slabs, pipelined", false, false, heffte::reshape_algorithm::p2p_plined},
    Options{"pencils, reordered, all-to-all-v", true, true, heffte::reshape_algorithm::alltoallv},
    Options{"pencils, reordered, pipelined", true, true, heffte::reshape_algorithm::p2p_plined}};

/// The planes of a rank along `axis`, of a box of these sides.
heffte::box3d<> slab(std::array<int, 3> sides, std::size_t axis, int rank, int ranks) {
  std::array<int, 3> low{};
  std::array<int, 3> high{sides[0] - 1, sides[1] - 1, sides[2] - 1};
  low[axis] = sides[axis] * rank / ranks;
  high[axis] = sides[axis] * (rank + 1) / ranks - 1;
  return {low, high};
}

/// Points in slabs along z, modes in slabs along y, as ours are; with a workspace that is allocated once.
class HeffteRoundTrip final : public RoundTrip {
 public:
  HeffteRoundTrip(std::size_t n, const Options& options) {
    int rank = 0;
    int ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int side = static_cast<int>(n);
    const auto points = slab({side, side, side}, 2, rank, ranks);
    const auto modes = slab({side / 2 + 1, side, side}, 1, rank, ranks);
    heffte::plan_options plan = heffte::default_options<Backend>();
    plan.use_reorder = options.is_reordered;
    plan.use_pencils = options.has_pencils;
    plan.algorithm = options.algorithm;
    transform_.emplace(points, modes, 0, MPI_COMM_WORLD, plan);
    points_.resize(static_cast<std::size_t>(transform_->size_inbox()));
    modes_.resize(static_cast<std::size_t>(transform_->size_outbox()));
    workspace_.resize(static_cast<std::size_t>(transform_->size_workspace()));
  }
  void run(std::size_t times) override {
    for (std::size_t i = 0; i < times; ++i) {
      transform_->forward(points_.data(), modes_.data(), workspace_.data());
      transform_->backward(modes_.data(), points_.data(), workspace_.data());
    }
  }

 private:
  std::optional<heffte::fft3d_r2c<Backend>> transform_;
  std::vector<double> points_;
  std::vector<std::complex<double>> modes_;
  std::vector<std::complex<double>> workspace_;
};

}  // namespace

std::string heffte_version() {
  return std::to_string(Heffte_VERSION_MAJOR) + "." + std::to_string(Heffte_VERSION_MINOR) + "." +
         std::to_string(Heffte_VERSION_PATCH);
}

std::vector<NamedRoundTrip> heffte_plans(Crew& /*crew*/, std::size_t n) {
  std::vector<NamedRoundTrip> all;
  if (!is_mpi_there()) return all;
  for (const Options& options : option_sets) {
    all.push_back({std::string("heFFTe, ") + options.name, std::make_unique<HeffteRoundTrip>(n, options)});
  }
  return all;
}

}  // namespace tacit::bench
