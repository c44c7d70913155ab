// The loops of a stage over the cells of a tile, for files that are compiled once per instruction set.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "tacit/base/pack.hpp"
#include "tacit/gpu/macros.hpp"
#include "tacit/mesh/kernels/stages.hpp"

namespace tacit::mesh {

/// What some fields change by in as many cells as a pack has.
template <class P, std::size_t fields>
struct Rates {
  P of[fields];
};

/// sum_i weight_i (y before + y behind - 2 y) in the cells from `i` on. Differences come first, so that of a uniform
/// field nothing is left. @param weight  1 / dx^2, or a number times that, of each axis
template <class P>
[[gnu::always_inline]] TACIT_HOST_DEVICE inline P laplacian(const StageTile& tile, const double (&weight)[3],
                                                            const double* y, std::ptrdiff_t i) {
  const P here = P::load(y + i);
  P sum(0.0);
  for (int axis = 0; axis < 3; ++axis) {
    const std::ptrdiff_t next = tile.next[axis];
    sum += P(weight[axis]) * ((P::load(y + i - next) + P::load(y + i + next)) - (here + here));
  }
  return sum;
}

/// Every function below is inlined where it is called, so that none may be taken for that of another instruction set.
namespace stage_loops {

template <Form form, class P>
[[gnu::always_inline]] TACIT_HOST_DEVICE inline void store(const Stage& stage, double dt, const StageFields& at,
                                                           std::ptrdiff_t i, const P& rate) {
  const P y = P::load(at.y + i);
  const P change = P(stage.h * dt) * rate;
  if constexpr (form == Form::begin) rate.store(at.rate + i);
  if constexpr (form == Form::average) {
    (P(0.5) * (P::load(at.base + i) + (y + change))).store(at.out + i);
  } else if constexpr (form == Form::chebyshev) {
    const P kept = P(stage.mu) * y + P(stage.nu) * P::load(at.prev + i) + P(stage.rest) * P::load(at.base + i);
    (kept + (change + P(stage.h0 * dt) * P::load(at.rate + i))).store(at.out + i);
  } else {
    (y + change).store(at.out + i);
  }
}

/// Calls `row(offset of its first cell)` for all rows of the tile, some rows of y at a time: three planes of these stay
/// in the second-level cache while z runs.
template <class Row>
[[gnu::always_inline]] inline void for_each_row(const StageTile& tile, Row row) {
  constexpr std::size_t cells = std::size_t{1} << 14U;
  const std::size_t most = cells / (tile.n[0] + 1) + 4;
  for (std::size_t first = 0; first < tile.n[1]; first += most) {
    const std::size_t last = first + most < tile.n[1] ? first + most : tile.n[1];
    for (std::size_t z = 0; z < tile.n[2]; ++z) {
      for (std::size_t y = first; y < last; ++y) {
        row(static_cast<std::ptrdiff_t>(z) * tile.next[2] + static_cast<std::ptrdiff_t>(y) * tile.next[1]);
      }
    }
  }
}

template <class Isa, Form form, std::size_t fields, class Model>
[[gnu::always_inline]] inline void advance_as(const StageTile& tile, const Stage& stage, double dt,
                                              const StageFields* at, const Model& model) {
  StageFields of[fields];  // a copy: no store can change it
  for (std::size_t f = 0; f < fields; ++f) of[f] = at[f];
  const auto advance = [&]<class P>(const P&, std::ptrdiff_t i) __attribute__((always_inline)) {
    const Rates<P, fields> rates = model.template rates<P>(i);
    for (std::size_t f = 0; f < fields; ++f) store<form>(stage, dt, of[f], i, rates.of[f]);
  };
  for_each_row(
      tile, [&](std::ptrdiff_t row) __attribute__((always_inline)) {
        using Wide = base::Pack<double, Isa>;
        using Single = base::Pack<double, base::isa::scalar>;
        constexpr auto width = static_cast<std::ptrdiff_t>(Wide::width);
        const std::ptrdiff_t end = row + static_cast<std::ptrdiff_t>(tile.n[0]);
        std::ptrdiff_t i = row;
        for (; i + width <= end; i += width) advance(Wide(0.0), i);
        for (; i < end; ++i) advance(Single(0.0), i);
      });
}

}  // namespace stage_loops

/// A stage in the cells from `i` on, as many as P has: for kernels of a team, whose cells are each computed alone. The
/// bits are those of advance_tile.
template <class P, std::size_t fields, class Model>
[[gnu::always_inline]] TACIT_HOST_DEVICE inline void advance_cells(const Stage& stage, double dt, const StageFields* at,
                                                                   std::ptrdiff_t i, const Model& model) {
  const Rates<P, fields> rates = model.template rates<P>(i);
  for (std::size_t f = 0; f < fields; ++f) {
    const auto store = [&]<Form form>() { stage_loops::store<form>(stage, dt, at[f], i, rates.of[f]); };
    switch (stage.form) {
      case Form::euler:
        store.template operator()<Form::euler>();
        break;
      case Form::begin:
        store.template operator()<Form::begin>();
        break;
      case Form::average:
        store.template operator()<Form::average>();
        break;
      case Form::chebyshev:
        store.template operator()<Form::chebyshev>();
        break;
    }
  }
}

/// Computes a stage of some fields in the cells of a tile. Every cell is computed alone, by the same formula at the
/// ends of rows and without contraction, so that all instruction sets and all divisions into tiles give bitwise
/// identical results.
///
///     struct Decay {
///       double by;
///       const double* y;
///       template <class P>
///       [[gnu::always_inline]] mesh::Rates<P, 1> rates(std::ptrdiff_t i) const {
///         return {{P(-by) * P::load(y + i)}};
///       }
///     };
///     mesh::advance_tile<base::isa::TACIT_ISA>(tile, stage, dt, at, Decay{0.1, at[0].y});
///
/// @tparam Isa    of the file that calls it
/// @param at      shape (fields)
/// @param model   rates<P>(i): L(y) of all fields in the cells from `i` on, of the types Rates<P, fields>
template <class Isa, std::size_t fields, class Model>
void advance_tile(StageTile tile, Stage stage, double dt, const StageFields* at, Model model) {
  switch (stage.form) {
    case Form::euler:
      return stage_loops::advance_as<Isa, Form::euler, fields>(tile, stage, dt, at, model);
    case Form::begin:
      return stage_loops::advance_as<Isa, Form::begin, fields>(tile, stage, dt, at, model);
    case Form::average:
      return stage_loops::advance_as<Isa, Form::average, fields>(tile, stage, dt, at, model);
    case Form::chebyshev:
      return stage_loops::advance_as<Isa, Form::chebyshev, fields>(tile, stage, dt, at, model);
  }
}

}  // namespace tacit::mesh
