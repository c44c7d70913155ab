// The loops of a stage; compiled once per instruction set, which TACIT_ISA names.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/heat/kernels/stages.hpp"

#include "tacit/base/pack.hpp"

namespace tacit::heat::kernels {
// Nothing here may be visible to the linker but what carries the instruction set in its name.
namespace {

using Isa = base::isa::TACIT_ISA;
using Wide = base::Pack<double, Isa>;
using Single = base::Pack<double, base::isa::scalar>;

enum class Kappa : std::uint8_t { constant, given };

/// L(y) in the cells from `i` on. Differences come first, so that of a uniform field nothing is left.
template <Kappa kappa, class P>
[[gnu::always_inline]] inline P rate_of(const Tile& tile, const Diffusion& by, const double* y, std::ptrdiff_t i) {
  const P here = P::load(y + i);
  P sum = kappa == Kappa::constant ? P(by.constant_source) : P::load(by.source + i);
  for (int axis = 0; axis < 3; ++axis) {
    const std::ptrdiff_t next = tile.next[axis];
    const P low = P::load(y + i - next);
    const P high = P::load(y + i + next);
    if constexpr (kappa == Kappa::constant) {
      sum += P(by.weight[axis]) * ((low + high) - (here + here));
    } else {
      sum += P::load(by.face[axis] + i + next) * (high - here) - P::load(by.face[axis] + i) * (here - low);
    }
  }
  return sum;
}

template <Form form, Kappa kappa, class P>
[[gnu::always_inline]] inline void advance_cells(const Tile& tile, const Diffusion& by, const Stage& stage, double dt,
                                                 const Fields& at, std::ptrdiff_t i) {
  const P rate = rate_of<kappa, P>(tile, by, at.y, i);
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
[[gnu::always_inline]] inline void for_each_row(const Tile& tile, Row row) {
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

template <Form form, Kappa kappa>
void advance_as(Tile tile, Diffusion by, Stage stage, double dt, Fields at) {  // copies: no store can change them
  for_each_row(
      tile, [&](std::ptrdiff_t row) __attribute__((always_inline)) {
        const std::ptrdiff_t end = row + static_cast<std::ptrdiff_t>(tile.n[0]);
        constexpr auto width = static_cast<std::ptrdiff_t>(Wide::width);
        std::ptrdiff_t i = row;
        for (; i + width <= end; i += width) advance_cells<form, kappa, Wide>(tile, by, stage, dt, at, i);
        for (; i < end; ++i) advance_cells<form, kappa, Single>(tile, by, stage, dt, at, i);
      });
}

template <Kappa kappa>
void advance_with(const Tile& tile, const Diffusion& by, const Stage& stage, double dt, const Fields& at) {
  switch (stage.form) {
    case Form::euler:
      return advance_as<Form::euler, kappa>(tile, by, stage, dt, at);
    case Form::begin:
      return advance_as<Form::begin, kappa>(tile, by, stage, dt, at);
    case Form::average:
      return advance_as<Form::average, kappa>(tile, by, stage, dt, at);
    case Form::chebyshev:
      return advance_as<Form::chebyshev, kappa>(tile, by, stage, dt, at);
  }
}

void advance(const Tile& tile, const Diffusion& by, const Stage& stage, double dt, const Fields& at) {
  if (by.source == nullptr) return advance_with<Kappa::constant>(tile, by, stage, dt, at);
  advance_with<Kappa::given>(tile, by, stage, dt, at);
}

}  // namespace

template <class>
Loops loops_of() noexcept {
  return {&advance};
}
template Loops loops_of<Isa>() noexcept;

}  // namespace tacit::heat::kernels
