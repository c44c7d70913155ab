// Spreads sources, all colours at once, as a matrix of each site.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/sources/source_shapes.hpp"

#include <utility>

#include "tacit/base/error.hpp"
#include "tacit/solvers/qcd/gauge/link_tasks.hpp"
#include "tacit/solvers/qcd/gauge/updates.hpp"

namespace tacit::qcd {

SourceShape point_shape(const LatticePart& part, const Coordinates& position) {
  SourceShape shape(part.own.sites());
  for (std::size_t k = 0; k < shape.size(); ++k) {
    if (part.at(k) == position) shape[k] = Matrix3::one();
  }
  return shape;
}

SourceShape wall_shape(const LatticePart& part, std::uint32_t t) {
  SourceShape shape(part.own.sites());
  for (std::size_t k = 0; k < shape.size(); ++k) {
    if (part.at(k)[3] == t) shape[k] = Matrix3::one();
  }
  return shape;
}

void smear_shape(const GaugeField& field, const Division& division, tasks::Scheduler& scheduler,
                 const SourceSmearing& smearing, SourceShape& shape) {
  if (smearing.steps == 0) return;
  TACIT_EXPECT(shape.size() == field.part.own.sites());
  LinkTasks tasks(field, division, scheduler);
  const BoxSites& sites = tasks.sites();
  GaugeField smeared = field;
  smear(tasks, smeared, smearing.links);
  // Of the whole box, so that sites beside those of other ranks are seen.
  std::vector<Matrix3> now(sites.count());
  std::vector<Matrix3> next(sites.count());
  for (std::size_t k = 0; k < shape.size(); ++k) now[field.box.number(field.part.at(k))] = shape[k];
  tasks.run_both({now.data(), 1, 0}, [](std::span<const std::uint32_t> /*sites*/) {});
  const Complex weight = smearing.weight;
  const Complex scale = 1.0 / (1.0 + 6.0 * smearing.weight);
  for (std::uint64_t step = 0; step < smearing.steps; ++step) {
    tasks.run_both({next.data(), 1, 0}, [&](std::span<const std::uint32_t> mine) {
      for (const std::uint32_t site : mine) {
        Matrix3 sum;
        for (std::size_t axis = 0; axis < axes - 1; ++axis) {
          const std::uint32_t before = sites.before(site, axis);
          sum = sum + smeared.links[site * axes + axis] * now[sites.next(site, axis)] +
                dagger_times(smeared.links[before * axes + axis], now[before]);
        }
        next[site] = scale * (now[site] + weight * sum);
      }
    });
    std::swap(now, next);
  }
  for (std::size_t k = 0; k < shape.size(); ++k) shape[k] = now[field.box.number(field.part.at(k))];
}

}  // namespace tacit::qcd
