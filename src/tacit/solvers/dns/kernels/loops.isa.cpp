// The pointwise loops of a substage; compiled once per instruction set, which TACIT_ISA names.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/dns/kernels/loops.hpp"

#include "tacit/base/pack.hpp"
#include "tacit/solvers/dns/kernels/row_terms.hpp"

namespace tacit::dns::kernels {
// Nothing here may be visible to the linker but what carries the instruction set in its name.
namespace {

using Isa = base::isa::TACIT_ISA;

using Wide = base::Pack<double, Isa>;
using Single = base::Pack<double, base::isa::scalar>;

// Packs say what compilers do not see: with so many pointers they give up proving that none overlap. Each number is
// computed alone, by the same formula at the ends of rows, so that all sets give bitwise identical results.

/// Calls `body` for all of n numbers, as many at once as fit, with a type that loads and stores them, and its own
/// largest value so far.
/// @return  the largest of all
template <class Body>
[[gnu::always_inline]] inline double largest_over(std::size_t n, Body body) noexcept {
  Wide largest(0.0);
  std::size_t i = 0;
  for (; i + Wide::width <= n; i += Wide::width) body(i, largest);
  Single last(largest_of(largest));
  for (; i < n; ++i) body(i, last);
  return last.value();
}

template <class P>
[[gnu::always_inline]] inline P size(const P& x) noexcept {
  return max(x, P(0.0) - x);
}

/// The first operand of max is dropped where it is not a number, as a comparison would.
template <class P>
[[gnu::always_inline]] inline void raise(P& largest, const P& u, const P& v, const P& w, const double* rate) noexcept {
  largest = max(size(u) * P(rate[0]) + size(v) * P(rate[1]) + size(w) * P(rate[2]), largest);
}

double stress(std::size_t n, const double* const* velocity, double* const* out, const double* rate) {
  return largest_over(n, [=]<class P>(std::size_t i, P& largest) {
    const P u = P::load(velocity[0] + i);
    const P v = P::load(velocity[1] + i);
    const P w = P::load(velocity[2] + i);
    const P ww = w * w;
    (u * u - ww).store(out[0] + i);
    (v * v - ww).store(out[1] + i);
    (u * w).store(out[2] + i);
    (v * w).store(out[3] + i);
    (u * v).store(out[4] + i);
    raise(largest, u, v, w, rate);
  });
}

double lamb(std::size_t n, const double* const* in, double* const* out, const double* rate) {
  return largest_over(n, [=]<class P>(std::size_t i, P& largest) {
    const P u = P::load(in[0] + i);
    const P v = P::load(in[1] + i);
    const P w = P::load(in[2] + i);
    const P ox = P::load(in[3] + i);
    const P oy = P::load(in[4] + i);
    const P oz = P::load(in[5] + i);
    (v * oz - w * oy).store(out[0] + i);
    (w * ox - u * oz).store(out[1] + i);
    (u * oy - v * ox).store(out[2] + i);
    raise(largest, u, v, w, rate);
  });
}

void mix_stress(std::size_t rows, const double* kx, const double* ky, double* const* lines) {
  for (std::size_t row = 0; row < rows; ++row) {
    const Wide k(ky[row]);
    for (std::size_t j = 0; j < 2 * width; j += Wide::width) {
      const std::size_t i = row * 2 * width + j;
      const Wide along_x = Wide::load(kx + j);
      const Wide xy = Wide::load(lines[4] + i);
      (along_x * Wide::load(lines[0] + i) + k * xy).store(lines[0] + i);
      (along_x * xy + k * Wide::load(lines[1] + i)).store(lines[1] + i);
    }
  }
}

template <Form form, Substage substage, std::size_t fixed>
void advance_rows(const ColumnNumbers& at, const RowNumbers& rows, const double* const* lines, const Modes3& u,
                  const Modes3& base, const Modes3& acc) noexcept {
  Row f;
  for (std::size_t row = 0; row < rows.rows; ++row) {
    right_side<form, fixed>(at, rows.kz[row], rows.radius2[row], lines, rows.first_place + row, f);
    const std::size_t offset = (rows.first_row + row) * at.stride;
    const Decay decay{at.decay, at.half_decay, rows.decay[row], rows.half_decay[row]};
    advance_row<substage, fixed>(at, decay, f.x, u.x + offset, base.x + offset, acc.x + offset);
    advance_row<substage, fixed>(at, decay, f.y, u.y + offset, base.y + offset, acc.y + offset);
    advance_row<substage, fixed>(at, decay, f.z, u.z + offset, base.z + offset, acc.z + offset);
  }
}

template <Form form, Substage substage>
void advance_as(const ColumnNumbers& at, const RowNumbers& rows, const double* const* lines, const Modes3& u,
                const Modes3& base, const Modes3& acc) noexcept {
  if (at.columns == width) {
    advance_rows<form, substage, 2 * width>(at, rows, lines, u, base, acc);
  } else {
    advance_rows<form, substage, 0>(at, rows, lines, u, base, acc);
  }
}

template <Form form>
void advance(Substage substage, const ColumnNumbers& at, const RowNumbers& rows, const double* const* lines,
             const Modes3& u, const Modes3& base, const Modes3& acc) {
  switch (substage) {
    case Substage::rk2_first:
      return advance_as<form, Substage::rk2_first>(at, rows, lines, u, base, acc);
    case Substage::rk4_first:
      return advance_as<form, Substage::rk4_first>(at, rows, lines, u, base, acc);
    case Substage::rk4_second:
      return advance_as<form, Substage::rk4_second>(at, rows, lines, u, base, acc);
    case Substage::rk4_third:
      return advance_as<form, Substage::rk4_third>(at, rows, lines, u, base, acc);
    case Substage::rk2_last:
      return advance_as<form, Substage::rk2_last>(at, rows, lines, u, base, acc);
    case Substage::rk4_last:
      return advance_as<form, Substage::rk4_last>(at, rows, lines, u, base, acc);
  }
}

}  // namespace

template <class>
Loops loops_of() noexcept {
  return {&stress, &lamb, &mix_stress, &advance<Form::stress>, &advance<Form::lamb>};
}
template Loops loops_of<Isa>() noexcept;

}  // namespace tacit::dns::kernels
