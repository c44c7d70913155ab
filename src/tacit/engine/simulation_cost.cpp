// What a run cost, and how near it came to what its machine can do.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tacit/base/memory.hpp"
#include "tacit/engine/simulation.hpp"
#include "tacit/engine/with_parts.hpp"
#include "tacit/engine/with_slots.hpp"
#include "tacit/gpu/slots.hpp"

namespace tacit::engine {
namespace {

/// So long steps have taken where the time to measure the machine is short beside them.
constexpr double worth_measuring_s = 10.0;

/// What became of the launches of this rank so far.
void add_launches(const Solver& solver, RankCost& cost) {
  const auto* const with_slots = dynamic_cast<const WithSlots*>(&solver);
  if (with_slots == nullptr || with_slots->slots() == nullptr) return;
  const gpu::LaunchCounts counts = with_slots->slots()->counts();
  cost.has_slots = 1;
  cost.launched = counts.launched;
  cost.launched_on_cpu = counts.on_cpu;
  cost.launches_waited = counts.waited;
  cost.launches_failed = counts.failed;
  cost.launches_rescued = counts.rescued;
}

void add_parts(const Solver& solver, RankCost& cost) {
  const auto* const with_parts = dynamic_cast<const WithParts*>(&solver);
  if (with_parts == nullptr) return;
  const std::vector<StepPart> parts = with_parts->step_parts();
  TACIT_EXPECT(parts.size() <= most_step_parts);
  std::ranges::transform(parts, cost.part_s.begin(), &StepPart::seconds);
}

}  // namespace

/// Time that all workers have spent in tasks and output so far.
double Simulation::busy_s() {
  scheduler_.settle();
  double busy = 0.0;
  for (std::size_t track = 0; track < recorder_.tracks(); ++track) busy += recorder_.busy_s(track);
  return busy;
}

/// What the run cost this rank so far.
RankCost Simulation::cost() {
  scheduler_.settle();
  const io::OutputCost output = output_.cost();
  const auto by_workers = [&](trace::KindId kind) {
    double seconds = 0.0;
    for (std::size_t track = 0; track < recorder_.tracks(); ++track) {
      seconds += recorder_.scale().seconds(recorder_.track(track).sum(kind).ticks);
    }
    return seconds;
  };
  const double packing_s = by_workers(kinds_.packing);
  // Tasks that log take their turns with those that compute.
  const double log_s = by_workers(kinds_.log) / static_cast<double>(scheduler_.workers());
  const trace::Exposure exposure = recorder_.exposure();
  const trace::CriticalPath& path = recorder_.critical_path();
  RankCost cost{.wall_s = wall_.seconds(),
                .steps_s = steps_s_,
                // Output is recorded on track 0 beside the tasks.
                .busy_s = busy_s() - busy_before_s_ - output_s_ - packing_s,
                .output_s = output_s_ - output.wait_s - rest_s_ + output.pack_s + output.write_s + log_s,
                .output_exposed_s = output_s_ + log_s,
                .exposed_s = exposure.exposed_s - exposure_before_.exposed_s,
                .serial_s = exposure.serial_s - exposure_before_.serial_s,
                .work_s = path.work_s,
                .path_s = path.length_s,
                .transfers = exposure.transfers - exposure_before_.transfers,
                .workers = scheduler_.workers(),
                .output_bytes = output.file_bytes + log_.bytes(),
                .peak_memory_bytes = base::peak_memory().value_or(0)};
  add_launches(*solver_, cost);
  add_parts(*solver_, cost);
  return cost;
}

/// After the clock of the run has been read, which does not count the second in which limits are measured. A run that
/// was asked to stop may not have that second.
std::optional<PeakShare> Simulation::peak_share(std::span<const RankCost> costs) {
  const double steps_s = std::ranges::max_element(costs, {}, &RankCost::steps_s)->steps_s;
  const std::uint64_t updates = updates_ - first_updates_;
  const auto cost = solver_->update_cost();
  if (!cost || updates == 0) return std::nullopt;
  const auto limits = limits_.find(steps_s >= worth_measuring_s && !was_stopped_);
  if (!limits) return std::nullopt;
  return peak_share_of(*cost, static_cast<double>(updates) / steps_s, *limits);
}

}  // namespace tacit::engine
