// Kernels: functions of a team of threads, from one source for devices and for the host.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <type_traits>

#include "tacit/gpu/host_team.hpp"

// Marks what a kernel calls, once for both compilers; without a device compiler it is nothing.
#if defined(__CUDACC__)
#define TACIT_HOST_DEVICE __host__ __device__
#else
#define TACIT_HOST_DEVICE
#endif

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

/// A kernel and its arguments without their type, as devices run it.
struct KernelCall {
  std::string_view name;
  const void* arguments = nullptr;
  std::size_t blocks = 0;
  /// One block by a team of the host.
  void (*on_host)(const void* arguments, HostTeam& team, std::size_t block) = nullptr;
};

template <Kernel K>
[[nodiscard]] KernelCall call_of(const K& kernel, std::size_t blocks) noexcept {
  return {.name = K::name,
          .arguments = &kernel,
          .blocks = blocks,
          .on_host = [](const void* arguments, HostTeam& team, std::size_t block) {
            (*static_cast<const K*>(arguments))(team, block);
          }};
}

}  // namespace tacit::gpu
