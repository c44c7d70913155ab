// What holds of dispatch where only one kind of transport is compiled in: looked at by the compiler, and never run.
// SPDX-License-Identifier: Apache-2.0
//
// Compiled without the definitions of the build, as if there were neither MPI nor libfabric.
#include <type_traits>

#include "tacit/comm/providers/providers.hpp"

namespace tacit::comm {

// No tag that says which kind it is, and so nothing that could be asked.
static_assert(std::is_same_v<AnyLink, detail::SlotLink>);
static_assert(std::is_same_v<AnySender, detail::SlotSender>);
static_assert(std::is_same_v<AnyReceiver, detail::SlotReceiver>);

// `dispatch` calls the function with that very object.
static_assert(
    std::is_same_v<decltype(dispatch(std::declval<AnySender&>(), [](auto& end) -> auto& { return end; })), AnySender&>);

}  // namespace tacit::comm
