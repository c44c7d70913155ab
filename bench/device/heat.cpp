// Stages of heat on a device beside the loops of the processor.
// SPDX-License-Identifier: Apache-2.0
#include "checks.hpp"
#include "tacit/base/cpu_features.hpp"
#include "tacit/mesh/stage_launch.hpp"
#include "tacit/solvers/heat/stage_kernel.hpp"

namespace tacit::device_run {
namespace {

using heat::kernels::Diffusion;
using heat::kernels::Kappa;

/// Random fields of a box with a layer around the tile.
struct Problem {
  std::size_t numbers;
  mesh::StageTile tile;
  std::array<std::vector<double>, 3> faces;
  std::vector<double> y, prev, base, rate, out, source;
  Diffusion by;

  Problem(std::array<std::size_t, 3> n, bool is_uniform, std::uint64_t seed)
      : numbers((n[0] + 2) * (n[1] + 2) * (n[2] + 2)) {
    for (std::size_t axis = 0; axis < 3; ++axis) tile.n[axis] = n[axis];
    tile.next[0] = 1;
    tile.next[1] = static_cast<std::ptrdiff_t>(n[0] + 2);
    tile.next[2] = tile.next[1] * static_cast<std::ptrdiff_t>(n[1] + 2);
    tile.first = static_cast<std::size_t>(1 + tile.next[1] + tile.next[2]);
    for (std::vector<double>* field : {&y, &prev, &base, &rate, &out, &source}) {
      *field = random_numbers(numbers, ++seed, -1.0, 1.0);
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      faces[axis] = random_numbers(numbers, ++seed, 0.5, 2.0);
      by.weight[axis] = 1.0 + 0.3 * static_cast<double>(axis);
      by.face[axis] = faces[axis].data();
    }
    by.constant_source = 0.7;
    by.source = is_uniform ? nullptr : source.data();
  }
  [[nodiscard]] mesh::StageFields at() {
    const std::size_t f = tile.first;
    return {y.data() + f, prev.data() + f, base.data() + f, rate.data() + f, out.data() + f};
  }
};

mesh::StageLaunches launches_of(const Diffusion& by) {
  const auto run = [by](gpu::Program& program, const mesh::StageOnDevice& on) {
    Diffusion there = by;
    const auto add = [&]<Kappa kappa>() {
      program.run(
          heat::kernels::StageKernel<kappa>{
              .tile = on.device, .by = there, .stage = on.stage, .dt = on.dt, .at = on.at[0]},
          on.device.n[2]);
    };
    if (by.source == nullptr) return add.template operator()<Kappa::constant>();
    const auto copy = [&](const double* field, mesh::TileCells cells) {
      return mesh::copy_to_device(program, on.host, field + on.host.first, cells);
    };
    there.source = copy(by.source, mesh::TileCells::own);
    for (std::size_t axis = 0; axis < 3; ++axis) there.face[axis] = copy(by.face[axis], mesh::TileCells::with_beside);
    add.template operator()<Kappa::given>();
  };
  return {.slots = nullptr, .name = "heat stage", .further = by.source == nullptr ? 0U : 4U, .run = run};
}

}  // namespace

Check check_heat(gpu::Slots& slots, bool is_short) {
  const gpu::LaunchKind kind = slots.kind("heat stage");
  const heat::kernels::Loops loops = base::with_instruction_set(
      base::chosen_instruction_set(), []<class Isa>(Isa) { return heat::kernels::loops_of<Isa>(); });
  Check check{.name = "heat stages"};
  std::uint64_t seed = 1;
  std::vector<std::array<std::size_t, 3>> sizes{{1, 1, 1}, {7, 3, 2}, {16, 8, 5}};
  if (!is_short) sizes.insert(sizes.end(), {{33, 17, 9}, {64, 16, 16}});
  for (const auto& n : sizes) {
    for (const bool is_uniform : {true, false}) {
      for (const mesh::Form form : {mesh::Form::euler, mesh::Form::begin, mesh::Form::average, mesh::Form::chebyshev}) {
        Problem on_cpu(n, is_uniform, 100 * ++seed);
        Problem on_device(n, is_uniform, 100 * seed);
        const mesh::Stage stage{.form = form, .h = 0.3, .mu = 1.7, .nu = -0.6, .rest = -0.1, .h0 = 0.2};
        loops.advance(on_cpu.tile, on_cpu.by, stage, 0.01, on_cpu.at());
        const mesh::StageLaunches launches = launches_of(on_device.by);
        const std::array fields{on_device.at()};
        launch(slots, kind, mesh::need_of_stage(on_device.tile, 1, launches.further), [&](gpu::Program& program) {
          mesh::record_stage(program, launches, on_device.tile, stage, 0.01, fields);
        });
        check.compare(on_device.out, on_cpu.out);
        check.compare(on_device.rate, on_cpu.rate);
      }
    }
  }
  return check;
}

}  // namespace tacit::device_run
