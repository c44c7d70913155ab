// Chains of multiplications and additions; compiled once per instruction set, which TACIT_ISA names.
// SPDX-License-Identifier: Apache-2.0
#include "sph/peak.hpp"

#include "tacit/base/pack.hpp"

namespace tacit::bench {
namespace {

using Isa = base::isa::TACIT_ISA;
using P = base::Pack<float, Isa>;

/// Ten chains hide the latency of four cycles on two units, and leave registers for the operands.
double run_chains(std::size_t rounds) {
  constexpr std::size_t chains = 10;
  P sum[chains];
  for (std::size_t i = 0; i < chains; ++i) sum[i] = P(static_cast<float>(i));
  // The fixed point of x = x a + b, so that values stay ordinary; hidden, so that nothing is computed beforehand.
  float a = 0.5F;
  float b = 0.25F;
  asm volatile("" : "+m"(a), "+m"(b));
  const P factor(a);
  const P term(b);
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < chains; ++i) sum[i] = fma(sum[i], factor, term);
  }
  double total = 0.0;
  for (std::size_t i = 0; i < chains; ++i) total += sum_of(sum[i]);
  asm volatile("" : : "m"(total));
  return 2.0 * static_cast<double>(chains * P::width * rounds);
}

}  // namespace

template <class>
PeakLoop peak_loop_of() noexcept {
  return &run_chains;
}
template PeakLoop peak_loop_of<Isa>() noexcept;

}  // namespace tacit::bench
