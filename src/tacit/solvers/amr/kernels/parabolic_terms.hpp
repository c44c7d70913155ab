// Parabolas in cells as formulas over packs of any width: values at faces, their limiters, what keeps them positive.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "tacit/solvers/amr/kernels/parabolic.hpp"
#include "tacit/solvers/amr/kernels/scalar_terms.hpp"

namespace tacit::amr::kernels {
// Included by files that are compiled once per instruction set: nothing here may be visible to the linker.
namespace {

/// Of a cell: its mean, and what the parabola has beyond it at the faces below and above.
template <class P>
struct Parabola {
  P mean, low, high;
};

/// How much larger a second difference may be than those around it.
inline constexpr double curvature_ratio = 1.25;

/// `x` where all have its sign, but no more than `bound`; else 0.
template <class P>
[[gnu::always_inline]] inline P bounded(const P& x, const P& a, const P& b, const P& bound) {
  const P size = min(absolute(x), bound);
  const P zero(0.0);
  const auto rises = (x > zero) & (a > zero) & (b > zero);
  const auto falls = (x < zero) & (a < zero) & (b < zero);
  return select(rises, size, select(falls, -size, zero));
}

/// Between b and c, from four cells in a row. Where it is not between them its curvature is limited.
///
///     q = 7/12 (b + c) - 1/12 (a + d)
///
/// @see Colella & Sekora (2008), J. Comput. Phys. 227, 7069, eqs. (16) to (18), with the third of eq. (18) a sixth, as
///      the second difference of eq. (17) asks for
template <class P>
[[gnu::always_inline]] inline P face_value(const P& a, const P& b, const P& c, const P& d) {
  const P q = P(7.0 / 12.0) * (b + c) - P(1.0 / 12.0) * (a + d);
  const auto is_outside = (q - b) * (c - q) < P(0.0);
  if (!any(is_outside)) [[likely]]
    return q;
  const P curvature = P(3.0) * ((b + c) - P(2.0) * q);
  const P below = (a + c) - P(2.0) * b;
  const P above = (b + d) - P(2.0) * c;
  const P most = P(curvature_ratio) * min(absolute(below), absolute(above));
  return select(is_outside, P(0.5) * (b + c) - P(1.0 / 6.0) * bounded(curvature, below, above, most), q);
}

/// Of cell c, from five in a row and the values at its faces. At extrema the parabola is as curved as the cells around
/// are, where these agree; elsewhere it has none in the cell.
/// @see Colella & Sekora (2008), eqs. (20) to (25); McCorquodale & Colella (2011), Commun. Appl. Math. Comput. Sci. 6,
/// 1,
///      section 2.4.1, but for the third differences, which ask for one more cell
template <class P>
[[gnu::always_inline]] inline Parabola<P> limited(const P& a, const P& b, const P& c, const P& d, const P& e,
                                                  const P& at_low, const P& at_high) {
  const P low = at_low - c;
  const P high = at_high - c;
  const P zero(0.0);
  const auto is_extremum = (low * high >= zero) | ((d - c) * (c - b) <= zero);
  const P low_size = absolute(low);
  const P high_size = absolute(high);
  Parabola<P> result{c, select(low_size > P(2.0) * high_size, P(-2.0) * high, low),
                     select(high_size > P(2.0) * low_size, P(-2.0) * low, high)};
  if (!any(is_extremum)) [[likely]]
    return result;
  const P curvature = P(6.0) * (low + high);
  const P here = (b + d) - P(2.0) * c;
  const P below = (a + c) - P(2.0) * b;
  const P above = (c + e) - P(2.0) * d;
  const P most = P(curvature_ratio) * min(absolute(here), min(absolute(below), absolute(above)));
  // `here` has the sign of the others or there is none.
  const P kept = bounded(curvature, below, above, select(here * curvature > zero, most, zero));
  const P share = kept / select(curvature == zero, P(1.0), curvature);
  result.low = select(is_extremum, share * low, result.low);
  result.high = select(is_extremum, share * high, result.high);
  return result;
}

/// A cell is a third of each of the states at its faces, and of 3 q - q_low - q_high: shrinks the parabola of what is
/// positive until these three are.
template <class P>
[[gnu::always_inline]] inline void keep_positive(Parabola<P>& of) {
  const P taken = max(max(-of.low, -of.high), of.low + of.high);
  const P most = P(0.99) * of.mean;
  const auto is_too_much = taken > most;
  if (!any(is_too_much)) [[likely]]
    return;
  const P share = select(is_too_much, most / select(is_too_much, taken, P(1.0)), P(1.0));
  of.low *= share;
  of.high *= share;
}

/// No value at a face is beyond both cells there.
template <class P>
[[gnu::always_inline]] inline void keep_between(Parabola<P>& of, const P& below, const P& above) {
  const P zero(0.0);
  const P to_below = below - of.mean;
  const P to_above = above - of.mean;
  of.low = max(min(of.low, max(to_below, zero)), min(to_below, zero));
  of.high = max(min(of.high, max(to_above, zero)), min(to_above, zero));
}

/// Parabolas of the cells of a pencil, one after the other.
template <class P>
struct ParabolaWalk {
  const double* first = nullptr;  ///< two cells below the next one
  std::size_t next = 0;
  P face{};  ///< the value below it

  ParabolaWalk() = default;
  [[gnu::always_inline]] ParabolaWalk(const double* pencil, std::size_t step)
      : first(pencil), next(step), face(face_value(cell(0), cell(1), cell(2), cell(3))) {}
  [[gnu::always_inline]] P cell(std::size_t k) const { return P::load(first + k * next); }
  [[gnu::always_inline]] Parabola<P> take() {
    const P b = cell(1);
    const P c = cell(2);
    const P d = cell(3);
    const P e = cell(4);
    const P high = face_value(b, c, d, e);
    const Parabola<P> result = limited(cell(0), b, c, d, e, face, high);
    face = high;
    first += next;
    return result;
  }
};

/// The states at the faces of a cell.
template <class P>
struct FaceStates {
  State<P> low, high;
};

/// Shortens what velocities have beyond the cell where all three thirds of it (see above) could not have a pressure:
///
///     p* / (gamma - 1) = (3 p - p_low - p_high) / (gamma - 1)
///                        - [rho_low d_low^2 + rho_high d_high^2 + (rho_low d_low + rho_high d_high)^2 / rho*] / 2
///
/// with d what is beyond. For linear states these are the formulas of gas_terms.hpp.
/// @see Berthon (2006), J. Comput. Phys. 218, 495
template <class P>
[[gnu::always_inline]] inline FaceStates<P> states_of(const Parabola<P>& rho, Parabola<P>& u, Parabola<P>& v,
                                                      Parabola<P>& w, const Parabola<P>& p, double gamma) {
  const P rho_low = rho.mean + rho.low;
  const P rho_high = rho.mean + rho.high;
  const auto both = [&](const Parabola<P>& of) __attribute__((always_inline)) {
    const P m = rho_low * of.low + rho_high * of.high;
    return (rho_low * (of.low * of.low) + rho_high * (of.high * of.high)) + m * m / (rho.mean - (rho.low + rho.high));
  };
  const P taken = P(0.5 * (gamma - 1.0)) * (both(u) + (both(v) + both(w)));
  const P heat = p.mean - (p.low + p.high);
  const auto is_too_much = taken > heat;
  if (any(is_too_much)) [[unlikely]] {
    const P share = select(is_too_much, sqrt(heat / select(is_too_much, taken, P(1.0))), P(1.0));
    for (Parabola<P>* const of : {&u, &v, &w}) {
      of->low *= share;
      of->high *= share;
    }
  }
  return {.low = {rho_low, u.mean + u.low, v.mean + v.low, w.mean + w.low, p.mean + p.low},
          .high = {rho_high, u.mean + u.high, v.mean + v.high, w.mean + w.high, p.mean + p.high}};
}

/// Both sides of the faces of a pencil, one after the other: as LinearFaces.
template <class P>
struct ParabolicFaces {
  static constexpr std::size_t ghosts = parabolic_ghosts;

  ParabolicFaces() = default;
  [[gnu::always_inline]] ParabolicFaces(const double* pencil, std::size_t step, Keep keep)
      : walk(pencil, step), kept(keep), before(take_cell()) {}
  [[gnu::always_inline]] Sides<P> take() {
    const Parabola<P> here = take_cell();
    const Sides<P> sides{before.mean + before.high, here.mean + here.low};
    before = here;
    return sides;
  }

 private:
  [[gnu::always_inline]] Parabola<P> take_cell() {
    Parabola<P> of = walk.take();
    if (kept == Keep::positive) {
      keep_positive(of);
    } else {
      keep_between(of, walk.cell(0), walk.cell(2));  // the walk stands one cell further now
    }
    return of;
  }
  ParabolaWalk<P> walk{};
  Keep kept = Keep::positive;
  Parabola<P> before{};
};

}  // namespace
}  // namespace tacit::amr::kernels
