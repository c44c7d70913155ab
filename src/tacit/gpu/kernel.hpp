// Kernels: functions of a team of threads, from one source for devices and for the host.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <string_view>
#include <type_traits>

#include "tacit/gpu/host_team.hpp"
#include "tacit/gpu/macros.hpp"

namespace tacit::gpu {

/// The most bytes that the arguments of one kernel take.
inline constexpr std::size_t most_arguments = 512;

/// A kernel with its arguments: a plain struct that is copied to the device and called there once for each block.
/// Phases over the team are the only order between the team's threads.
///
///     struct Scale {
///       static constexpr std::string_view name = "scale";
///       double by;
///       const double* from;  // addresses on the device
///       double* to;
///       std::size_t n;
///       template <class Team>
///       TACIT_HOST_DEVICE void operator()(Team& team, std::size_t block) const {
///         const std::size_t first = 256 * block;
///         team.each(first < n ? std::min<std::size_t>(n - first, 256) : 0,
///                   [&](std::size_t i) { to[first + i] = by * from[first + i]; });
///       }
///     };
template <class K>
concept Kernel = std::is_trivially_copyable_v<K> && std::is_trivially_destructible_v<K> &&
                 sizeof(K) <= most_arguments && requires(const K& kernel, HostTeam& team, std::size_t block) {
                   { K::name } -> std::convertible_to<std::string_view>;
                   kernel(team, block);
                 };

/// Starts blocks of a kernel in a stream of a device, from code that a device compiler made of it.
/// @return  0, or the number of an error of that device
using StartOnDevice = int (*)(const void* arguments, std::size_t blocks, void* stream) noexcept;

/// The code of a kernel for devices of CUDA; null: there is none, and such a device fails its launches. A kernel that
/// is to have some declares a specialisation beside itself, NAME.cu defines it (see gpu/cuda/start.cuh), and
/// NAME_none.cpp beside that for programs without CUDA:
///
///     template <>
///     StartOnDevice code_on_device<Scale>() noexcept;
template <Kernel K>
[[nodiscard]] StartOnDevice code_on_device() noexcept {
  return nullptr;
}

/// A kernel and its arguments without their type, as devices run it.
struct KernelCall {
  std::string_view name;
  const void* arguments = nullptr;
  std::size_t blocks = 0;
  /// One block by a team of the host.
  void (*on_host)(const void* arguments, HostTeam& team, std::size_t block) = nullptr;
  StartOnDevice on_device = nullptr;
};

template <Kernel K>
[[nodiscard]] KernelCall call_of(const K& kernel, std::size_t blocks) noexcept {
  return {.name = K::name,
          .arguments = &kernel,
          .blocks = blocks,
          .on_host = [](const void* arguments, HostTeam& team,
                        std::size_t block) { (*static_cast<const K*>(arguments))(team, block); },
          .on_device = code_on_device<K>()};
}

}  // namespace tacit::gpu
