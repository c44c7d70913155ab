// The tasks of stages that may be launched on a device.
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "tacit/solvers/amr/step.hpp"

namespace tacit::amr {

using kernels::Stage;

/// The task of a launch ends with it, not by a function: what follows from the new cells, in memory of the host, is a
/// task of its own.
void Step::add_launching_task(tasks::TaskKind kind, Stage stage, std::size_t leaf) {
  const auto key = static_cast<std::uint32_t>(leaf);
  graph_.add(kind, accesses_of(stage, leaf),
             [this, stage, leaf](tasks::StepContext& step) { launch_or_advance(stage, leaf, step); }, {.key = key});
  const tasks::DatumId after = data_of(end_of(stage))[own_place(leaf)];
  graph_.add("end of stage", tasks::writes(after),
             [this, stage, leaf](const tasks::StepContext& step) { end_stage(stage, leaf, step.dt); },
             {.cost = 0.1, .key = key});
}

void Step::launch_or_advance(Stage stage, std::size_t leaf, tasks::StepContext& step) {
  if (auto launch = launch_slots_.slots()->acquire(launch_kind_, launches_->need())) {
    const auto key = static_cast<std::uint32_t>(leaf);
    post_launch(std::move(launch), stage, leaf, step.dt, step.await(*launch_slots_.slots(), {.key = key}));
  } else {
    compute_without_slot(stage, leaf, step.dt);
  }
}

/// A failed launch is computed by whoever polls.
void Step::post_launch(gpu::Launch launch, Stage stage, std::size_t leaf, double dt, base::Token token) {
  const auto record = [this, stage, leaf, dt](gpu::Program& program) {
    launches_->record(program, launch_of(stage, leaf, dt));
  };
  launch.post(token, record,
              [this, stage, leaf, dt] { advance(stage, leaf, dt, scratch_[tasks::Scheduler::current_worker()]); });
}

void Step::compute_without_slot(Stage stage, std::size_t leaf, double dt) {
  launch_slots_.slots()->run_on_cpu(launch_kind_, launches_->need().work, [this, stage, leaf, dt] {
    advance(stage, leaf, dt, scratch_[tasks::Scheduler::current_worker()]);
  });
}

StageOfLeaf Step::launch_of(Stage stage, std::size_t leaf, double dt) {
  const kernels::Variables<double> begin = grids_.now(leaf);
  StageOfLeaf of{.stage = stage,
                 .dt = dt,
                 .scale = gas_at(leaf).scale,
                 .U = before(stage, leaf),
                 .base = {begin.first, begin.next},
                 .out = after(stage, leaf),
                 .take_beyond = [this, stage, leaf](std::size_t axis, mesh::Side side, kernels::Variables<double> to) {
                   take_layers_beyond(stage, leaf, axis, side, to);
                 }};
  for (const PencilShape& shape : shapes_) {
    for (const mesh::Side side : both_sides) {
      const std::size_t s = place_of(side);
      of.sides[shape.axis][s] = {
          .is_outside = beside_[own_place(leaf)][shape.axis][s].relation == mesh::Beside::Relation::outside,
          .turns = parameters_.domain.sides[shape.axis][s] == Wall::reflecting,
          .kept = kept(leaf, shape.axis, s)};
    }
  }
  return of;
}

}  // namespace tacit::amr
