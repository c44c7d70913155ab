// What tests of qcd on several ranks have in common: a lattice in divisions, and what each rank has of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <functional>
#include <string>

#include "on_lattice.hpp"
#include "tacit/solvers/qcd/division.hpp"
#include "tacit/solvers/qcd/fields.hpp"
#include "tacit/solvers/qcd/gauge_field.hpp"
#include "unit/comm/polling.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::qcd::testing {

/// Of how many ranks, and how many of them are along each axis.
struct Ranks {
  std::size_t count = 1;
  RanksPerAxis along{};
};

inline constexpr Extents lattice_extents{{8, 4, 4, 8}};

inline std::string text(const Ranks& ranks) {
  return fmt::format("{} {} {} {}", ranks.along[0], ranks.along[1], ranks.along[2], ranks.along[3]);
}

/// What a rank of a test has.
struct OnRank {
  OnRank(comm::Communicator& ranks, std::size_t workers) : world(ranks), on(workers), polling(on.scheduler, ranks) {}
  comm::Communicator& world;
  Workers on;
  comm::testing::Polling polling;
};

/// Runs on each rank of a division; `body` gets the division, too.
inline void on_division(const Ranks& ranks, std::size_t workers,
                        const std::function<void(OnRank&, const Division&)>& body,
                        const Extents& extents = lattice_extents) {
  comm::testing::on_ranks(ranks.count, [&](comm::Communicator& world) {
    OnRank rank(world, workers);
    body(rank, Division(extents, ranks.along, world));
    world.synchronise();
  });
}

template <class T>
Field<T> own_part(const FieldSpace<T>& space, const PlainField& psi) {
  Field<T> field = space.make();
  const LatticePart& part = space.lattice().part();
  for (std::size_t k = 0; k < part.own.sites(); ++k) {
    space.set(field, part.at(k), psi[part.whole.index(part.at(k))]);
  }
  return field;
}

/// Puts the sites of this rank where they belong. Ranks have different ones.
template <class T>
void gather(const FieldSpace<T>& space, const Field<T>& field, PlainField& all) {
  const LatticePart& part = space.lattice().part();
  for (std::size_t k = 0; k < part.own.sites(); ++k) all[part.whole.index(part.at(k))] = space.get(field, part.at(k));
}

/// The links of a field that a rank with this part has, and no others.
inline GaugeField own_links(const GaugeField& whole, const LatticePart& part) {
  GaugeField mine(part);
  for (std::size_t number = 0; number < mine.links.size(); ++number) {
    mine.links[number] = whole.at(mine.box.site(number / axes), number % axes);
  }
  return mine;
}

}  // namespace tacit::qcd::testing
