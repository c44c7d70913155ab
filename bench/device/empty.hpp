// A kernel that does nothing, to see what a launch takes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "tacit/gpu/kernel.hpp"

namespace tacit::device_run {

struct Empty {
  static constexpr std::string_view name = "empty";
  template <class Team>
  TACIT_HOST_DEVICE void operator()(Team& /*team*/, std::size_t /*block*/) const {}
};

}  // namespace tacit::device_run

namespace tacit::gpu {

template <>
[[nodiscard]] StartOnDevice code_on_device<device_run::Empty>() noexcept;

}  // namespace tacit::gpu
