// The transports of this build, and the one branch per call that selects among them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>
#include <variant>

#include "tacit/comm/detail/slot_link.hpp"
#include "tacit/comm/providers/self/provider.hpp"
#include "tacit/comm/providers/shm/provider.hpp"
#if defined(TACIT_HAS_MPI)
#include "tacit/comm/providers/mpi/provider.hpp"
#endif
#if defined(TACIT_HAS_OFI)
#include "tacit/comm/providers/ofi/provider.hpp"
#endif

namespace tacit::comm {

namespace detail {

/// The kinds of links of a build, and those of their ends.
template <class... Links>
struct Kinds {
  using Link = std::variant<Links...>;
  using Sender = std::variant<typename Links::Sender...>;
  using Receiver = std::variant<typename Links::Receiver...>;
};
/// A single kind needs no discriminator and no branch.
template <class Only>
struct Kinds<Only> {
  using Link = Only;
  using Sender = typename Only::Sender;
  using Receiver = typename Only::Receiver;
};

// `self` and `shm` differ in whose memory they use, not in what they do with it.
#if defined(TACIT_HAS_MPI) && defined(TACIT_HAS_OFI)
using KindsOfBuild = Kinds<SlotLink, ofi::Link, mpi::Link>;
#elif defined(TACIT_HAS_OFI)
using KindsOfBuild = Kinds<SlotLink, ofi::Link>;
#elif defined(TACIT_HAS_MPI)
using KindsOfBuild = Kinds<SlotLink, mpi::Link>;
#else
using KindsOfBuild = Kinds<SlotLink>;
#endif

}  // namespace detail

using AnyLink = detail::KindsOfBuild::Link;
using AnySender = detail::KindsOfBuild::Sender;
using AnyReceiver = detail::KindsOfBuild::Receiver;

/// Calls `function` with what `any` holds: no branch with one kind, one with two, one or two with three.
template <class Any, class Function>
inline decltype(auto) dispatch(Any& any, Function&& function) {
  if constexpr (!requires { any.index(); }) {
    return function(any);
  } else {
    constexpr std::size_t kinds = std::variant_size_v<std::remove_const_t<Any>>;
    static_assert(kinds <= 3, "a fourth kind of end needs a fourth branch");
    if (any.index() != 0) [[unlikely]] {
      if constexpr (kinds > 2) {
        if (any.index() == 1) return function(*std::get_if<1>(&any));
      }
      return function(*std::get_if<kinds - 1>(&any));
    }
    return function(*std::get_if<0>(&any));
  }
}

/// What `any` holds, as its kind. @pre it is of that kind
template <class Kind, class Any>
[[nodiscard]] Kind& as(Any& any) noexcept {
  if constexpr (std::is_same_v<Kind, Any>) {
    return any;
  } else {
    return *std::get_if<Kind>(&any);
  }
}

}  // namespace tacit::comm
