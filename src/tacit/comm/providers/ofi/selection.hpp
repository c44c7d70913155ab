// Which of libfabric's providers carries messages: the best that is there, never one that is known to be wrong.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rdma/fabric.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/comm/routes.hpp"

namespace tacit::comm::ofi {

struct InfoDeleter {
  void operator()(fi_info* info) const noexcept { fi_freeinfo(info); }
};
using Info = std::unique_ptr<fi_info, InfoDeleter>;

/// The names of the providers that may be chosen unasked and are there, the best first.
[[nodiscard]] std::vector<std::string> usable_providers();
/// Whether a provider drives a network that needs no kernel for a message.
[[nodiscard]] bool is_fast(std::string_view provider);
/// How the receiver learns of a message: with the write itself, or, where that cannot be, by a message of its own.
enum class Notice : std::uint8_t { with_write, message };
[[nodiscard]] Notice notice_of(std::string_view provider);

/// The network that is wanted, or the best that fits; of several devices one that reaches other nodes. The provider
/// "tcp" stands for the best way over TCP.
/// @param port  to listen on; 0: any
/// @throws ProviderError that names what is there, or why what is wanted is refused
[[nodiscard]] Info find_network(const Network& wanted, std::uint32_t port);

/// The names of all that libfabric offers us here, for messages: "net (eth0, lo), sockets (refused: ...)".
[[nodiscard]] std::string describe_offers();

/// @throws ProviderError with libfabric's words if `code` is negative
void check(std::int64_t code, const char* call);

}  // namespace tacit::comm::ofi
