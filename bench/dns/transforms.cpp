// Measures our transforms beside those of FFTW for MPI and heFFTe.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "dns/rank.hpp"
#include "dns/round_trip.hpp"
#include "framework/flag_latency.hpp"
#include "tacit/fft/transform.hpp"
#include "tacit/fft/tuning.hpp"
#include "tacit/topology/cpus.hpp"

namespace tacit::bench {
namespace {

/// The fastest way on slabs or rows of ranks, as FFTW measures its plans.
fft::TransformOptions options_for(Crew& crew, std::size_t n, tasks::Scheduler& scheduler, std::size_t row_size) {
  const fft::PassQuestion question{.modes = fft::Modes({n, n, n}, fft::Truncation::none),
                                   .fields = {.in = 1, .out = 1, .mixed = 1}};
  const fft::PassAlgorithm wanted{.grid = {.row_size = row_size, .column_size = crew.world().size() / row_size}};
  const fft::PassAlgorithm algorithm = fft::choose_algorithm<double>(question, wanted, scheduler, crew.world(), {});
  // As the plans of FFTW that it is compared with, which always overwrite their input on the way to points.
  return {.grid = algorithm.grid, .division = algorithm.division, .keeps_modes = false};
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

/// The time of the fastest way whose name begins so over ours; nothing if there is none.
void add_ratio_to(const DnsPlan& plan, std::span<const TimedWay> ways, const Times& seconds, std::string_view peer,
                  std::string name) {
  std::optional<std::size_t> fastest;
  for (std::size_t i = 1; i < ways.size(); ++i) {
    if (!ways[i].name.starts_with(peer)) continue;
    if (!fastest || median_of(seconds[i], 1.0) < median_of(seconds[*fastest], 1.0)) fastest = i;
  }
  if (!fastest) return;
  plan.add({.name = std::move(name),
            .unit = "1",
            .better = Better::higher,
            .ours = summarise(ratios(seconds[*fastest], seconds[0])),
            .limit = 1.0});
}

void measure_cube(const DnsPlan& plan, const Cube& cube) {
  Crew& crew = *plan.crew;
  const std::size_t ranks = crew.world().size();
  trace::Recorder recorder(1);
  tasks::Scheduler scheduler(1, recorder);
  std::vector<NamedRoundTrip> all;
  all.push_back({"ours", std::make_unique<OwnTransform>(crew, cube.side, scheduler, 1)});
  for (auto& plans : fftw_mpi_plans(crew, cube.side)) all.push_back(std::move(plans));
  for (auto& plans : heffte_plans(crew, cube.side)) all.push_back(std::move(plans));
  if (ranks == 1) {
    for (auto& plans : fftw_plans(crew, cube.side, 1)) all.push_back(std::move(plans));
  }
  const std::size_t repeats = 4 * cube.repeats;
  std::vector<TimedWay> ways;
  for (auto& [name, way, takes] : all) {
    ways.push_back({name, takes, [way = way.get(), repeats] { way->run(repeats); }, 2 * repeats});
  }
  const Times seconds = take_turns(crew, ways, cube.samples);
  const std::string name = fmt::format("fft_{}_{}", cube.name, ranks);
  Result time{.name = name + "_ms", .unit = "ms", .ours = summarise(scaled(seconds[0], 1e3))};
  for (std::size_t i = 1; i < ways.size(); ++i) {
    time.peers.emplace_back(ways[i].name, median_of(seconds[i], 1e3));
  }
  plan.add(time);
  add_ratio_to(plan, ways, seconds, "FFTW-MPI", name + "_vs_fftwmpi");
  add_ratio_to(plan, ways, seconds, "heFFTe", name + "_vs_heffte");
}

}  // namespace

void measure_transforms(const DnsPlan& plan) {
  const std::size_t ranks = plan.crew->world().size();
  std::optional<topology::Binding> binding;
  const auto cpus = topology::allowed_cpus();
  if (ranks > 1 && cpus.size() >= ranks) binding.emplace(cpus[comm::number(plan.crew->world().rank())]);
  for (const Cube& cube : cubes(plan.effort)) measure_cube(plan, cube);
}

}  // namespace tacit::bench
