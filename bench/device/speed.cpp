// What launches take, and cells of gas a second.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>

#include "checks.hpp"
#include "empty.hpp"
#include "gas.hpp"
#include "tacit/base/clock.hpp"

namespace tacit::device_run {
namespace {

/// The least of some times [s]: what others do on the machine only adds.
template <class Run>
double least_seconds(std::size_t times, const Run& run) {
  run();
  double least = 0.0;
  for (std::size_t i = 0; i < times; ++i) {
    const base::Stopwatch watch;
    run();
    const double seconds = watch.seconds();
    least = i == 0 ? seconds : std::min(least, seconds);
  }
  return least;
}

/// Posts so many launches, as slots become free, and waits for all. @param record  called with the number of a launch
template <class Record>
void launch_many(gpu::Slots& slots, gpu::LaunchKind kind, const gpu::Need& need, std::size_t count,
                 const Record& record) {
  std::size_t under_way = 0;
  for (std::size_t i = 0; i < count; ++i) {
    auto one = slots.acquire(kind, need);
    while (!one) {
      std::array<base::Completion, 64> some;
      const std::size_t got = slots.poll(some);
      for (std::size_t k = 0; k < got; ++k) {
        if (some[k].error != 0) throw base::Error(slots.explain(some[k]));
      }
      under_way -= got;
      one = slots.acquire(kind, need);
    }
    one.post(base::Token{i + 1}, [&record, i](gpu::Program& program) { record(program, i); });
    ++under_way;
  }
  wait_for(slots, under_way);
}

void measure_launches(gpu::Slots& slots, std::size_t launches, std::vector<Figure>& figures) {
  const gpu::LaunchKind kind = slots.kind("empty");
  const auto record = [](gpu::Program& program) { program.run(Empty{}, 1); };
  const double alone = least_seconds(5, [&] {
    for (std::size_t i = 0; i < launches / 10; ++i) launch(slots, kind, {}, record);
  });
  figures.push_back({"slot_overhead_us", 1e6 * alone / static_cast<double>(launches / 10), "us"});
  const double many = least_seconds(5, [&] {
    launch_many(slots, kind, {}, launches, [](gpu::Program& program, std::size_t) { program.run(Empty{}, 1); });
  });
  figures.push_back({"launches_per_s", static_cast<double>(launches) / many, "1/s"});
}

/// Sub-grids of 8^3 that are copied there and back in each stage.
void measure_gas(gpu::Slots& slots, std::size_t leaves, std::vector<Figure>& figures) {
  const amr::AmrParameters parameters = gas_parameters(3, 8);
  std::vector<amr::PencilShape> shapes;
  for (std::size_t axis = 0; axis < 3; ++axis) shapes.emplace_back(parameters.domain, axis);
  const amr::StageLaunches launches(parameters, shapes);
  std::deque<GasProblem> problems;
  std::vector<amr::StageOfLeaf> stages;
  for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
    problems.emplace_back(parameters, shapes, 100 * leaf);
    stages.push_back(problems.back().stage(amr::kernels::Stage::second));
  }
  const auto cells = static_cast<double>(leaves * problems.front().cells);
  const gpu::LaunchKind kind = slots.kind("gas stage");
  const double on_device = least_seconds(5, [&] {
    launch_many(slots, kind, launches.need(), leaves,
                [&](gpu::Program& program, std::size_t leaf) { launches.record(program, stages[leaf]); });
  });
  figures.push_back({"gas_8_launched_cells_per_s", cells / on_device, "1/s"});
  const double on_cpu = least_seconds(5, [&] {
    for (std::size_t leaf = 0; leaf < leaves; ++leaf) problems[leaf].advance(stages[leaf]);
  });
  figures.push_back({"gas_8_cpu_cells_per_core_s", cells / on_cpu, "1/s"});
}

}  // namespace

std::vector<Figure> measure_speed(gpu::Slots& slots, bool is_short) {
  std::vector<Figure> figures;
  measure_launches(slots, is_short ? 1000 : 20'000, figures);
  measure_gas(slots, is_short ? 50 : 4096, figures);
  return figures;
}

}  // namespace tacit::device_run
