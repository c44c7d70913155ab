// The loops over blocks of 2^4 sites; compiled once per instruction set, which TACIT_ISA names.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/multigrid/block_loops.hpp"

#include "tacit/base/pack.hpp"
#include "tacit/solvers/qcd/kernels/half_spinor.hpp"

namespace tacit::qcd::multigrid {
// Nothing here may be visible to the linker but what carries the instruction set in its name.
namespace {

using namespace kernels::packs;

using Isa = base::isa::TACIT_ISA;
using P = base::Pack<float, Isa>;
using Value = Number<P>;

constexpr std::size_t width = P::width;
constexpr std::size_t spinor = kernels::spinor_numbers * width;
constexpr std::size_t half_block = 8;
constexpr std::size_t complex_numbers = 12;  // of a spinor

/// Site c of a block: of its parity, which is that of the bits of c, the (c / 2)-th.
std::size_t site_of(std::size_t block, std::size_t c, std::size_t first_odd) {
  const bool is_odd = ((c ^ c >> 1U ^ c >> 2U ^ c >> 3U) & 1U) != 0;
  return (is_odd ? first_odd : 0) + block * half_block + (c >> 1U);
}

/// The spinors of a block, [site][number][lane].
struct alignas(64) BlockField {
  float numbers[block_sites * spinor];
};

void load_field(const float* field, std::size_t block, std::size_t first_odd, BlockField& to) {
  for (std::size_t c = 0; c < block_sites; ++c) {
    const float* const from = field + site_of(block, c, first_odd) * spinor;
    for (std::size_t i = 0; i < spinor; i += width) P::load(from + i).store(to.numbers + c * spinor + i);
  }
}

/// Adds the neighbour along an axis that is in the block.
template <int mu>
[[gnu::always_inline]] inline void add_inside(const BlockOperator& by, std::size_t block, std::size_t c,
                                              const BlockField& in, Spinor<P>& sum) {
  const std::size_t other = c ^ (std::size_t{1} << static_cast<unsigned>(mu));
  const float* const psi = in.numbers + other * spinor;
  const bool is_forward = other > c;
  const std::size_t at = site_of(block, is_forward ? c : other, by.first_odd);
  const float* const link = by.links + (4 * at + mu) * kernels::link_numbers * width;
  if (is_forward) {
    add<mu, -1>(transported<false>(link, projected<mu, -1, P>(psi)), sum);
  } else {
    add<mu, 1>(transported<true>(link, projected<mu, 1, P>(psi)), sum);
  }
}

/// out <- D_B in
void apply_inside(const BlockOperator& by, std::size_t block, const BlockField& in, BlockField& out) {
  const P weight(-0.5F);
  for (std::size_t c = 0; c < block_sites; ++c) {
    Spinor<P> sum;
    for (auto& spin : sum.s) {
      for (Value& number : spin) number = {P(0), P(0)};
    }
    add_inside<0>(by, block, c, in, sum);
    add_inside<1>(by, block, c, in, sum);
    add_inside<2>(by, block, c, in, sum);
    add_inside<3>(by, block, c, in, sum);
    Value psi[complex_numbers];
    Value local[complex_numbers];
    for (std::size_t i = 0; i < complex_numbers; ++i) {
      psi[i] = load<P>(in.numbers + c * spinor + 2 * width * i);
      local[i] = {P(by.mass) * psi[i].re, P(by.mass) * psi[i].im};
    }
    if (by.clover != nullptr) {
      const std::size_t site = site_of(block, c, by.first_odd);
      apply_clover<P>(by.clover + site * kernels::clover_numbers * width, psi, local);
    }
    for (std::size_t i = 0; i < complex_numbers; ++i) {
      const Value& hop = sum.s[i / 3][i % 3];
      const Value all{local[i].re + weight * hop.re, local[i].im + weight * hop.im};
      store(all, out.numbers + c * spinor + 2 * width * i);
    }
  }
}

void solve(const BlockOperator& by, std::size_t steps, const SomeBlocks& some, const float* r, float* e) {
  constexpr std::uint32_t all_lanes = static_cast<std::uint32_t>((std::uint64_t{1} << width) - 1);
  const P least(1e-30F);  // |D_B r|^2 of nothing is 0, and so is the step then
  BlockField rest;
  BlockField image;
  BlockField sum;
  for (std::size_t number = 0; number < some.count; ++number) {
    const std::size_t block = some.blocks[number];
    load_field(r, block, by.first_odd, rest);
    for (std::size_t i = 0; i < block_sites * spinor; i += width) P(0).store(sum.numbers + i);
    for (std::size_t step = 0; step < steps; ++step) {
      apply_inside(by, block, rest, image);
      Value along{P(0), P(0)};
      P square(0);
      for (std::size_t i = 0; i < block_sites * spinor; i += 2 * width) {
        const Value w = load<P>(image.numbers + i);
        along = plus<0>(along, conjugate_times(w, load<P>(rest.numbers + i)));
        square += w.re * w.re + w.im * w.im;
      }
      square = max(square, least);
      const Value a{along.re / square, along.im / square};
      for (std::size_t i = 0; i < block_sites * spinor; i += 2 * width) {
        const Value left = load<P>(rest.numbers + i);
        store(plus<0>(load<P>(sum.numbers + i), times(a, left)), sum.numbers + i);
        store(plus<2>(left, times(a, load<P>(image.numbers + i))), rest.numbers + i);
      }
    }
    for (std::size_t c = 0; c < block_sites; ++c) {
      float* const to = e + site_of(block, c, by.first_odd) * spinor;
      for (std::size_t i = 0; i < spinor; i += width) P::load(sum.numbers + c * spinor + i).store(to + i);
      if (some.lanes[number] == all_lanes) continue;
      for (std::size_t i = 0; i < spinor; ++i) {
        if ((some.lanes[number] >> (i % width) & 1U) == 0) to[i] = 0.0F;
      }
    }
  }
}

void subtract(const BlockOperator& by, const float* psi, float* w, std::size_t first, std::size_t last) {
  BlockField in;
  BlockField image;
  for (std::size_t block = first; block < last; ++block) {
    load_field(psi, block, by.first_odd, in);
    apply_inside(by, block, in, image);
    for (std::size_t c = 0; c < block_sites; ++c) {
      float* const to = w + site_of(block, c, by.first_odd) * spinor;
      for (std::size_t i = 0; i < spinor; i += width) {
        (P::load(to + i) - P::load(image.numbers + c * spinor + i)).store(to + i);
      }
    }
  }
}

void restrict_to(const Columns& by, std::uint32_t sites, const float* psi, float* sums, std::size_t first,
                 std::size_t last) {
  BlockField in;
  for (std::size_t block = first; block < last; ++block) {
    load_field(psi, block, by.first_odd, in);
    for (std::size_t column = 0; column < by.count; ++column) {
      Value sum[chiralities] = {{P(0), P(0)}, {P(0), P(0)}};
      for (std::size_t c = 0; c < block_sites; ++c) {
        if ((sites >> c & 1U) == 0) continue;
        const float* const vector = by.vectors[column] + site_of(block, c, by.first_odd) * spinor;
        const float* const value = in.numbers + c * spinor;
        for (std::size_t i = 0; i < complex_numbers; ++i) {
          Value& total = sum[i / 6];
          total = plus<0>(total, conjugate_times(load<P>(vector + 2 * width * i), load<P>(value + 2 * width * i)));
        }
      }
      float* const to = sums + (block * by.count + column) * 2 * chiralities * width;
      store(sum[0], to);
      store(sum[1], to + 2 * width);
    }
  }
}

void prolong(const Columns& by, const float* coarse, float* psi, std::size_t first, std::size_t last) {
  BlockField out;
  for (std::size_t block = first; block < last; ++block) {
    load_field(psi, block, by.first_odd, out);
    for (std::size_t column = 0; column < by.count; ++column) {
      const float* const from = coarse + (block * by.count + column) * 2 * chiralities * width;
      const Value factor[chiralities] = {load<P>(from), load<P>(from + 2 * width)};
      for (std::size_t c = 0; c < block_sites; ++c) {
        const float* const vector = by.vectors[column] + site_of(block, c, by.first_odd) * spinor;
        float* const value = out.numbers + c * spinor;
        for (std::size_t i = 0; i < complex_numbers; ++i) {
          const std::size_t at = 2 * width * i;
          store(plus<0>(load<P>(value + at), times(factor[i / 6], load<P>(vector + at))), value + at);
        }
      }
    }
    for (std::size_t c = 0; c < block_sites; ++c) {
      float* const to = psi + site_of(block, c, by.first_odd) * spinor;
      for (std::size_t i = 0; i < spinor; i += width) P::load(out.numbers + c * spinor + i).store(to + i);
    }
  }
}

void scale(const float* factors, std::size_t first_odd, float* psi, std::size_t first, std::size_t last) {
  for (std::size_t block = first; block < last; ++block) {
    for (std::size_t c = 0; c < block_sites; ++c) {
      float* const to = psi + site_of(block, c, first_odd) * spinor;
      for (std::size_t i = 0; i < 2 * complex_numbers; ++i) {
        const P factor = P::load(factors + (block * chiralities + i / complex_numbers) * width);
        (factor * P::load(to + i * width)).store(to + i * width);
      }
    }
  }
}

}  // namespace

template <class>
BlockLoops block_loops_of() noexcept {
  return {width, &solve, &subtract, &restrict_to, &prolong, &scale};
}
template BlockLoops block_loops_of<Isa>() noexcept;

}  // namespace tacit::qcd::multigrid
