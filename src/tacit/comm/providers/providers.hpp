// The transports of this build, and the one branch per call that tells them apart.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>
#include <variant>

#include "tacit/comm/detail/slot_link.hpp"
#include "tacit/comm/providers/self/provider.hpp"
#include "tacit/comm/providers/shm/provider.hpp"
#if defined(TACIT_HAS_MPI)
#include "tacit/comm/providers/mpi/provider.hpp"
#endif

namespace tacit::comm {

// `self` and `shm` differ in whose memory they use, not in what they do with it.
#if defined(TACIT_HAS_MPI)
using AnyLink = std::variant<detail::SlotLink, mpi::Link>;
using AnySender = std::variant<detail::SlotSender, mpi::Sender>;
using AnyReceiver = std::variant<detail::SlotReceiver, mpi::Receiver>;
#else
using AnyLink = std::variant<detail::SlotLink>;
using AnySender = std::variant<detail::SlotSender>;
using AnyReceiver = std::variant<detail::SlotReceiver>;
#endif

/// Calls `function` with what `any` holds: no branch with one alternative, one with two.
template <class Any, class Function>
inline decltype(auto) dispatch(Any& any, Function&& function) {
  constexpr std::size_t kinds = std::variant_size_v<std::remove_const_t<Any>>;
  if constexpr (kinds == 1) {
    return function(*std::get_if<0>(&any));
  } else {
    static_assert(kinds == 2, "a third kind of end needs a third branch");
    if (any.index() == 0) [[likely]]
      return function(*std::get_if<0>(&any));
    return function(*std::get_if<1>(&any));
  }
}

}  // namespace tacit::comm
