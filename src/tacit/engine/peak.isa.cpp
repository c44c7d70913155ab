// Chains of multiplications and additions; compiled once per instruction set, which TACIT_ISA names.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/engine/peak.hpp"

#include "tacit/base/pack.hpp"

namespace tacit::engine {
namespace {

using Isa = base::isa::TACIT_ISA;

/// Ten chains hide the latency of four cycles on two units, and leave registers for the operands.
template <class Number>
double run_chains(std::size_t rounds) {
  using P = base::Pack<Number, Isa>;
  constexpr std::size_t chains = 10;
  P sum[chains];
  for (std::size_t i = 0; i < chains; ++i) sum[i] = P(static_cast<Number>(i));
  // The fixed point of x = x a + b, so that values stay ordinary; hidden, so that nothing is computed beforehand.
  Number a = 0.5F;
  Number b = 0.25F;
  asm volatile("" : "+m"(a), "+m"(b));
  const P factor(a);
  const P term(b);
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < chains; ++i) sum[i] = fma(sum[i], factor, term);
  }
  double total = 0.0;
  for (std::size_t i = 0; i < chains; ++i) total += static_cast<double>(sum_of(sum[i]));
  asm volatile("" : : "m"(total));
  return 2.0 * static_cast<double>(chains * P::width * rounds);
}

}  // namespace

template <class>
PeakLoops peak_loops_of() noexcept {
  return {&run_chains<float>, &run_chains<double>};
}
template PeakLoops peak_loops_of<Isa>() noexcept;

}  // namespace tacit::engine
