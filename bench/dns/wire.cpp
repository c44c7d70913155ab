// Measures what transposes between two emulated nodes cost a step.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>
#include <optional>

#include "comm/launch.hpp"
#include "dns/rank.hpp"
#include "dns/turbulence.hpp"
#include "tacit/comm/collectives/all_to_all.hpp"
#include "tacit/fft/exchange_plan.hpp"
#include "tacit/topology/cpus.hpp"

namespace tacit::bench {
namespace {

constexpr std::size_t fields_to_points = 3;
constexpr std::size_t fields_to_modes = 4;

/// The messages of a substage without its computation: one after the other, blocking.
class Messages {
 public:
  Messages(Crew& crew, const fft::Pencils& pencils, const fft::Division& division) : plan_(pencils, division) {
    const std::size_t ranks = crew.world().size();
    const std::size_t own = pencils.place_in_column();
    for (std::size_t group = 0; group < division.groups; ++group) {
      for (std::size_t chunk = 0; chunk < division.chunks; ++chunk) {
        std::vector<std::size_t> there(ranks);
        std::vector<std::size_t> back(ranks);
        for (std::size_t other = 0; other < ranks; ++other) {
          there[other] = plan_.column_block(fields_to_points, own, other, group, chunk);
          back[other] = plan_.column_block(fields_to_modes, other, own, group, chunk);
          if (other != own) bytes_ += static_cast<double>((there[other] + back[other]) * sizeof(dns::Complex));
        }
        exchanges_.emplace_back(crew.world(), there);
        exchanges_.emplace_back(crew.world(), back);
      }
    }
  }
  void run() {
    for (auto& exchange : exchanges_) exchange.run();
  }
  /// That this rank sends to the other node.
  [[nodiscard]] double bytes() const noexcept { return bytes_; }

 private:
  fft::ExchangePlan plan_;
  std::deque<comm::AllToAllV<dns::Complex>> exchanges_;
  double bytes_ = 0.0;
};

struct Samples {
  std::vector<double> step;    // seconds of a substage
  std::vector<double> larger;  // over the larger of its computation and its time on the wire
  std::vector<double> share;
  std::vector<double> hidden;
};

Samples measure(const DnsPlan& plan, const Cube& cube) {
  Crew& crew = *plan.crew;
  Turbulence turbulence(crew, cube.side, 1, {.grid = {.row_size = 1, .column_size = crew.world().size()}});
  Messages messages(crew, turbulence.flow().pencils(), turbulence.flow().algorithm().division);
  const double wire = wire_s(crew.largest(messages.bytes()));
  const auto count = static_cast<double>(Turbulence::substages);
  const auto ranks = static_cast<double>(crew.world().size());
  Samples samples;
  for (std::size_t sample = 0; sample <= cube.samples; ++sample) {
    const double serial = crew.time(Takes::all_ranks, [&] { messages.run(); });
    const double before = turbulence.exposed_s();
    const double step = crew.time(Takes::all_ranks, [&] { turbulence.run(1); }) / count;
    const double exposed = crew.sum(turbulence.exposed_s() - before) / count / ranks;
    if (sample == 0) continue;  // connections were made
    samples.step.push_back(step);
    samples.larger.push_back(step / std::max(wire, step - exposed));
    samples.share.push_back(exposed / step);
    samples.hidden.push_back(1.0 - exposed / serial);
  }
  return samples;
}

}  // namespace

void measure_wire(const DnsPlan& plan) {
  // Else both ranks may compute on one processor.
  std::optional<topology::Binding> binding;
  const auto cpus = topology::allowed_cpus();
  Crew& crew = *plan.crew;
  if (cpus.size() >= crew.world().size()) binding.emplace(cpus[comm::number(crew.world().rank())]);
  const Cube cube = cubes(plan.effort)[1];
  const Samples samples = measure(plan, cube);
  plan.add({.name = "substage_2n_ms", .unit = "ms", .ours = summarise(scaled(samples.step, 1e3))});
  plan.add({.name = "substage_2n_over_larger", .unit = "1", .ours = summarise(samples.larger), .limit = 1.15});
  plan.add({.name = "transpose_2n_share", .unit = "1", .ours = summarise(samples.share)});
  plan.add({.name = "transpose_2n_hidden_fraction",
            .unit = "1",
            .better = Better::higher,
            .ours = summarise(samples.hidden),
            .limit = 0.5});
}

}  // namespace tacit::bench
