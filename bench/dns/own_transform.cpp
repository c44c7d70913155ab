// Our transform, of all modes.
// SPDX-License-Identifier: Apache-2.0
#include "dns/round_trip.hpp"
#include "tacit/fft/transform.hpp"
#include "tacit/fft/tuning.hpp"

namespace tacit::bench {
namespace {

/// The fastest way on slabs or rows of ranks, as FFTW measures its plans.
fft::TransformOptions options_for(Crew& crew, std::size_t n, tasks::Scheduler& scheduler, std::size_t row_size) {
  const fft::PassQuestion question{.modes = fft::Modes({n, n, n}, fft::Truncation::none),
                                   .fields = {.in = 1, .out = 1, .mixed = 1}};
  const fft::PassAlgorithm wanted{.grid = {.row_size = row_size, .column_size = crew.world().size() / row_size}};
  const fft::PassAlgorithm way = fft::choose_algorithm<double>(question, wanted, scheduler, crew.world(), {});
  // As the plans of FFTW that it is measured beside, which always overwrite what goes to points.
  return {.grid = way.grid, .division = way.division, .keeps_modes = false};
}

class OwnTransform final : public RoundTrip {
 public:
  OwnTransform(Crew& crew, std::size_t n, tasks::Scheduler& scheduler, std::size_t row_size)
      : transform_({n, n, n}, scheduler, options_for(crew, n, scheduler, row_size), crew.world()) {}
  void run(std::size_t times) override {
    for (std::size_t i = 0; i < times; ++i) {
      transform_.to_modes();
      transform_.to_points();
    }
  }

 private:
  fft::Transform<double> transform_;
};

}  // namespace

NamedRoundTrip own_transform(Crew& crew, std::size_t n, tasks::Scheduler& scheduler, std::size_t row_size) {
  return {"ours", std::make_unique<OwnTransform>(crew, n, scheduler, row_size)};
}

}  // namespace tacit::bench
