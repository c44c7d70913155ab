// Transforms of FFTW on one rank, with one thread or several.
// SPDX-License-Identifier: Apache-2.0
#include <fftw3.h>
#include <fmt/format.h>

#include <span>

#include "dns/round_trip.hpp"
#include "tacit/base/error.hpp"

namespace tacit::bench {
namespace {

template <class T>
struct Free {
  void operator()(T* memory) const noexcept { fftw_free(memory); }
};
template <class T>
using Memory = std::unique_ptr<T, Free<T>>;

enum class Place { in, out };

class FftwPlans final : public RoundTrip {
 public:
  FftwPlans(std::size_t n, Place place)
      : modes_(fftw_alloc_complex(n * n * (n / 2 + 1))),
        points_(place == Place::out ? fftw_alloc_real(n * n * n) : nullptr) {
    // Rows of points in place are as long as those of modes.
    double* const points = place == Place::in ? reinterpret_cast<double*>(modes_.get()) : points_.get();
    const int side = static_cast<int>(n);
    forward_ = fftw_plan_dft_r2c_3d(side, side, side, points, modes_.get(), FFTW_MEASURE);
    backward_ = fftw_plan_dft_c2r_3d(side, side, side, modes_.get(), points, FFTW_MEASURE);
    if (forward_ == nullptr || backward_ == nullptr) throw base::Error("FFTW makes no plan for a cube");
    const std::size_t row = place == Place::in ? 2 * (n / 2 + 1) : n;
    for (std::size_t i = 0; i < n * n * row; ++i) points[i] = 0.0;  // without a factor, others would overflow
  }
  ~FftwPlans() override {
    fftw_destroy_plan(forward_);
    fftw_destroy_plan(backward_);
  }
  void run(std::size_t times) override {
    for (std::size_t i = 0; i < times; ++i) {
      fftw_execute(forward_);
      fftw_execute(backward_);
    }
  }

 private:
  Memory<fftw_complex> modes_;
  Memory<double> points_;
  fftw_plan forward_ = nullptr;
  fftw_plan backward_ = nullptr;
};

}  // namespace

std::vector<NamedRoundTrip> fftw_plans(Crew& crew, std::size_t n, std::size_t threads) {
  std::vector<NamedRoundTrip> all;
  if (threads > 1 && !fftw_may_have_threads()) return all;
  const std::string name = threads > 1 ? fmt::format("FFTW, {} threads", threads) : "FFTW";
  if (threads > 1) fftw_set_threads(threads);
  const auto make = [&](Place place) { return crew.is_first() ? std::make_unique<FftwPlans>(n, place) : nullptr; };
  all.push_back({name + ", in place", make(Place::in), Takes::first_rank});
  all.push_back({name, make(Place::out), Takes::first_rank});
  if (threads > 1) fftw_set_threads(1);
  return all;
}

}  // namespace tacit::bench
