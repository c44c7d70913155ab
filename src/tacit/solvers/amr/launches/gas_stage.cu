// The kernel on devices of NVIDIA.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/gpu/cuda/start.cuh"
#include "tacit/solvers/amr/launches/gas_stage.hpp"

namespace tacit::gpu {

using amr::GasStage;
using amr::kernels::Limiter;
using amr::kernels::Riemann;

template <>
StartOnDevice code_on_device<GasStage<Limiter::minmod, Riemann::hll>>() noexcept {
  return &cuda::start<GasStage<Limiter::minmod, Riemann::hll>>;
}
template <>
StartOnDevice code_on_device<GasStage<Limiter::minmod, Riemann::hllc>>() noexcept {
  return &cuda::start<GasStage<Limiter::minmod, Riemann::hllc>>;
}
template <>
StartOnDevice code_on_device<GasStage<Limiter::van_leer, Riemann::hll>>() noexcept {
  return &cuda::start<GasStage<Limiter::van_leer, Riemann::hll>>;
}
template <>
StartOnDevice code_on_device<GasStage<Limiter::van_leer, Riemann::hllc>>() noexcept {
  return &cuda::start<GasStage<Limiter::van_leer, Riemann::hllc>>;
}
template <>
StartOnDevice code_on_device<GasStage<Limiter::monotonised_central, Riemann::hll>>() noexcept {
  return &cuda::start<GasStage<Limiter::monotonised_central, Riemann::hll>>;
}
template <>
StartOnDevice code_on_device<GasStage<Limiter::monotonised_central, Riemann::hllc>>() noexcept {
  return &cuda::start<GasStage<Limiter::monotonised_central, Riemann::hllc>>;
}

}  // namespace tacit::gpu
