// The kernel in programs without CUDA.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/amr/launches/gas_stage.hpp"

namespace tacit::gpu {

using amr::GasStage;
using amr::kernels::Limiter;
using amr::kernels::Riemann;

template <>
StartOnDevice code_on_device<GasStage<Limiter::minmod, Riemann::hll>>() noexcept {
  return nullptr;
}
template <>
StartOnDevice code_on_device<GasStage<Limiter::minmod, Riemann::hllc>>() noexcept {
  return nullptr;
}
template <>
StartOnDevice code_on_device<GasStage<Limiter::van_leer, Riemann::hll>>() noexcept {
  return nullptr;
}
template <>
StartOnDevice code_on_device<GasStage<Limiter::van_leer, Riemann::hllc>>() noexcept {
  return nullptr;
}
template <>
StartOnDevice code_on_device<GasStage<Limiter::monotonised_central, Riemann::hll>>() noexcept {
  return nullptr;
}
template <>
StartOnDevice code_on_device<GasStage<Limiter::monotonised_central, Riemann::hllc>>() noexcept {
  return nullptr;
}

}  // namespace tacit::gpu
