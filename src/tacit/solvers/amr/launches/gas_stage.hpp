// A stage of a sub-grid of gas as a kernel of a team.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "tacit/base/pack.hpp"
#include "tacit/gpu/kernel.hpp"
#include "tacit/solvers/amr/kernels/gas_terms.hpp"

namespace tacit::amr {

/// What lies beyond a side of a sub-grid.
struct SideOnDevice {
  const double* layers = nullptr;  ///< shape (variables, ghosts, lanes): conserved; null: the domain ends here
  bool turns = false;              ///< then: the wall reflects, else the gas goes on beyond
  double* kept = nullptr;          ///< shape (variables, lanes): fluxes through the side; null: they are not wanted
};

/// All that a stage reads and writes, in memory of a device. A field of a sub-grid has `cells` numbers.
struct GasStageArguments {
  std::size_t n[3] = {1, 1, 1};
  std::size_t dimensions = 3;
  double scale[3] = {};  ///< 1 / dx
  double gamma = 1.4;
  double dt = 0.0;
  bool is_first = true;
  const double* U = nullptr;     ///< shape (variables, cells), as the next three
  const double* base = nullptr;  ///< of the second stage
  double* out = nullptr;
  double* rate = nullptr;       ///< for the kernel alone, as all below
  double* primitive = nullptr;  ///< shape (variables, cells)
  double* pencils = nullptr;    ///< shape (variables, cells + 2 ghosts lanes)
  double* fluxes = nullptr;     ///< shape (variables, cells + lanes), through the faces of an axis
  SideOnDevice sides[3][2] = {};

  [[nodiscard]] TACIT_HOST_DEVICE std::size_t cells() const noexcept { return n[0] * n[1] * n[2]; }
  [[nodiscard]] TACIT_HOST_DEVICE std::size_t lanes(std::size_t axis) const noexcept { return cells() / n[axis]; }
};

/// A block is the whole sub-grid. Every number is computed by the formulas of the vector loops from the same numbers,
/// so the bits are theirs; fluxes are computed once for each face.
template <kernels::Limiter limiter, kernels::Riemann riemann>
struct GasStage {
  static constexpr std::string_view name = "gas stage";
  GasStageArguments a;

  template <class Team>
  TACIT_HOST_DEVICE void operator()(Team& team, std::size_t /*block*/) const {
    using P = base::Pack<double, typename Team::Isa>;
    const std::size_t cells = a.cells();
    team.each(cells, [&](std::size_t i) {
      kernels::primitive_of<P>(a.gamma, kernels::Variables<const double>{a.U, cells},
                               kernels::Variables<double>{a.primitive, cells}, i);
    });
    for (std::size_t axis = 0; axis < a.dimensions; ++axis) {
      const Pencils along(a, axis);
      team.each((along.cells + 2 * kernels::ghosts) * along.lanes, [&](std::size_t i) { along.template fill<P>(i); });
      team.each((along.cells + 1) * along.lanes, [&](std::size_t i) { along.template find_flux<P>(i); });
      team.each(cells, [&](std::size_t i) { along.template add_rate<P>(i); });
    }
    team.each(kernels::variables * cells, [&](std::size_t i) {
      const kernels::Update by{.cells = cells,
                               .U = {a.U, cells},
                               .base = {a.base, cells},
                               .rate = {a.rate, cells},
                               .out = {a.out, cells},
                               .dt = a.dt};
      if (a.is_first) {
        kernels::update_cells<kernels::Stage::first, P>(by, i / cells, i % cells);
      } else {
        kernels::update_cells<kernels::Stage::second, P>(by, i / cells, i % cells);
      }
    });
  }

 private:
  /// The sub-grid along an axis: cell c of a lane is at c lanes + lane in pencils, ghosts counted.
  struct Pencils {
    const GasStageArguments& a;
    std::size_t axis;
    std::size_t cells;
    std::size_t lanes;
    std::size_t of_pencils;  ///< numbers of a variable
    std::size_t of_fluxes;
    std::size_t next = 1;                   ///< in the sub-grid, along the axis
    std::size_t across = 1;                 ///< cells along the faster one of the others
    std::size_t next_across[2] = {};        ///< along the others, the faster one first
    std::size_t order[kernels::variables];  ///< the velocity along the axis first, the others in their cyclic order

    TACIT_HOST_DEVICE Pencils(const GasStageArguments& of, std::size_t along)
        : a(of),
          axis(along),
          cells(of.n[along]),
          lanes(of.lanes(along)),
          of_pencils(of.cells() + 2 * kernels::ghosts * lanes),
          of_fluxes(of.cells() + lanes),
          order{0, 1 + along, 1 + (along + 1) % 3, 1 + (along + 2) % 3, 4} {
      std::size_t stride = 1;
      std::size_t other = 0;
      for (std::size_t d = 0; d < 3; ++d) {
        if (d == along) {
          next = stride;
        } else {
          if (other == 0) across = a.n[d];
          next_across[other++] = stride;
        }
        stride *= a.n[d];
      }
    }

    [[nodiscard]] TACIT_HOST_DEVICE std::size_t place(std::size_t cell, std::size_t lane) const {
      return cell * next + lane % across * next_across[0] + lane / across * next_across[1];
    }

    /// Primitive variables of a cell of a pencil: own, of the sub-grid beside, or what the end of the domain says.
    template <class P>
    TACIT_HOST_DEVICE void fill(std::size_t i) const {
      using kernels::ghosts;
      const std::size_t layer = i / lanes;
      const std::size_t lane = i % lanes;
      const bool is_low = layer < ghosts;
      const bool is_ghost = is_low || layer >= cells + ghosts;
      const SideOnDevice& side = a.sides[axis][is_low ? 0 : 1];
      if (is_ghost && side.layers != nullptr) {
        // The layers of the sub-grid beside have the places of ghosts, from 0 on.
        const std::size_t beside = is_low ? i : i - (cells + ghosts) * lanes;
        const kernels::Variables<const double> from{side.layers, ghosts * lanes};
        const kernels::Variables<double> to{a.pencils + (i - beside), of_pencils};
        return kernels::primitive_of<P>(a.gamma, from, to, beside);
      }
      std::size_t cell = layer - ghosts;
      if (is_ghost) {
        const std::size_t depth = is_low ? ghosts - 1 - layer : layer - cells - ghosts;
        const std::size_t inner = side.turns ? depth : 0;
        cell = is_low ? inner : cells - 1 - inner;
      }
      for (std::size_t k = 0; k < kernels::variables; ++k) {
        const P value = P::load(a.primitive + k * a.cells() + place(cell, lane));
        const bool is_turned = is_ghost && side.turns && k == 1 + axis;
        (is_turned ? -value : value).store(a.pencils + k * of_pencils + i);
      }
    }

    template <class P>
    [[nodiscard]] TACIT_HOST_DEVICE kernels::State<P> state(std::size_t i) const {
      const auto of = [&](std::size_t k) { return P::load(a.pencils + order[k] * of_pencils + i); };
      return {of(0), of(1), of(2), of(3), of(4)};
    }

    /// Through face i / lanes, between the cells before and behind it.
    template <class P>
    TACIT_HOST_DEVICE void find_flux(std::size_t i) const {
      const kernels::State<P> c0 = state<P>(i);
      const kernels::State<P> c1 = state<P>(i + lanes);
      const kernels::State<P> c2 = state<P>(i + 2 * lanes);
      const kernels::State<P> c3 = state<P>(i + 3 * lanes);
      const kernels::State<P> left = kernels::plus(c1, kernels::half_slopes<limiter>(c0, c1, c2, a.gamma));
      const kernels::State<P> right = kernels::minus(c2, kernels::half_slopes<limiter>(c1, c2, c3, a.gamma));
      const kernels::Flux<P> flux = kernels::flux_between<riemann>(left, right, a.gamma);
      const P values[kernels::variables] = {flux.rho, flux.u, flux.v, flux.w, flux.E};
      const std::size_t face = i / lanes;
      for (std::size_t k = 0; k < kernels::variables; ++k) {
        values[k].store(a.fluxes + order[k] * of_fluxes + i);
        for (std::size_t s = 0; s < 2; ++s) {
          double* const kept = a.sides[axis][s].kept;
          if (kept != nullptr && face == s * cells) values[k].store(kept + order[k] * lanes + i % lanes);
        }
      }
    }

    /// What the faces before and behind a cell change in it.
    template <class P>
    TACIT_HOST_DEVICE void add_rate(std::size_t i) const {
      const P scale(a.scale[axis]);
      const std::size_t cell = place(i / lanes, i % lanes);
      for (std::size_t k = 0; k < kernels::variables; ++k) {
        const double* const F = a.fluxes + k * of_fluxes + i;
        double* const rate = a.rate + k * a.cells() + cell;
        const P change = scale * (P::load(F) - P::load(F + lanes));
        (axis == 0 ? change : P::load(rate) + change).store(rate);
      }
    }
  };
};

/// Its form for the limiter and the Riemann solver of a run.
/// @param use  called with a kernel
template <class Use>
void with_gas_stage(kernels::Limiter limiter, kernels::Riemann riemann, const GasStageArguments& arguments,
                    const Use& use) {
  using kernels::Limiter;
  using kernels::Riemann;
  const auto with = [&]<Limiter by>() {
    if (riemann == Riemann::hll) return use(GasStage<by, Riemann::hll>{arguments});
    return use(GasStage<by, Riemann::hllc>{arguments});
  };
  switch (limiter) {
    case Limiter::minmod:
      return with.template operator()<Limiter::minmod>();
    case Limiter::van_leer:
      return with.template operator()<Limiter::van_leer>();
    case Limiter::monotonised_central:
      return with.template operator()<Limiter::monotonised_central>();
  }
}

}  // namespace tacit::amr

namespace tacit::gpu {

template <>
[[nodiscard]] StartOnDevice
code_on_device<amr::GasStage<amr::kernels::Limiter::minmod, amr::kernels::Riemann::hll>>() noexcept;
template <>
[[nodiscard]] StartOnDevice
code_on_device<amr::GasStage<amr::kernels::Limiter::minmod, amr::kernels::Riemann::hllc>>() noexcept;
template <>
[[nodiscard]] StartOnDevice
code_on_device<amr::GasStage<amr::kernels::Limiter::van_leer, amr::kernels::Riemann::hll>>() noexcept;
template <>
[[nodiscard]] StartOnDevice
code_on_device<amr::GasStage<amr::kernels::Limiter::van_leer, amr::kernels::Riemann::hllc>>() noexcept;
template <>
[[nodiscard]] StartOnDevice
code_on_device<amr::GasStage<amr::kernels::Limiter::monotonised_central, amr::kernels::Riemann::hll>>() noexcept;
template <>
[[nodiscard]] StartOnDevice
code_on_device<amr::GasStage<amr::kernels::Limiter::monotonised_central, amr::kernels::Riemann::hllc>>() noexcept;

}  // namespace tacit::gpu
