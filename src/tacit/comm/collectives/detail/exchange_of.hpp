// Makes an exchange for typed memory of the user.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "tacit/comm/collectives/detail/make.hpp"
#include "tacit/comm/collectives/detail/routes.hpp"
#include "tacit/comm/communicator.hpp"
#include "tacit/comm/window.hpp"

namespace tacit::comm::detail {

/// @param count    of elements, as all ranks must say it
/// @param in, out  without data: memory of the library
template <Element T>
[[nodiscard]] std::unique_ptr<Exchange> exchange_of(Communicator& communicator, const Routes& routes, std::size_t count,
                                                    const CollectiveOptions& options, std::span<const T> in,
                                                    std::span<T> out, const Pull& pull = {}) {
  return make_exchange(communicator.core(), routes, elements_of<T>(count), options, pull, std::as_bytes(in),
                       std::as_writable_bytes(out));
}

}  // namespace tacit::comm::detail
