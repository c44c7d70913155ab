// The fields of skeleton, its keys, how it begins, and how it changes.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/skeleton/skeleton_solver.hpp"

#include <array>
#include <cmath>

#include "tacit/base/cpu_features.hpp"
#include "tacit/solvers/skeleton/kernels/rates.hpp"
#include "tacit/stencil/definition.hpp"

namespace tacit::skeleton {
namespace {

using config::Choice;
using config::Key;

/// A field is a row: then it is in files, pictures and statistics.
constexpr std::array rows{
    engine::FieldRow{.info = {.name = "u", .symbol = "u", .meaning = "population, over what the place can feed"},
                     .in = {.snapshot = true, .checkpoint = true, .input = true}},
};
static_assert(rows.size() == kernels::fields, "kernels/rates.isa.cpp has a rate for each row");

constexpr std::array keys{
    Key::positive("skeleton.diffusivity", {.length = 2, .time = -1}, "How fast it spreads.", "1e-4"),
    Key::quantity("skeleton.growth", {.time = -1}, "Rate at which a small population grows.", "10",
                  config::non_negative),
    Key::non_negative("skeleton.height", "Population in the middle at the begin.", "1"),
    Key::positive("skeleton.width", base::dimension::length, "Of the spot in which it begins.", "0.05"),
};

/// a exp(-r^2 / 2 w^2) about the middle of the box.
stencil::FieldsAt make_spot(const config::Parameters& p, const mesh::Domain& domain) {
  const double width = p.real("skeleton.width");
  const double height = p.real("skeleton.height");
  return [=](std::size_t, const stencil::Position& x) {
    double distance2 = 0.0;
    for (std::size_t axis = 0; axis < domain.dimensions; ++axis)
      distance2 += (x[axis] - 0.5 * domain.box[axis]) * (x[axis] - 0.5 * domain.box[axis]);
    return height * std::exp(-0.5 * distance2 / (width * width));
  };
}

constexpr std::array setups{
    Choice<stencil::Setup>{"spot", &make_spot, "a spot in the middle"},
};

stencil::Model make_model(const config::Parameters& p, const mesh::Domain& domain) {
  kernels::Equations by{.growth = p.real("skeleton.growth")};
  double sum = 0.0;
  for (std::size_t axis = 0; axis < domain.dimensions; ++axis) {
    by.weight[axis] = p.real("skeleton.diffusivity") / (domain.spacing(axis) * domain.spacing(axis));
    sum += by.weight[axis];
  }
  const auto loops = base::with_instruction_set(base::chosen_instruction_set(),
                                                []<class Isa>(Isa) { return kernels::loops_of<Isa>(); });
  return {.advance = [=](const mesh::StageTile& tile, const mesh::Stage& stage, double dt,
                         std::span<const mesh::StageFields> at) { loops.advance(tile, by, stage, dt, at.data()); },
          .operations = 4.0 * static_cast<double>(domain.dimensions) + 5.0,  // Laplacian, growth, and their sum
          .fastest = 4.0 * sum + by.growth};                                 // of the shortest wave, and where u = 1
}

constexpr stencil::Definition definition{.name = "skeleton",
                                         .title = "Skeleton",
                                         .help = "a population that spreads and grows on a periodic grid",
                                         .keys = keys,
                                         .setups = setups,
                                         .rows = rows,
                                         .model = &make_model};

}  // namespace

const engine::SolverEntry& solver_entry() {
  static const engine::SolverEntry entry = stencil::entry_of<definition>();
  return entry;
}

}  // namespace tacit::skeleton
