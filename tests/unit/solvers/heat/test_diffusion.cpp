// The loops of a stage against plain ones.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

#include "tacit/base/cpu_features.hpp"
#include "tacit/solvers/heat/kernels/diffusion.hpp"

namespace tacit::heat::kernels {
namespace {

using mesh::Form;
using mesh::Stage;

Loops loops_for(base::InstructionSet set) {
  return base::with_instruction_set(set, []<class Isa>(Isa) { return loops_of<Isa>(); });
}

/// Five fields with ghost cells, and what the loops make of them.
struct Block {
  explicit Block(const std::array<std::size_t, 3>& n) {
    std::size_t next = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const bool is_there = axis == 0 || n[axis] > 1;
      tile.n[axis] = n[axis];
      tile.next[axis] = is_there ? static_cast<std::ptrdiff_t>(next) : 0;
      if (is_there) first += next;
      next *= n[axis] + (is_there ? 2 : 0);
    }
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> number(0.5, 1.5);
    for (std::vector<double>* field : {&y, &prev, &base, &rate, &out, &source, &face[0], &face[1], &face[2]}) {
      field->resize(next);
      for (double& value : *field) value = number(random);
    }
  }
  [[nodiscard]] mesh::StageFields fields() {
    return {y.data() + first, prev.data() + first, base.data() + first, rate.data() + first, out.data() + first};
  }
  [[nodiscard]] Diffusion diffusion(bool is_given) const {
    Diffusion by;
    by.constant_source = 0.3;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      by.weight[axis] = 1.0 + static_cast<double>(axis);
      if (is_given) by.face[axis] = face[axis].data() + first;
    }
    if (is_given) by.source = source.data() + first;
    return by;
  }
  mesh::StageTile tile;
  std::size_t first = 0;
  std::vector<double> y, prev, base, rate, out, source;
  std::array<std::vector<double>, 3> face;
};

/// The same in the words of the header, cell by cell.
double plain(const Block& b, const Diffusion& by, const Stage& stage, double dt, std::size_t i, double& L) {
  L = by.source == nullptr ? by.constant_source : b.source[i];
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto next = static_cast<std::size_t>(b.tile.next[axis]);
    if (by.source == nullptr) {
      L += by.weight[axis] * ((b.y[i - next] + b.y[i + next]) - (b.y[i] + b.y[i]));
    } else {
      L += b.face[axis][i + next] * (b.y[i + next] - b.y[i]) - b.face[axis][i] * (b.y[i] - b.y[i - next]);
    }
  }
  const double change = stage.h * dt * L;
  if (stage.form == Form::average) return 0.5 * (b.base[i] + (b.y[i] + change));
  if (stage.form != Form::chebyshev) return b.y[i] + change;
  const double kept = stage.mu * b.y[i] + stage.nu * b.prev[i] + stage.rest * b.base[i];
  return kept + (change + stage.h0 * dt * b.rate[i]);
}

TEST(HeatStages, EverySetGivesTheBitsOfThePlainLoop) {
  const std::vector<Stage> chebyshev = mesh::rkl2(5);
  const std::array stages{mesh::rk2()[0], mesh::rk2()[1], chebyshev[0], chebyshev[3]};
  for (const auto set : base::usable_instruction_sets()) {
    for (const std::size_t n : {1U, 2U, 3U, 4U, 5U, 7U, 8U, 9U, 15U, 16U, 17U}) {
      for (const std::array<std::size_t, 3>& shape : {std::array<std::size_t, 3>{n, 1, 1}, {n, 3, 1}, {n, 2, 3}}) {
        for (const bool is_given : {false, true}) {
          for (const Stage& stage : stages) {
            const Block before(shape);
            Block after = before;
            const Diffusion by = before.diffusion(is_given);
            loops_for(set).advance(after.tile, by, stage, 0.01, after.fields());
            std::size_t changed = 0;
            for (std::size_t z = 0; z < shape[2]; ++z) {
              for (std::size_t y = 0; y < shape[1]; ++y) {
                for (std::size_t x = 0; x < shape[0]; ++x) {
                  const std::size_t i = before.first + x + y * static_cast<std::size_t>(before.tile.next[1]) +
                                        z * static_cast<std::size_t>(before.tile.next[2]);
                  double L = 0.0;
                  ASSERT_EQ(after.out[i], plain(before, by, stage, 0.01, i, L)) << base::name_of(set) << " " << n;
                  ASSERT_EQ(after.rate[i], stage.form == Form::begin ? L : before.rate[i]);
                  changed += after.out[i] != before.out[i] ? 1 : 0;
                }
              }
            }
            std::size_t different = 0;
            for (std::size_t i = 0; i < before.out.size(); ++i) different += after.out[i] != before.out[i] ? 1 : 0;
            ASSERT_EQ(different, changed) << "a cell outside of the tile was written";
          }
        }
      }
    }
  }
}

TEST(HeatStages, NothingIsDoneForNoCells) {
  for (const auto set : base::usable_instruction_sets()) {
    Block block({1, 1, 1});
    const std::vector<double> before = block.out;
    block.tile.n[0] = 0;
    loops_for(set).advance(block.tile, block.diffusion(false), mesh::rk2()[0], 0.01, block.fields());
    EXPECT_EQ(block.out, before);
  }
}

}  // namespace
}  // namespace tacit::heat::kernels
