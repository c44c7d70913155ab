// Fluxes of what the gas carries, for any reconstruction, as formulas over packs of any width.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "tacit/solvers/amr/kernels/riemann_terms.hpp"

namespace tacit::amr::kernels {
// Included by files that are compiled once per instruction set: nothing here may be visible to the linker.
namespace {

/// What a reconstruction is to keep of a number: above 0, or between the cells at a face.
enum class Keep { positive, between };

/// Both states at a face of a number.
template <class P>
struct Sides {
  P left, right;
};

/// Both sides of the faces of a pencil, one after the other, by limited slopes: these keep a number between its
/// neighbours, so also above 0.
template <Limiter limiter, class P>
struct LinearFaces {
  static constexpr std::size_t ghosts = kernels::ghosts;
  const double* first = nullptr;  ///< two cells below the next face
  std::size_t next = 0;
  LinearFaces() = default;
  [[gnu::always_inline]] LinearFaces(const double* pencil, std::size_t step, Keep /*keep*/)
      : first(pencil), next(step) {}
  [[gnu::always_inline]] Sides<P> take() {
    const P a = P::load(first);
    const P b = P::load(first + next);
    const P c = P::load(first + 2 * next);
    const P d = P::load(first + 3 * next);
    first += next;
    const P middle = c - b;
    return {b + P(0.5) * slope_of<limiter>(b - a, middle), c - P(0.5) * slope_of<limiter>(middle, d - c)};
  }
};

template <class Faces, class P>
[[gnu::always_inline]] inline void sweep_energy(double gamma, const Fields& fields, const Pencils& pencils,
                                                std::size_t lane) {
  constexpr std::size_t place = Fields::internal_energy();
  const std::size_t next = pencils.lanes;
  const double* const e = pencils.primitive.of(place) + lane;
  Faces faces_of_rho(pencils.primitive.of(0) + lane, next, Keep::positive);
  Faces faces_of_e(e, next, Keep::positive);
  P flux_before(0.0);
  P u_before(0.0);
  for (std::size_t face = 0; face <= pencils.cells; ++face) {
    const P m = P::load(pencils.mass + face * next + lane);
    const auto is_left = m >= P(0.0);
    const Sides<P> of_rho = faces_of_rho.take();
    const Sides<P> of_e = faces_of_e.take();
    const P u = m / select(is_left, of_rho.left, of_rho.right);
    const P flux = u * select(is_left, of_e.left, of_e.right);
    if (face == 0) {
      if (pencils.low.first != nullptr) flux.store(pencils.low.of(place) + lane);
    } else {
      const std::size_t cell = face - 1;
      const std::size_t i = cell * next + lane;
      const P p = P(gamma - 1.0) * P::load(e + (cell + Faces::ghosts) * next);
      (P(pencils.scale) * ((flux_before - flux) + p * (u_before - u))).store(pencils.rate.of(place) + i);
      absolute(u - u_before).store(pencils.rate.of(fields.count()) + i);
    }
    flux_before = flux;
    u_before = u;
  }
  if (pencils.high.first != nullptr) flux_before.store(pencils.high.of(place) + lane);
}

/// With the states at a face divided by their sum: limiters do not keep it, and the species are all that there is.
template <class Faces, class P>
[[gnu::always_inline]] inline void sweep_species(const Fields& fields, const Pencils& pencils, std::size_t lane) {
  const std::size_t next = pencils.lanes;
  Faces faces[most_species];
  for (std::size_t k = 0; k < fields.species; ++k)
    faces[k] = Faces(pencils.primitive.of(fields.first_species() + k) + lane, next, Keep::between);
  P before[most_species];
  for (std::size_t face = 0; face <= pencils.cells; ++face) {
    const std::size_t i = face * next + lane;
    const P m = P::load(pencils.mass + i);
    const auto is_left = m >= P(0.0);
    P flux[most_species];
    P sum(0.0);
    for (std::size_t k = 0; k < fields.species; ++k) {
      const Sides<P> sides = faces[k].take();
      flux[k] = select(is_left, sides.left, sides.right);
      sum += flux[k];
    }
    const P share = m / select(sum > P(0.0), sum, P(1.0));
    for (std::size_t k = 0; k < fields.species; ++k) {
      const std::size_t place = fields.first_species() + k;
      flux[k] *= share;
      if (face == 0) {
        if (pencils.low.first != nullptr) flux[k].store(pencils.low.of(place) + lane);
      } else {
        (P(pencils.scale) * (before[k] - flux[k])).store(pencils.rate.of(place) + (i - next));
        if (face == pencils.cells && pencils.high.first != nullptr) flux[k].store(pencils.high.of(place) + lane);
      }
      before[k] = flux[k];
    }
  }
}

}  // namespace
}  // namespace tacit::amr::kernels
