// The loops over the coarse lattice; compiled once per instruction set, which TACIT_ISA names.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/multigrid/coarse_loops.hpp"

#include "tacit/base/pack.hpp"

namespace tacit::qcd::multigrid {
// Nothing here may be visible to the linker but what carries the instruction set in its name.
namespace {

using Isa = base::isa::TACIT_ISA;
using P = base::Pack<float, Isa>;

constexpr std::size_t lanes = P::width;
constexpr std::size_t packs = coarse_lanes / lanes;
static_assert(packs * lanes == coarse_lanes);

/// Complex numbers in coarse_lanes lanes.
struct Wide {
  P re[packs];
  P im[packs];
};

[[gnu::always_inline]] inline Wide zero() {
  Wide value;
  for (std::size_t p = 0; p < packs; ++p) value.re[p] = value.im[p] = P(0);
  return value;
}

/// Rows [row, row + coarse_lanes) of a vector or column.
[[gnu::always_inline]] inline Wide load(const float* from, std::size_t rows, std::size_t row) {
  Wide value;
  for (std::size_t p = 0; p < packs; ++p) {
    value.re[p] = P::load(from + row + p * lanes);
    value.im[p] = P::load(from + rows + row + p * lanes);
  }
  return value;
}

[[gnu::always_inline]] inline void store(const Wide& value, float* to, std::size_t rows, std::size_t row) {
  for (std::size_t p = 0; p < packs; ++p) {
    value.re[p].store(to + row + p * lanes);
    value.im[p].store(to + rows + row + p * lanes);
  }
}

/// sum <- sum + a (re + i im)
[[gnu::always_inline]] inline void add_times(const Wide& a, float re, float im, Wide& sum) {
  const P x(re);
  const P y(im);
  for (std::size_t p = 0; p < packs; ++p) {
    sum.re[p] += a.re[p] * x - a.im[p] * y;
    sum.im[p] += a.re[p] * y + a.im[p] * x;
  }
}

/// sum <- sum + a* b
[[gnu::always_inline]] inline void add_conjugate_times(const Wide& a, const Wide& b, Wide& sum) {
  for (std::size_t p = 0; p < packs; ++p) {
    sum.re[p] += a.re[p] * b.re[p] + a.im[p] * b.im[p];
    sum.im[p] += a.re[p] * b.im[p] - a.im[p] * b.re[p];
  }
}

/// Of all lanes, in pairs of those that are half of them apart.
[[gnu::always_inline]] inline void total(const Wide& sum, float* re, float* im) {
  alignas(64) float all[2 * coarse_lanes];
  store(sum, all, coarse_lanes, 0);
  for (std::size_t half = coarse_lanes / 2; half > 0; half /= 2) {
    for (std::size_t i = 0; i < half; ++i) {
      all[i] += all[i + half];
      all[coarse_lanes + i] += all[coarse_lanes + i + half];
    }
  }
  *re = all[0];
  *im = all[coarse_lanes];
}

/// Vectors whose sums fit into registers beside a column of A.
constexpr std::size_t at_once = packs == 1 ? 4 : packs == 2 ? 2 : 1;

template <std::size_t count>
void multiply_some(const CoarseShape& shape, const float* a, const float* const* x, float* const* y) {
  const std::size_t rows = shape.rows;
  for (std::size_t row = 0; row < rows; row += coarse_lanes) {
    Wide sums[count];
    for (Wide& sum : sums) sum = zero();
    for (std::size_t column = 0; column < shape.width; ++column) {
      const Wide of_a = load(a + 2 * rows * column, rows, row);
      for (std::size_t v = 0; v < count; ++v) add_times(of_a, x[v][column], x[v][rows + column], sums[v]);
    }
    for (std::size_t v = 0; v < count; ++v) store(sums[v], y[v], rows, row);
  }
}

template <std::size_t count>
void multiply_back_some(const CoarseShape& shape, const float* a, const float* const* x, float* const* y) {
  const std::size_t rows = shape.rows;
  // Lanes alternate as rows do: the sign of a product is that of its lane, and of its column.
  alignas(64) float signs[coarse_lanes];
  for (std::size_t lane = 0; lane < coarse_lanes; ++lane) signs[lane] = lane % 2 == 0 ? 1.0F : -1.0F;
  for (std::size_t column = 0; column < shape.width; ++column) {
    const float* const from = a + 2 * rows * column;
    Wide sums[count];
    for (Wide& sum : sums) sum = zero();
    for (std::size_t row = 0; row < rows; row += coarse_lanes) {
      const Wide of_a = load(from, rows, row);
      for (std::size_t v = 0; v < count; ++v) add_conjugate_times(of_a, load(x[v], rows, row), sums[v]);
    }
    for (std::size_t v = 0; v < count; ++v) {
      for (std::size_t p = 0; p < packs; ++p) {
        const P sign = P::load(signs + p * lanes);
        sums[v].re[p] = sums[v].re[p] * sign;
        sums[v].im[p] = sums[v].im[p] * sign;
      }
      float re = 0.0F;
      float im = 0.0F;
      total(sums[v], &re, &im);
      y[v][column] = column % 2 == 0 ? re : -re;
      y[v][rows + column] = column % 2 == 0 ? im : -im;
    }
  }
  for (std::size_t v = 0; v < count; ++v) {
    for (std::size_t row = shape.width; row < rows; ++row) y[v][row] = y[v][rows + row] = 0.0F;
  }
}

void multiply_all(const CoarseShape& shape, const float* a, const float* const* x, float* const* y, std::size_t count) {
  std::size_t v = 0;
  for (; v + at_once <= count; v += at_once) multiply_some<at_once>(shape, a, x + v, y + v);
  for (; v < count; ++v) multiply_some<1>(shape, a, x + v, y + v);
}

void multiply_back_all(const CoarseShape& shape, const float* a, const float* const* x, float* const* y,
                       std::size_t count) {
  std::size_t v = 0;
  for (; v + at_once <= count; v += at_once) multiply_back_some<at_once>(shape, a, x + v, y + v);
  for (; v < count; ++v) multiply_back_some<1>(shape, a, x + v, y + v);
}

void multiply(const CoarseShape& shape, const float* a, const float* x, float* y) {
  multiply_some<1>(shape, a, &x, &y);
}

void multiply_back(const CoarseShape& shape, const float* a, const float* x, float* y) {
  multiply_back_some<1>(shape, a, &x, &y);
}

void dots(const CoarseShape& shape, const float* const* v, std::size_t count, const float* w, float* sums) {
  const std::size_t rows = shape.rows;
  for (std::size_t k = 0; k < count; ++k) {
    Wide sum = zero();
    for (std::size_t row = 0; row < rows; row += coarse_lanes) {
      add_conjugate_times(load(v[k], rows, row), load(w, rows, row), sum);
    }
    total(sum, sums + 2 * k, sums + 2 * k + 1);
  }
}

void add(const CoarseShape& shape, const float* const* v, const float* factors, std::size_t count, float* w) {
  const std::size_t rows = shape.rows;
  for (std::size_t row = 0; row < rows; row += coarse_lanes) {
    Wide sum = load(w, rows, row);
    for (std::size_t k = 0; k < count; ++k) add_times(load(v[k], rows, row), factors[2 * k], factors[2 * k + 1], sum);
    store(sum, w, rows, row);
  }
}

}  // namespace

template <class>
CoarseLoops coarse_loops_of() noexcept {
  return {lanes, &multiply, &multiply_back, &multiply_all, &multiply_back_all, &dots, &add};
}
template CoarseLoops coarse_loops_of<Isa>() noexcept;

}  // namespace tacit::qcd::multigrid
